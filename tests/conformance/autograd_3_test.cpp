// Recorded behaviour of PyTorch, topic `autograd`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Autograd, AutogradGradErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, x, y;
    attempt_ = attempt();
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(torch("tensor")({list({Py(3.0)}), kw("requires_grad", Py(true))}));
    attempt_({Py("unused"), lambda({}, [=](const Locals&) -> Py {
                return Py(imported("torch.autograd", "grad")({binary("*", x, Py(2)), list({x, y})}));
              })});
    attempt_({Py("allowed"), lambda({}, [=](const Locals&) -> Py {
                return Py(comprehension([&](std::vector<Value>& values1) {
                  for (const Py& item2 : items(imported("torch.autograd", "grad")(
                           {binary("*", x, Py(2)), list({x, y}), kw("allow_unused", Py(true))}))) {
                    const Var g;
                    g = Py(item2);
                    values1.push_back(Py((Py(is(g, Py())) ? Py(Py()) : Py(g.attr("item")()))).value());
                  }
                }));
              })});
    attempt_({Py("zeros"), lambda({}, [=](const Locals&) -> Py {
                return Py(comprehension([&](std::vector<Value>& values3) {
                  for (const Py& item4 : items(imported("torch.autograd", "grad")(
                           {binary("*", x, Py(2)), list({x, y}), kw("materialize_grads", Py(true))}))) {
                    const Var g;
                    g = Py(item4);
                    values3.push_back(Py(g.attr("item")()).value());
                  }
                }));
              })});
    attempt_({Py("no graph"), lambda({}, [=](const Locals&) -> Py {
                return Py(imported("torch.autograd", "grad")({torch("ones")(Py(1)), x}));
              })});
    attempt_({Py("input without gradient"), lambda({}, [=](const Locals&) -> Py {
                return Py(imported("torch.autograd", "grad")({binary("*", x, Py(2)), torch("ones")(Py(1))}));
              })});
  });
  EXPECT_EQ(
      outcome.out,
      R"(unused: RuntimeError: The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.
allowed: [2.0, None]
zeros: [2.0, 0.0]
no graph: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
input without gradient: RuntimeError: One of the differentiated Tensors does not require grad
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, SecondDerivative) {
  const Outcome outcome = run([] {
    const Var x, g, h;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    const std::vector<Py> parts1 =
        unpack(imported("torch.autograd", "grad")({binary("**", x, Py(3)), x, kw("create_graph", Py(true))}), 1);
    g = Py(parts1[0]);
    builtin("print")({g.attr("item")(), g.attr("requires_grad")});
    const std::vector<Py> parts2 = unpack(imported("torch.autograd", "grad")({g, x}), 1);
    h = Py(parts2[0]);
    builtin("print")({h.attr("item")(), h.attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(12.0 True
12.0 False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, NoGradContext) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(1.0)}), kw("requires_grad", Py(true))}));
    with(torch("no_grad")(), [&](const Py&) {
      y = Py(binary("*", x, Py(2)));
      builtin("print")({y.attr("requires_grad"), torch("is_grad_enabled")()});
      with(torch("enable_grad")(), [&](const Py&) { builtin("print")(binary("*", x, Py(2)).attr("requires_grad")); });
    });
    builtin("print")({binary("*", x, Py(2)).attr("requires_grad"), torch("is_grad_enabled")()});
  });
  EXPECT_EQ(outcome.out, R"(False False
True
True True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, NoGradAsADecorator) {
  const Outcome outcome = run([] {
    const Var evaluate, x;
    evaluate = Py(torch("no_grad")()(def("evaluate", {"t"}, [=](const Locals& a) -> Py {
      const Var t = a[0];
      return Py(binary("*", t, Py(3)));
    })));
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    builtin("print")(
        {evaluate(x).attr("requires_grad"), evaluate.attr("__name__"), binary("*", x, Py(3)).attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(False evaluate True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, NoGradIsLeftAfterAnException) {
  const Outcome outcome = run([] {
    const Var e;
    try {
      with(torch("no_grad")(), [&](const Py&) { raise(builtin("ValueError")(Py("inside"))); });
    } catch (const Raised& raised) {
      if (matches(raised, "ValueError")) {
        e = exception_of(raised);
        builtin("print")({e, torch("is_grad_enabled")()});
      } else {
        throw;
      }
    }
    with(torch("set_grad_enabled")(Py(false)), [&](const Py&) { builtin("print")(torch("is_grad_enabled")()); });
    torch("set_grad_enabled")(Py(false));
    builtin("print")(torch("is_grad_enabled")());
  });
  EXPECT_EQ(outcome.out, R"(inside True
False
False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, InferenceMode) {
  const Outcome outcome = run([] {
    const Var attempt_, x, y;
    attempt_ = attempt();
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    with(torch("inference_mode")(), [&](const Py&) { y = Py(binary("*", x, Py(2))); });
    builtin("print")({y.attr("requires_grad"), y.attr("is_inference")()});
    attempt_({Py("use in autograd"),
              lambda({}, [=](const Locals&) -> Py { return Py(binary("*", y, x).attr("sum")().attr("backward")()); })});
    attempt_(
        {Py("in place"), lambda({}, [=](const Locals&) -> Py { return Py(y.attr("add_")(Py(1)).attr("item")()); })});
  });
  EXPECT_EQ(outcome.out, R"(False True
use in autograd: RuntimeError: Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.
in place: RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, DetachSharesMemoryAndStopsGradients) {
  const Outcome outcome = run([] {
    const Var x, d;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    d = Py(x.attr("detach")());
    builtin("print")(
        {d.attr("requires_grad"), binary("==", d.attr("data_ptr")(), x.attr("data_ptr")()), d.attr("grad_fn")});
    binary("*", x, d).attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
    d.set_item(Py(0), Py(7.0));
    builtin("print")(x.attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(False True None
2.0
7.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, DetachInPlaceAndData) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, Py(3)));
    y.attr("detach_")();
    builtin("print")({y.attr("requires_grad"), y.attr("is_leaf"), y.attr("grad_fn")});
    x.set("data", torch("tensor")(list({Py(5.0)})));
    builtin("print")({x.attr("item")(), x.attr("requires_grad"), x.attr("data").attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(False True None
5.0 True False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, RequiresGradRules) {
  const Outcome outcome = run([] {
    const Var attempt_, x, y, assign;
    attempt_ = attempt();
    x = Py(torch("ones")({Py(1), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, Py(2)));
    builtin("print")({binary("+", torch("ones")(Py(1)), x).attr("requires_grad"),
                      binary("+", torch("ones")(Py(1)), Py(1)).attr("requires_grad"), y.attr("is_leaf"),
                      x.attr("is_leaf")});
    attempt_({Py("turn off on a non-leaf"),
              lambda({}, [=](const Locals&) -> Py { return Py(y.attr("requires_grad_")(Py(false))); })});
    attempt_({Py("integers"),
              lambda({}, [=](const Locals&) -> Py { return Py(torch("arange")(Py(3)).attr("requires_grad_")()); })});
    attempt_({Py("integers in constructor"), lambda({}, [=](const Locals&) -> Py {
                return Py(torch("tensor")({list({Py(1)}), kw("requires_grad", Py(true))}));
              })});
    attempt_({Py("turn on"), lambda({}, [=](const Locals&) -> Py {
                return Py(torch("ones")(Py(1)).attr("requires_grad_")().attr("requires_grad"));
              })});
    assign = Py(def("assign", {}, [=](const Locals&) -> Py {
      y.set("requires_grad", Py(false));
      return {};
    }));
    attempt_({Py("assign"), assign});
  });
  EXPECT_EQ(outcome.out, R"(True False False True
turn off on a non-leaf: RuntimeError: you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().
integers: RuntimeError: only Tensors of floating point dtype can require gradients
integers in constructor: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
turn on: True
assign: RuntimeError: you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradFnNames) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("ones")({Py(2), Py(2), kw("requires_grad", Py(true))}));
    for (const Py& item1 : items(list({binary("+", x, Py(1)),
                                       binary("-", x, Py(1)),
                                       binary("*", x, Py(2)),
                                       binary("/", x, Py(2)),
                                       unary("-", x),
                                       binary("**", x, Py(2)),
                                       binary("@", x, x),
                                       x.attr("sum")(),
                                       x.attr("mean")(),
                                       x.attr("t")(),
                                       x.attr("reshape")(Py(4)),
                                       x.attr("view")(Py(4)),
                                       x.item(Py(0)),
                                       x.attr("relu")(),
                                       x.attr("exp")(),
                                       x.attr("clone")(),
                                       x.attr("unsqueeze")(Py(0)),
                                       torch("cat")(list({x, x})),
                                       torch("stack")(list({x, x})),
                                       x.attr("max")(),
                                       x.attr("softmax")(Py(0)),
                                       x.attr("sigmoid")(),
                                       x.attr("tanh")(),
                                       x.attr("log")(),
                                       x.attr("expand")({Py(3), Py(2), Py(2)})}))) {
      y = Py(item1);
      builtin("print")(y.attr("grad_fn").attr("name")());
    }
    builtin("print")(x.attr("grad_fn"));
  });
  EXPECT_EQ(outcome.out, R"(AddBackward0
SubBackward0
MulBackward0
DivBackward0
NegBackward0
PowBackward0
MmBackward0
SumBackward0
MeanBackward0
TBackward0
ViewBackward0
ViewBackward0
SelectBackward0
ReluBackward0
ExpBackward0
CloneBackward0
UnsqueezeBackward0
CatBackward0
StackBackward0
MaxBackward1
SoftmaxBackward0
SigmoidBackward0
TanhBackward0
LogBackward0
ExpandBackward0
None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, PrintingTensorsWithGradients) {
  const Outcome outcome = run([] {
    const Var x;
    x = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    builtin("print")(x);
    builtin("print")(binary("*", x, Py(2)));
    builtin("print")(binary("*", x, Py(2)).attr("sum")());
    builtin("print")(x.attr("detach")());
    builtin("print")(x.attr("grad"));
  });
  EXPECT_EQ(outcome.out, R"(tensor([1., 2.], requires_grad=True)
tensor([2., 4.], grad_fn=<MulBackward0>)
tensor(6., grad_fn=<SumBackward0>)
tensor([1., 2.])
None
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, InPlaceChangesANeededValue) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(x.attr("exp")());
    y.attr("add_")(Py(1));
    y.attr("sum")().attr("backward")();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error,
            "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
            "operation: [torch.FloatTensor [1]], which is output 0 of Exp, is at version 1; expected version 0 "
            "instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

TEST(Autograd, InPlaceOnANeededInput) {
  const Outcome outcome = run([] {
    const Var x, a_, b;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    a_ = Py(binary("*", x, Py(1)));
    b = Py(binary("*", a_, a_));
    a_.attr("mul_")(Py(3));
    b.attr("sum")().attr("backward")();
  });
  EXPECT_EQ(outcome.out, R"()");
  EXPECT_EQ(outcome.error,
            "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
            "operation: [torch.FloatTensor [1]], which is output 0 of Mul, is at version 1; expected version 0 "
            "instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

}  // namespace
}  // namespace nns::py
