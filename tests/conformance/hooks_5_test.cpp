// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, FullBackwardHookWithADictOutputWarns) {
  const Outcome outcome = run([] {
    const Var Net, net, x, seen, out_;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x_ = a[1];
      return Py(dict({{Py("y"), binary("*", x_, Py(2))}}));
    });
    net = Py(Net());
    net.attr("register_full_backward_hook")(
        lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(builtin("print")(Py("fired"))); }));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered1) {
      seen = Py(entered1);
      warnings("simplefilter")(Py("always"));
      out_ = Py(net(x));
    });
    builtin("print")(comprehension([&](std::vector<Value>& values2) {
      for (const Py& item3 : items(seen)) {
        const Var w;
        w = Py(item3);
        values2.push_back(Py(builtin("str")(w.attr("message"))).value());
      }
    }));
    out_.item(Py("y")).attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(
      outcome.out,
      R"(["For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received <class 'dict'>"]
[2.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, LegacyBackwardHookWarnsAboutSeveralNodes) {
  const Outcome outcome = run([] {
    const Var Net, net, x, seen, out_;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x_ = a[1];
      return Py(binary("*", x_, Py(2)).attr("relu")());
    });
    net = Py(Net());
    net.attr("register_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      return Py(builtin("print")({Py("legacy"), comprehension([&](std::vector<Value>& values1) {
                                    for (const Py& item2 : items(gi)) {
                                      const Var g;
                                      g = Py(item2);
                                      values1.push_back(Py(g.attr("tolist")()).value());
                                    }
                                  })}));
    }));
    x = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered3) {
      seen = Py(entered3);
      warnings("simplefilter")(Py("always"));
      out_ = Py(net(x));
    });
    builtin("print")(comprehension([&](std::vector<Value>& values4) {
      for (const Py& item5 : items(seen)) {
        const Var w;
        w = Py(item5);
        values4.push_back(Py(tuple({w.attr("category").attr("__name__"), builtin("str")(w.attr("message"))})).value());
      }
    }));
    out_.attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(
      outcome.out,
      R"([('FutureWarning', 'Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be removed in future versions. This hook will be missing some grad_input. Please use register_full_backward_hook to get the documented behavior.')]
legacy [[1.0]]
[2.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullPreHookMayBeMixedWithLegacyHooks) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("ReLU")());
    net.attr("register_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var go = a[2];
      return Py(builtin("print")({Py("legacy"), go.item(Py(0)).attr("tolist")()}));
    }));
    net.attr("register_full_backward_pre_hook")(lambda({"m", "go"}, [=](const Locals& a) -> Py {
      const Var go = a[1];
      return Py(builtin("print")({Py("pre"), go.item(Py(0)).attr("tolist")()}));
    }));
    warnings("simplefilter")(Py("ignore"));
    net(torch("ones")({Py(1), kw("requires_grad", Py(true))})).attr("backward")();
  });
  EXPECT_EQ(outcome.out, R"(pre [1.0]
legacy [1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, GlobalFullBackwardHooks) {
  const Outcome outcome = run([] {
    const Var net, h1, h2;
    net = Py(nn("Sequential")({nn("Identity")(), nn("Identity")()}));
    net.item(Py(0)).attr("register_full_backward_hook")(
        lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(builtin("print")(Py("local"))); }));
    h1 = Py(modules_module("register_module_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var m = a[0];
      return Py(builtin("print")({Py("global"), builtin("type")(m).attr("__name__")}));
    })));
    h2 = Py(modules_module("register_module_full_backward_pre_hook")(lambda({"m", "go"}, [=](const Locals& a) -> Py {
      const Var m = a[0];
      return Py(builtin("print")({Py("global pre"), builtin("type")(m).attr("__name__")}));
    })));
    net(torch("ones")({Py(1), kw("requires_grad", Py(true))})).attr("backward")();
    h1.attr("remove")();
    h2.attr("remove")();
  });
  EXPECT_EQ(outcome.out, R"(global pre Sequential
global pre Identity
global Identity
global pre Identity
global Identity
local
global Sequential
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, TensorHookScalesAGradient) {
  const Outcome outcome = run([] {
    const Var x, h;
    x = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    h = Py(x.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(binary("*", g, Py(10)));
    })));
    binary("*", x, Py(3)).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
    h.attr("remove")();
    x.set("grad", Py());
    binary("*", x, Py(3)).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([30.0, 30.0]
[3.0, 3.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, TensorHooksRunInOrder) {
  const Outcome outcome = run([] {
    const Var x;
    x = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    x.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(binary("+", g, Py(1)));
    }));
    x.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(builtin("print")({Py("second sees"), g.attr("item")()}));
    }));
    x.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(binary("*", g, Py(2)));
    }));
    x.attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(second sees 2.0
4.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, TensorHookOnAnIntermediate) {
  const Outcome outcome = run([] {
    const Var x, y, z;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, x));
    y.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(builtin("print")({Py("dy"), g.attr("item")()}));
    }));
    z = Py(binary("*", y, Py(5)));
    z.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(builtin("print")({Py("dz"), g.attr("item")()}));
    }));
    z.attr("backward")();
    builtin("print")({x.attr("grad").attr("item")(), y.attr("is_leaf")});
  });
  EXPECT_EQ(outcome.out, R"(dz 1.0
dy 5.0
20.0 False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, TensorHookErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, x, h;
    attempt_ = attempt();
    attempt_({Py("no gradient needed"), lambda({}, [=](const Locals&) -> Py {
                return Py(torch("ones")(Py(1)).attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
                  const Var g = a[0];
                  return Py(g);
                })));
              })});
    x = Py(torch("ones")({Py(2), kw("requires_grad", Py(true))}));
    h = Py(x.attr("register_hook")(lambda({"g"}, [=](const Locals& a) -> Py {
      const Var g = a[0];
      return Py(g.item(Py(0)));
    })));
    attempt_(
        {Py("wrong shape"), lambda({}, [=](const Locals&) -> Py { return Py(x.attr("sum")().attr("backward")()); })});
    h.attr("remove")();
    x.attr("register_hook")(lambda({"g"}, [=](const Locals&) -> Py { return Py(Py(5)); }));
    attempt_(
        {Py("wrong type"), lambda({}, [=](const Locals&) -> Py { return Py(x.attr("sum")().attr("backward")()); })});
  });
  EXPECT_EQ(outcome.out,
            R"(no gradient needed: RuntimeError: cannot register a hook on a tensor that doesn't require gradient
wrong shape: RuntimeError: hook '<lambda>' has changed the size of value
wrong type: TypeError: expected Variable, but hook returned 'int'
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, PostAccumulateGradHook) {
  const Outcome outcome = run([] {
    const Var p, step, e;
    p = Py(nn("Parameter")(torch("tensor")(list({Py(1.0)}))));
    step = Py(def("step", {"param"}, [=](const Locals& a) -> Py {
      const Var param = a[0];
      builtin("print")({Py("accumulated"), param.attr("grad").attr("item")()});
      with(torch("no_grad")(),
           [&](const Py&) { param = Py(in_place("-", param, binary("*", Py(0.1), param.attr("grad")))); });
      param.set("grad", Py());
      return {};
    }));
    p.attr("register_post_accumulate_grad_hook")(step);
    binary("*", p, Py(4)).attr("sum")().attr("backward")();
    builtin("print")({Py(std::string() + format_value(p.attr("item")(), std::string() + ".4f")), p.attr("grad")});
    try {
      binary("*", p, Py(2)).attr("register_post_accumulate_grad_hook")(step);
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(accumulated 4.0
0.6000 None
post accumulate grad hooks cannot be registered on non-leaf tensors
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ForwardHookCollectsActivations) {
  const Outcome outcome = run([] {
    const Var net, p, shapes, handles, h;
    net = Py(nn("Sequential")({nn("Linear")({Py(2), Py(3)}), nn("ReLU")(), nn("Linear")({Py(3), Py(1)})}));
    for (const Py& item1 : items(net.attr("parameters")())) {
      p = Py(item1);
      nn_init("constant_")({p, Py(1.0)});
    }
    shapes = Py(dict({}));
    handles = Py(comprehension([&](std::vector<Value>& values2) {
      for (const Py& item3 : items(net.attr("named_children")())) {
        const Var name, m;
        const std::vector<Py> parts4 = unpack(item3, 2);
        name = Py(parts4[0]);
        m = Py(parts4[1]);
        values2.push_back(
            Py(m.attr("register_forward_hook")(lambda({"m", "a", "o", {"name", name}}, [=](const Locals& a) -> Py {
              const Var o = a[2];
              const Var name_ = a[3];
              return Py(shapes.attr("update")(dict({{name_, builtin("tuple")(o.attr("shape"))}})));
            }))).value());
      }
    }));
    net(torch("ones")({Py(4), Py(2)}));
    for (const Py& item5 : items(handles)) {
      h = Py(item5);
      h.attr("remove")();
    }
    net(torch("ones")({Py(9), Py(2)}));
    builtin("print")(shapes);
  });
  EXPECT_EQ(outcome.out, R"({'0': (4, 3), '1': (4, 3), '2': (4, 1)}
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, ZeroingOutputHookBlocksGradients) {
  const Outcome outcome = run([] {
    const Var net, out_;
    net = Py(nn("Sequential")({nn("Linear")({Py(1), Py(1)}), nn("Identity")()}));
    nn_init("constant_")({net.item(Py(0)).attr("weight"), Py(2.0)});
    nn_init("zeros_")(net.item(Py(0)).attr("bias"));
    net.item(Py(1)).attr("register_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals& a) -> Py {
      const Var o = a[2];
      return Py(o.attr("detach")());
    }));
    out_ = Py(net(torch("ones")({Py(1), Py(1)})));
    builtin("print")({out_.attr("item")(), out_.attr("requires_grad"), out_.attr("grad_fn")});
  });
  EXPECT_EQ(outcome.out, R"(2.0 False None
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
