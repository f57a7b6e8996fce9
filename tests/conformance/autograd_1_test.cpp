// Recorded behaviour of PyTorch, topic `autograd`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Autograd, GradientsOfReductions) {
  const Outcome outcome = run([] {
    const Var show_, x0, name, f, x;
    show_ = show();
    x0 = Py(
        torch("tensor")({list({list({Py(1.0), Py(2.0)}), list({Py(3.0), Py(5.0)})}), kw("dtype", torch("float64"))}));
    for (const Py& item1 : items(list({tuple({Py("sum"), lambda({"x"},
                                                                [=](const Locals& a) -> Py {
                                                                  const Var x_ = a[0];
                                                                  return Py(x_.attr("sum")());
                                                                })}),
                                       tuple({Py("mean"), lambda({"x"},
                                                                 [=](const Locals& a) -> Py {
                                                                   const Var x_ = a[0];
                                                                   return Py(x_.attr("mean")());
                                                                 })}),
                                       tuple({Py("prod"), lambda({"x"},
                                                                 [=](const Locals& a) -> Py {
                                                                   const Var x_ = a[0];
                                                                   return Py(x_.attr("prod")());
                                                                 })}),
                                       tuple({Py("max"), lambda({"x"},
                                                                [=](const Locals& a) -> Py {
                                                                  const Var x_ = a[0];
                                                                  return Py(x_.attr("max")());
                                                                })}),
                                       tuple({Py("min"), lambda({"x"},
                                                                [=](const Locals& a) -> Py {
                                                                  const Var x_ = a[0];
                                                                  return Py(x_.attr("min")());
                                                                })}),
                                       tuple({Py("norm"), lambda({"x"},
                                                                 [=](const Locals& a) -> Py {
                                                                   const Var x_ = a[0];
                                                                   return Py(x_.attr("norm")());
                                                                 })}),
                                       tuple({Py("var"), lambda({"x"},
                                                                [=](const Locals& a) -> Py {
                                                                  const Var x_ = a[0];
                                                                  return Py(x_.attr("var")());
                                                                })}),
                                       tuple({Py("std"), lambda({"x"},
                                                                [=](const Locals& a) -> Py {
                                                                  const Var x_ = a[0];
                                                                  return Py(x_.attr("std")());
                                                                })}),
                                       tuple({Py("amax dim"),
                                              lambda({"x"},
                                                     [=](const Locals& a) -> Py {
                                                       const Var x_ = a[0];
                                                       return Py(x_.attr("amax")(kw("dim", Py(1))).attr("sum")());
                                                     })}),
                                       tuple({Py("max dim"), lambda({"x"},
                                                                    [=](const Locals& a) -> Py {
                                                                      const Var x_ = a[0];
                                                                      return Py(x_.attr("max")(kw("dim", Py(0)))
                                                                                    .attr("values")
                                                                                    .attr("sum")());
                                                                    })}),
                                       tuple({Py("sum dim"),
                                              lambda({"x"},
                                                     [=](const Locals& a) -> Py {
                                                       const Var x_ = a[0];
                                                       return Py(binary("*", x_.attr("sum")(kw("dim", Py(0))),
                                                                        torch("tensor")(list({Py(1.0), Py(10.0)})))
                                                                     .attr("sum")());
                                                     })}),
                                       tuple({Py("logsumexp"),
                                              lambda({"x"},
                                                     [=](const Locals& a) -> Py {
                                                       const Var x_ = a[0];
                                                       return Py(x_.attr("logsumexp")(kw("dim", Py(1))).attr("sum")());
                                                     })}),
                                       tuple({Py("cumsum"), lambda({"x"}, [=](const Locals& a) -> Py {
                                                const Var x_ = a[0];
                                                return Py(x_.attr("cumsum")(kw("dim", Py(1))).attr("sum")());
                                              })})}))) {
      const std::vector<Py> parts2 = unpack(item1, 2);
      name = Py(parts2[0]);
      f = Py(parts2[1]);
      x = Py(x0.attr("clone")().attr("requires_grad_")());
      f(x).attr("backward")();
      builtin("print")({name, show_(x.attr("grad"))});
    }
  });
  EXPECT_EQ(outcome.out, R"(sum [[1.0000, 1.0000], [1.0000, 1.0000]]
mean [[0.2500, 0.2500], [0.2500, 0.2500]]
prod [[30.0000, 15.0000], [10.0000, 6.0000]]
max [[0.0000, 0.0000], [0.0000, 1.0000]]
min [[1.0000, 0.0000], [0.0000, 0.0000]]
norm [[0.1601, 0.3203], [0.4804, 0.8006]]
var [[-1.1667, -0.5000], [0.1667, 1.5000]]
std [[-0.3416, -0.1464], [0.0488, 0.4392]]
amax dim [[0.0000, 1.0000], [0.0000, 1.0000]]
max dim [[0.0000, 0.0000], [1.0000, 1.0000]]
sum dim [[1.0000, 10.0000], [1.0000, 10.0000]]
logsumexp [[0.2689, 0.7311], [0.1192, 0.8808]]
cumsum [[2.0000, 1.0000], [2.0000, 1.0000]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsOfMatrixProducts) {
  const Outcome outcome = run([] {
    const Var a_, b, v, w;
    a_ = Py(
        torch("tensor")({list({list({Py(1.0), Py(2.0)}), list({Py(3.0), Py(4.0)})}), kw("requires_grad", Py(true))}));
    b = Py(
        torch("tensor")({list({list({Py(5.0), Py(6.0)}), list({Py(7.0), Py(8.0)})}), kw("requires_grad", Py(true))}));
    binary("@", a_, b).attr("sum")().attr("backward")();
    builtin("print")({a_.attr("grad").attr("tolist")(), b.attr("grad").attr("tolist")()});
    v = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    w = Py(torch("tensor")({list({Py(3.0), Py(4.0)}), kw("requires_grad", Py(true))}));
    binary("@", v, w).attr("backward")();
    builtin("print")({v.attr("grad").attr("tolist")(), w.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([[11.0, 15.0], [11.0, 15.0]] [[4.0, 4.0], [6.0, 6.0]]
[3.0, 4.0] [1.0, 2.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsThroughBroadcasting) {
  const Outcome outcome = run([] {
    const Var a_, b, c;
    a_ = Py(torch("ones")({Py(3), Py(1), kw("requires_grad", Py(true))}));
    b = Py(torch("ones")({Py(2), kw("requires_grad", Py(true))}));
    c = Py(torch("tensor")({Py(2.0), kw("requires_grad", Py(true))}));
    binary("*", binary("*", a_, b), c).attr("sum")().attr("backward")();
    builtin("print")(
        {a_.attr("grad").attr("tolist")(), b.attr("grad").attr("tolist")(), c.attr("grad").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"([[4.0], [4.0], [4.0]] [6.0, 6.0] 6.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsThroughIndexingAndViews) {
  const Outcome outcome = run([] {
    const Var x;
    x = Py(torch("arange")(Py(6.0)).attr("reshape")({Py(2), Py(3)}).attr("requires_grad_")());
    binary("*", x.item(tuple({Py(0), slice(Py(1), Py(), Py())})), Py(2)).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
    x.set("grad", Py());
    x.item(tuple({slice(Py(), Py(), Py()), torch("tensor")(list({Py(0), Py(0), Py(2)}))}))
        .attr("sum")()
        .attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
    x.set("grad", Py());
    binary("*", x.attr("t")().attr("reshape")(Py(-1)), torch("arange")(Py(6.0))).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
    x.set("grad", Py());
    x.item(binary(">", x, Py(3))).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[0.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
[[2.0, 0.0, 1.0], [2.0, 0.0, 1.0]]
[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
[[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsThroughCatStackSplit) {
  const Outcome outcome = run([] {
    const Var a_, b, c, p, q;
    a_ = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    b = Py(torch("tensor")({list({Py(3.0)}), kw("requires_grad", Py(true))}));
    binary("*", torch("cat")(list({a_, b, a_})), torch("arange")({Py(1.0), Py(6.0)})).attr("sum")().attr("backward")();
    builtin("print")({a_.attr("grad").attr("tolist")(), b.attr("grad").attr("tolist")()});
    c = Py(torch("arange")(Py(4.0)).attr("requires_grad_")());
    const std::vector<Py> parts1 = unpack(c.attr("split")(Py(2)), 2);
    p = Py(parts1[0]);
    q = Py(parts1[1]);
    binary("*", torch("stack")(list({p, q})), torch("tensor")(list({list({Py(1.0)}), list({Py(10.0)})})))
        .attr("sum")()
        .attr("backward")();
    builtin("print")(c.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([5.0, 7.0] [3.0]
[1.0, 1.0, 10.0, 10.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsThroughWhereAndMaskedFill) {
  const Outcome outcome = run([] {
    const Var x, y, z;
    x = Py(torch("tensor")({list({Py(-1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(torch("tensor")({list({Py(10.0), Py(20.0)}), kw("requires_grad", Py(true))}));
    torch("where")({binary(">", x, Py(0)), binary("*", x, Py(3)), binary("*", y, Py(5))})
        .attr("sum")()
        .attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), y.attr("grad").attr("tolist")()});
    z = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    z.attr("masked_fill")({torch("tensor")(list({Py(true), Py(false)})), Py(0.0)}).attr("sum")().attr("backward")();
    builtin("print")(z.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([0.0, 3.0] [5.0, 0.0]
[0.0, 1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientsThroughGatherAndScatter) {
  const Outcome outcome = run([] {
    const Var x, s, out_;
    x = Py(
        torch("tensor")({list({list({Py(1.0), Py(2.0)}), list({Py(3.0), Py(4.0)})}), kw("requires_grad", Py(true))}));
    x.attr("gather")({Py(1), torch("tensor")(list({list({Py(0), Py(0)}), list({Py(1), Py(0)})}))})
        .attr("sum")()
        .attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
    s = Py(torch("tensor")({list({Py(1.0), Py(2.0), Py(3.0)}), kw("requires_grad", Py(true))}));
    out_ = Py(torch("zeros")(Py(2)).attr("scatter_add")({Py(0), torch("tensor")(list({Py(0), Py(1), Py(0)})), s}));
    binary("*", out_, torch("tensor")(list({Py(1.0), Py(10.0)}))).attr("sum")().attr("backward")();
    builtin("print")({out_.attr("tolist")(), s.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([[2.0, 0.0], [1.0, 1.0]]
[4.0, 2.0] [1.0, 10.0, 1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, GradientAccumulatesOverCalls) {
  const Outcome outcome = run([] {
    const Var x, _;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    for (const Py& item1 : items(builtin("range")(Py(3)))) {
      _ = Py(item1);
      binary("*", x, Py(5)).attr("backward")();
      builtin("print")(x.attr("grad").attr("item")());
    }
    x.attr("grad").attr("zero_")();
    binary("*", x, Py(5)).attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
    x.set("grad", Py());
    binary("*", x, x).attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(5.0
10.0
15.0
5.0
4.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, FirstGradientIsANewTensorThenAccumulatedInPlace) {
  const Outcome outcome = run([] {
    const Var x, g;
    x = Py(torch("ones")({Py(2), kw("requires_grad", Py(true))}));
    x.attr("sum")().attr("backward")();
    g = Py(x.attr("grad"));
    x.attr("sum")().attr("backward")();
    builtin("print")({is(x.attr("grad"), g), g.attr("tolist")(), g.attr("requires_grad")});
  });
  EXPECT_EQ(outcome.out, R"(True [2.0, 2.0] False
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, BackwardTwiceNeedsRetainGraph) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("*", x, x));
    y.attr("backward")(kw("retain_graph", Py(true)));
    y.attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
    y.attr("backward")();
  });
  EXPECT_EQ(outcome.out, R"(8.0
)");
  EXPECT_EQ(outcome.error,
            "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after "
            "they have already been freed). Saved intermediate values of the graph are freed when you call .backward() "
            "or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
            "if you need to access saved tensors after calling backward.");
}

TEST(Autograd, BackwardTwiceWithoutSavedTensors) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("+", x, Py(1)));
    y.attr("backward")();
    y.attr("backward")();
    builtin("print")(x.attr("grad").attr("item")());
  });
  EXPECT_EQ(outcome.out, R"(2.0
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, BackwardErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, x;
    attempt_ = attempt();
    x = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    attempt_({Py("not a scalar"),
              lambda({}, [=](const Locals&) -> Py { return Py(binary("*", x, Py(2)).attr("backward")()); })});
    attempt_({Py("no gradient needed"), lambda({}, [=](const Locals&) -> Py {
                return Py(torch("ones")(Py(1)).attr("sum")().attr("backward")());
              })});
    attempt_({Py("shape"), lambda({}, [=](const Locals&) -> Py {
                return Py(binary("*", x, Py(2)).attr("backward")(torch("ones")(Py(3))));
              })});
    attempt_({Py("number as gradient"),
              lambda({}, [=](const Locals&) -> Py { return Py(binary("*", x, Py(2)).attr("backward")(Py(1.0))); })});
    attempt_({Py("fine"), lambda({}, [=](const Locals&) -> Py {
                return Py(binary("*", x, Py(2)).attr("backward")(torch("tensor")(list({Py(1.0), Py(10.0)}))));
              })});
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(not a scalar: RuntimeError: grad can be implicitly created only for scalar outputs
no gradient needed: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
shape: RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2]).
number as gradient: TypeError: 'float' object is not iterable
fine: ok
[2.0, 20.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, BackwardWithAVector) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("tensor")({list({Py(1.0), Py(2.0)}), kw("requires_grad", Py(true))}));
    y = Py(binary("**", x, Py(2)));
    y.attr("backward")(torch("tensor")(list({Py(1.0), Py(100.0)})));
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([2.0, 400.0]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
