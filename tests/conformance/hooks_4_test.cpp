// Recorded behaviour of PyTorch, topic `hooks`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Hooks, HandleIdsCountOverAllKindsOfHooks) {
  const Outcome outcome = run([] {
    const Var net, t, handles;
    net = Py(nn("Identity")());
    t = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    handles = Py(list(
        {net.attr("register_forward_pre_hook")(builtin("print")), net.attr("register_forward_hook")(builtin("print")),
         net.attr("register_full_backward_hook")(builtin("print")),
         net.attr("register_full_backward_pre_hook")(builtin("print")),
         net.attr("register_state_dict_pre_hook")(builtin("print")),
         net.attr("register_load_state_dict_post_hook")(builtin("print")),
         nn("ReLU")().attr("register_forward_hook")(builtin("print")), t.attr("register_hook")(builtin("print"))}));
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(handles)) {
        const Var h;
        h = Py(item2);
        values1.push_back(Py(binary("-", h.attr("id"), handles.item(Py(0)).attr("id"))).value());
      }
    }));
  });
  EXPECT_EQ(outcome.out, R"([0, 1, 2, 3, 4, 5, 6, 7]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, GlobalForwardHooks) {
  const Outcome outcome = run([] {
    const Var net, h1, h2;
    net = Py(nn("Sequential")({nn("Identity")(), nn("ReLU")()}));
    h1 = Py(modules_module("register_module_forward_pre_hook")(lambda({"m", "a"}, [=](const Locals& a) -> Py {
      const Var m = a[0];
      return Py(builtin("print")({Py("pre"), builtin("type")(m).attr("__name__")}));
    })));
    h2 = Py(modules_module("register_module_forward_hook")(lambda({"m", "a", "o"}, [=](const Locals& a) -> Py {
      const Var m = a[0];
      return Py(builtin("print")({Py("post"), builtin("type")(m).attr("__name__")}));
    })));
    net(torch("ones")(Py(1)));
    h1.attr("remove")();
    h2.attr("remove")();
    net(torch("ones")(Py(1)));
    builtin("print")(Py("done"));
  });
  EXPECT_EQ(outcome.out, R"(pre Sequential
pre Identity
post Identity
pre ReLU
post ReLU
post Sequential
done
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHookReceivesGradients) {
  const Outcome outcome = run([] {
    const Var net, hook, x;
    net = Py(nn("Linear")({Py(2), Py(1), kw("bias", Py(false))}));
    nn_init("constant_")({net.attr("weight"), Py(3.0)});
    hook = Py(def("hook", {"module", "grad_input", "grad_output"}, [=](const Locals& a) -> Py {
      const Var grad_input = a[1];
      const Var grad_output = a[2];
      builtin("print")({Py("grad_input"), comprehension([&](std::vector<Value>& values1) {
                          for (const Py& item2 : items(grad_input)) {
                            const Var g;
                            g = Py(item2);
                            values1.push_back(Py(g.attr("tolist")()).value());
                          }
                        })});
      builtin("print")({Py("grad_output"), comprehension([&](std::vector<Value>& values3) {
                          for (const Py& item4 : items(grad_output)) {
                            const Var g;
                            g = Py(item4);
                            values3.push_back(Py(g.attr("tolist")()).value());
                          }
                        })});
      return {};
    }));
    net.attr("register_full_backward_hook")(hook);
    x = Py(torch("tensor")({list({list({Py(1.0), Py(2.0)})}), kw("requires_grad", Py(true))}));
    binary("*", net(x), Py(5)).attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), net.attr("weight").attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(grad_input [[[15.0, 15.0]]]
grad_output [[[5.0]]]
[[15.0, 15.0]] [[5.0, 10.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHooksFeedOneAnother) {
  const Outcome outcome = run([] {
    const Var net, x;
    net = Py(nn("Identity")());
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      return Py(tuple({binary("+", gi.item(Py(0)), Py(1))}));
    }));
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      return Py(tuple({binary("*", gi.item(Py(0)), Py(10))}));
    }));
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(builtin("print")({Py("sees"), gi.item(Py(0)).attr("tolist")(), go.item(Py(0)).attr("tolist")()}));
    }));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    net(x).attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(sees [20.0] [1.0]
[20.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardPreHook) {
  const Outcome outcome = run([] {
    const Var net, x;
    net = Py(nn("Linear")({Py(1), Py(1), kw("bias", Py(false))}));
    nn_init("constant_")({net.attr("weight"), Py(2.0)});
    net.attr("register_full_backward_pre_hook")(lambda({"m", "go"}, [=](const Locals& a) -> Py {
      const Var go = a[1];
      return Py(builtin("print")({Py("pre"), go.item(Py(0)).attr("tolist")()}));
    }));
    net.attr("register_full_backward_pre_hook")(lambda({"m", "go"}, [=](const Locals& a) -> Py {
      const Var go = a[1];
      return Py(tuple({binary("*", go.item(Py(0)), Py(10))}));
    }));
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(builtin("print")({Py("post"), gi.item(Py(0)).attr("tolist")(), go.item(Py(0)).attr("tolist")()}));
    }));
    x = Py(torch("tensor")({list({list({Py(3.0)})}), kw("requires_grad", Py(true))}));
    net(x).attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), net.attr("weight").attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(pre [[1.0]]
post [[20.0]] [[10.0]]
[[20.0]] [[30.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardPreHookWrongNumberOfGradients) {
  const Outcome outcome = run([] {
    const Var net, x, e;
    net = Py(nn("Identity")());
    net.attr("register_full_backward_pre_hook")(lambda({"m", "go"}, [=](const Locals& a) -> Py {
      const Var go = a[1];
      return Py(tuple({go.item(Py(0)), go.item(Py(0)), go.item(Py(0))}));
    }));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    try {
      net(x).attr("backward")();
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(Backward pre hook returned an invalid number of grad_output, got 3, but expected 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHookWithoutInputGradient) {
  const Outcome outcome = run([] {
    const Var net, seen;
    net = Py(nn("Linear")({Py(1), Py(1)}));
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(builtin("print")({Py("fired"), gi, comprehension([&](std::vector<Value>& values1) {
                                    for (const Py& item2 : items(go)) {
                                      const Var g;
                                      g = Py(item2);
                                      values1.push_back(Py(g.attr("tolist")()).value());
                                    }
                                  })}));
    }));
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered3) {
      seen = Py(entered3);
      warnings("simplefilter")(Py("always"));
      net(torch("ones")({Py(1), Py(1)})).attr("sum")().attr("backward")();
    });
    builtin("print")({builtin("len")(seen), seen.item(Py(0)).attr("category").attr("__name__")});
    builtin("print")(builtin("str")(seen.item(Py(0)).attr("message")).item(slice(Py(), Py(75), Py())));
  });
  EXPECT_EQ(outcome.out, R"(fired (None,) [[[1.0]]]
1 UserWarning
Full backward hook is firing when gradients are computed with respect to mo
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHookNeedsGradientsAtAll) {
  const Outcome outcome = run([] {
    const Var net, out_, frozen;
    net = Py(nn("Linear")({Py(1), Py(1)}));
    net.attr("register_full_backward_hook")(
        lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(builtin("print")(Py("fired"))); }));
    with(torch("no_grad")(), [&](const Py&) {
      out_ = Py(net(torch("ones")({Py(1), Py(1), kw("requires_grad", Py(true))})));
    });
    builtin("print")(out_.attr("requires_grad"));
    frozen = Py(nn("Linear")({Py(1), Py(1)}).attr("requires_grad_")(Py(false)));
    frozen.attr("register_full_backward_hook")(
        lambda({"m", "gi", "go"}, [=](const Locals&) -> Py { return Py(builtin("print")(Py("fired"))); }));
    builtin("print")(frozen(torch("ones")({Py(1), Py(1)})).attr("requires_grad"));
  });
  EXPECT_EQ(outcome.out, R"(False
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHookWithNonTensorArguments) {
  const Outcome outcome = run([] {
    const Var Net, net, x, y, out_, text_;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "forward", {"self", "x", "n", "y"}, [=](const Locals& a) -> Py {
      const Var x_ = a[1];
      const Var n = a[2];
      const Var y_ = a[3];
      return Py(tuple({binary("+", binary("*", x_, n), y_), Py("text")}));
    });
    net = Py(Net());
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(
          builtin("print")({comprehension([&](std::vector<Value>& values1) {
                              for (const Py& item2 : items(gi)) {
                                const Var g;
                                g = Py(item2);
                                values1.push_back(Py((Py(is(g, Py())) ? Py(Py()) : Py(g.attr("tolist")()))).value());
                              }
                            }),
                            comprehension([&](std::vector<Value>& values3) {
                              for (const Py& item4 : items(go)) {
                                const Var g;
                                g = Py(item4);
                                values3.push_back(Py((Py(is(g, Py())) ? Py(Py()) : Py(g.attr("tolist")()))).value());
                              }
                            })}));
    }));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    y = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    const std::vector<Py> parts5 = unpack(net({x, Py(3), y}), 2);
    out_ = Py(parts5[0]);
    text_ = Py(parts5[1]);
    builtin("print")(text_);
    out_.attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), y.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(text
[[3.0], None, [1.0]] [[1.0], None]
[3.0] [1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Hooks, FullBackwardHookWithTwoOutputs) {
  const Outcome outcome = run([] {
    const Var Split, net, x, a_, b;
    Split = make_class("Split", {nn("Module")});
    def_method(Split, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var x_ = a[1];
      return Py(tuple({binary("*", x_, Py(2)), binary("*", x_, Py(3))}));
    });
    net = Py(Split());
    net.attr("register_full_backward_hook")(lambda({"m", "gi", "go"}, [=](const Locals& a) -> Py {
      const Var gi = a[1];
      const Var go = a[2];
      return Py(builtin("print")({comprehension([&](std::vector<Value>& values1) {
                                    for (const Py& item2 : items(gi)) {
                                      const Var g;
                                      g = Py(item2);
                                      values1.push_back(Py(g.attr("tolist")()).value());
                                    }
                                  }),
                                  comprehension([&](std::vector<Value>& values3) {
                                    for (const Py& item4 : items(go)) {
                                      const Var g;
                                      g = Py(item4);
                                      values3.push_back(
                                          Py((Py(is(g, Py())) ? Py(Py()) : Py(g.attr("tolist")()))).value());
                                    }
                                  })}));
    }));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    const std::vector<Py> parts5 = unpack(net(x), 2);
    a_ = Py(parts5[0]);
    b = Py(parts5[1]);
    binary("+", a_, binary("*", Py(10), b)).attr("sum")().attr("backward")();
    x.set("grad", Py());
    const std::vector<Py> parts6 = unpack(net(x), 2);
    a_ = Py(parts6[0]);
    b = Py(parts6[1]);
    a_.attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[32.0]] [[1.0], [10.0]]
[[2.0]] [[1.0], None]
[2.0]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
