// Recorded behaviour of PyTorch, topic `autograd`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Autograd, SoftmaxAndLossesGradients) {
  const Outcome outcome = run([] {
    const Var show_, x;
    show_ = show();
    x = Py(torch("tensor")(
        {list({list({Py(1.0), Py(2.0), Py(3.0)})}), kw("dtype", torch("float64")), kw("requires_grad", Py(true))}));
    imported("torch.nn.functional", "cross_entropy")({x, torch("tensor")(list({Py(0)}))}).attr("backward")();
    builtin("print")(show_(x.attr("grad")));
    x.set("grad", Py());
    binary("*", imported("torch.nn.functional", "softmax")({x, kw("dim", Py(1))}),
           torch("tensor")(list({Py(1.0), Py(0.0), Py(0.0)})))
        .attr("sum")()
        .attr("backward")();
    builtin("print")(show_(x.attr("grad")));
    x.set("grad", Py());
    imported("torch.nn.functional", "mse_loss")({x, torch("zeros")({Py(1), Py(3), kw("dtype", torch("float64"))})})
        .attr("backward")();
    builtin("print")(show_(x.attr("grad")));
  });
  EXPECT_EQ(outcome.out, R"([[-0.9100, 0.2447, 0.6652]]
[[0.0819, -0.0220, -0.0599]]
[[0.6667, 1.3333, 2.0000]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, LayernormAndBatchnormGradients) {
  const Outcome outcome = run([] {
    const Var show_, x, m, y, b;
    show_ = show();
    x = Py(torch("tensor")(
        {list({list({Py(1.0), Py(2.0), Py(4.0)})}), kw("dtype", torch("float64")), kw("requires_grad", Py(true))}));
    m = Py(nn("LayerNorm")(Py(3)).attr("double")());
    binary("*", m(x), torch("tensor")(list({Py(1.0), Py(0.0), Py(0.0)}))).attr("sum")().attr("backward")();
    builtin("print")({show_(x.attr("grad")), show_(m.attr("weight").attr("grad")), show_(m.attr("bias").attr("grad"))});
    y = Py(torch("tensor")({list({list({Py(1.0)}), list({Py(2.0)}), list({Py(4.0)})}), kw("dtype", torch("float64")),
                            kw("requires_grad", Py(true))}));
    b = Py(nn("BatchNorm1d")(Py(1)).attr("double")());
    binary("*", b(y), torch("tensor")(list({list({Py(1.0)}), list({Py(0.0)}), list({Py(0.0)})})))
        .attr("sum")()
        .attr("backward")();
    builtin("print")({show_(y.attr("grad")), show_(b.attr("weight").attr("grad")), show_(b.attr("bias").attr("grad"))});
  });
  EXPECT_EQ(outcome.out, R"([[0.2291, -0.3436, 0.1145]] [-1.0690, 0.0000, 0.0000] [1.0000, 0.0000, 0.0000]
[[0.2291], [-0.3436], [0.1145]] [-1.0690] [1.0000]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, ConvolutionGradients) {
  const Outcome outcome = run([] {
    const Var x, m;
    x = Py(torch("arange")(Py(4.0)).attr("reshape")({Py(1), Py(1), Py(4)}).attr("requires_grad_")());
    m = Py(nn("Conv1d")({Py(1), Py(1), Py(2)}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({list({Py(2.0), Py(3.0)})})})));
    });
    binary("*", m(x), torch("tensor")(list({Py(1.0), Py(10.0), Py(100.0)}))).attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), m.attr("weight").attr("grad").attr("tolist")(),
                      m.attr("bias").attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([[[2.0, 23.0, 230.0, 300.0]]] [[[210.0, 321.0]]] [111.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Autograd, MaxpoolGradientGoesToTheMaximum) {
  const Outcome outcome = run([] {
    const Var x;
    x = Py(
        torch("tensor")({list({list({list({Py(1.0), Py(3.0), Py(2.0), Py(2.0)})})}), kw("requires_grad", Py(true))}));
    nn("MaxPool1d")(Py(2))(x).attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[[0.0, 1.0, 1.0, 0.0]]]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
