// Recorded behaviour of PyTorch, topic `autograd`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Autograd, InPlaceThatIsHarmless) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, Py(3)));
    y.attr("add_")(Py(1));
    y.attr("mul_")(Py(2));
    y.attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("item")(), y.attr("item")(), y.attr("_version")});
  });
  EXPECT_EQ(outcome.out, R"(6.0 14.0 2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, InPlaceOnAViewOfALeaf) {
  const Outcome outcome = run([] {
    const Var x, v, e;
    x = Py(torch("zeros")({Py(3), kw("requires_grad", Py(true))}));
    v = Py(x.item(Py(0)));
    try {
      v.attr("add_")(Py(1));
    } catch (const Raised& raised) {
      if (matches(raised, "RuntimeError")) {
        e = exception_of(raised);
        builtin("print")(e);
      } else {
        throw;
      }
    }
  });
  EXPECT_EQ(outcome.out, R"(a view of a leaf Variable that requires grad is being used in an in-place operation.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, InPlaceThroughAViewOfANonLeaf) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("ones")({Py(3), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, Py(1)));
    y.set_item(Py(0), Py(10.0));
    y.set_item(slice(Py(1), Py(), Py()), in_place("*", y.item(slice(Py(1), Py(), Py())), Py(5)));
    binary("*", y, torch("tensor")(list({Py(1.0), Py(2.0), Py(3.0)}))).attr("sum")().attr("backward")();
    builtin("print")({y.attr("tolist")(), x.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([10.0, 5.0, 5.0] [0.0, 10.0, 15.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, VersionCounter) {
  const Outcome outcome = run([] {
    const Var t, v, d;
    t = Py(torch("zeros")(Py(2)));
    v = Py(t.item(Py(0)));
    builtin("print")({t.attr("_version"), v.attr("_version")});
    t.attr("add_")(Py(1));
    v.attr("mul_")(Py(2));
    builtin("print")({t.attr("_version"), v.attr("_version"), t.attr("tolist")()});
    t.attr("data").attr("add_")(Py(1));
    d = Py(t.attr("detach")());
    d.attr("add_")(Py(1));
    builtin("print")({t.attr("_version"), d.attr("_version")});
  });
  EXPECT_EQ(outcome.out, R"(0 0
2 2 [2.0, 1.0]
3 3
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, RetainGradOnIntermediates) {
  const Outcome outcome = run([] {
    const Var x, y, z, w, seen;
    x = Py(torch("tensor")({list({Py(3.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, Py(2)));
    z = Py(binary("*", y, y));
    y.attr("retain_grad")();
    z.attr("backward")();
    builtin("print")(
        {y.attr("grad").attr("item")(), x.attr("grad").attr("item")(), y.attr("retains_grad"), z.attr("retains_grad")});
    w = Py(binary("*", x, Py(2)));
    w.attr("backward")();
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered1) {
      seen = Py(entered1);
      warnings("simplefilter")(Py("always"));
      builtin("print")(w.attr("grad"));
    });
    builtin("print")(builtin("str")(seen.item(Py(0)).attr("message")).item(slice(Py(), Py(66), Py())));
  });
  EXPECT_EQ(outcome.out, R"(12.0 24.0 True False
None
The .grad attribute of a Tensor that is not a leaf Tensor is being
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, CustomFunctionWithTwoInputsAndConstants) {
  const Outcome outcome = run([] {
    const Var Scale, x, y;
    Scale = make_class("Scale", {imported("torch.autograd", "Function")});
    def_static(Scale, "forward", {"ctx", "x", "y", "factor"}, [=](const Locals& a) -> Py {
      const Var ctx = a[0];
      const Var x_ = a[1];
      const Var y_ = a[2];
      const Var factor = a[3];
      ctx.set("factor", factor);
      builtin("print")(ctx.attr("needs_input_grad"));
      return Py(binary("*", binary("+", x_, y_), factor));
    });
    def_static(Scale, "backward", {"ctx", "grad"}, [=](const Locals& a) -> Py {
      const Var ctx = a[0];
      const Var grad = a[1];
      return Py(tuple({binary("*", grad, ctx.attr("factor")), Py(), Py()}));
    });
    x = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    y = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    Scale.attr("apply")({x, y, Py(4)}).attr("backward")();
    builtin("print")({x.attr("grad").attr("item")(), y.attr("grad")});
  });
  EXPECT_EQ(outcome.out, R"((True, True, False)
4.0 None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsOfASmallNetworkByHand) {
  const Outcome outcome = run([] {
    const Var net, x, y, n, p;
    net = Py(nn("Sequential")({nn("Linear")({Py(2), Py(2)}), nn("ReLU")(), nn("Linear")({Py(2), Py(1)})}));
    with(torch("no_grad")(), [&](const Py&) {
      net.item(Py(0)).attr("weight").attr("copy_")(
          torch("tensor")(list({list({Py(1.0), Py(-1.0)}), list({Py(2.0), Py(1.0)})})));
      net.item(Py(0)).attr("bias").attr("copy_")(torch("tensor")(list({Py(0.0), Py(-10.0)})));
      net.item(Py(2)).attr("weight").attr("copy_")(torch("tensor")(list({list({Py(3.0), Py(4.0)})})));
      net.item(Py(2)).attr("bias").attr("zero_")();
    });
    x = Py(torch("tensor")({list({list({Py(2.0), Py(1.0)})}), kw("requires_grad", Py(true))}));
    y = Py(net(x));
    binary("**", binary("-", y, Py(1)), Py(2)).attr("sum")().attr("backward")();
    builtin("print")(y.attr("item")());
    for (const Py& item2 : items(net.attr("named_parameters")())) {
      const std::vector<Py> parts3 = unpack(item2, 2);
      n = Py(parts3[0]);
      p = Py(parts3[1]);
      builtin("print")({n, p.attr("grad").attr("tolist")()});
    }
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(3.0
0.weight [[24.0, 12.0], [0.0, 0.0]]
0.bias [12.0, 0.0]
2.weight [[4.0, 0.0]]
2.bias [4.0]
[[12.0, -12.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, UnusedParametersHaveNoGradient) {
  const Outcome outcome = run([] {
    const Var Net, net;
    Net = make_class("Net", {nn("Module")});
    def_method(Net, "__init__", {"self"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      super_attr(Net, self, "__init__")();
      const Py value1(nn("Linear")({Py(1), Py(1)}));
      const Py value2(nn("Linear")({Py(1), Py(1)}));
      self.set("used", value1);
      self.set("unused", value2);
      return {};
    });
    def_method(Net, "forward", {"self", "x"}, [=](const Locals& a) -> Py {
      const Var self = a[0];
      const Var x = a[1];
      return Py(self.attr("used")(x));
    });
    net = Py(Net());
    net(torch("ones")({Py(1), Py(1)})).attr("sum")().attr("backward")();
    builtin("print")(comprehension([&](std::vector<Value>& values3) {
      for (const Py& item4 : items(net.attr("named_parameters")())) {
        const Var n, p;
        const std::vector<Py> parts5 = unpack(item4, 2);
        n = Py(parts5[0]);
        p = Py(parts5[1]);
        values3.push_back(Py(tuple({n, is(p.attr("grad"), Py())})).value());
      }
    }));
  });
  EXPECT_EQ(outcome.out,
            R"([('used.weight', False), ('used.bias', False), ('unused.weight', True), ('unused.bias', True)]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientWithFrozenLayerInTheMiddle) {
  const Outcome outcome = run([] {
    const Var net;
    net = Py(nn("Sequential")(
        {nn("Linear")({Py(1), Py(1), kw("bias", Py(false))}), nn("Linear")({Py(1), Py(1), kw("bias", Py(false))})}));
    nn_init("constant_")({net.item(Py(0)).attr("weight"), Py(2.0)});
    nn_init("constant_")({net.item(Py(1)).attr("weight"), Py(5.0)});
    net.item(Py(1)).attr("requires_grad_")(Py(false));
    net(torch("ones")({Py(1), Py(1)})).attr("sum")().attr("backward")();
    builtin("print")(
        {net.item(Py(0)).attr("weight").attr("grad").attr("item")(), net.item(Py(1)).attr("weight").attr("grad")});
  });
  EXPECT_EQ(outcome.out, R"(5.0 None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, JacobianAndHessian) {
  const Outcome outcome = run([] {
    builtin("print")(imported("torch.autograd.functional", "jacobian")({lambda({"x"},
                                                                               [=](const Locals& a) -> Py {
                                                                                 const Var x = a[0];
                                                                                 return Py(binary("**", x, Py(2)));
                                                                               }),
                                                                        torch("tensor")(list({Py(1.0), Py(2.0)}))})
                         .attr("tolist")());
    builtin("print")(
        imported("torch.autograd.functional", "hessian")({lambda({"x"},
                                                                 [=](const Locals& a) -> Py {
                                                                   const Var x = a[0];
                                                                   return Py(binary("**", x, Py(3)).attr("sum")());
                                                                 }),
                                                          torch("tensor")(list({Py(1.0), Py(2.0)}))})
            .attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[2.0, 0.0], [0.0, 4.0]]
[[6.0, 0.0], [0.0, 12.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, Gradcheck) {
  const Outcome outcome = run([] {
    const Var f, x;
    f = Py(lambda({"x"}, [=](const Locals& a) -> Py {
      const Var x_ = a[0];
      return Py(binary("**", x_, Py(3)).attr("sin")());
    }));
    x = Py(torch("tensor")({list({Py(0.3), Py(0.7)}), kw("dtype", torch("float64")), kw("requires_grad", Py(true))}));
    builtin("print")(imported("torch.autograd", "gradcheck")({f, tuple({x})}));
  });
  EXPECT_EQ(outcome.out, R"(True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, AnomalyModeFlagAndNoneGradients) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    y = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    binary("*", x, Py(2)).attr("backward")();
    builtin("print")({y.attr("grad"), x.attr("grad").attr("item")()});
    with(imported("torch.autograd", "set_detect_anomaly")(Py(false)),
         [&](const Py&) { builtin("print")(torch("is_anomaly_enabled")()); });
  });
  EXPECT_EQ(outcome.out, R"(None 2.0
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, BackwardWithInputsArgument) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    y = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    binary("*", x, y).attr("backward")(kw("inputs", list({x})));
    builtin("print")({x.attr("grad").attr("item")(), y.attr("grad")});
  });
  EXPECT_EQ(outcome.out, R"(2.0 None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, CheckpointingGivesTheSameGradients) {
  const Outcome outcome = run([] {
    const Var calls, f, x, a_;
    calls = Py(list({}));
    f = Py(def("f", {"x"}, [=](const Locals& a) -> Py {
      const Var x_ = a[0];
      calls.attr("append")(Py("f"));
      return Py(binary("*", x_, Py(2)).attr("sin")());
    }));
    x = Py(torch("tensor")({list({Py(0.5)}), kw("dtype", torch("float64")), kw("requires_grad", Py(true))}));
    imported("torch.utils.checkpoint", "checkpoint")({f, x, kw("use_reentrant", Py(false))}).attr("backward")();
    a_ = Py(x.attr("grad").attr("item")());
    x.set("grad", Py());
    f(x).attr("backward")();
    builtin("print")({binary("==", a_, x.attr("grad").attr("item")()), calls});
  });
  EXPECT_EQ(outcome.out, R"(True ['f', 'f', 'f']
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
