// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, FunctionalVersionsAgree) {
  const Outcome outcome = run([] {
    const Var show_, x, w, b;
    show_ = show();
    x = Py(torch("tensor")(list({list({Py(-1.0), Py(2.0)})})));
    const std::vector<Py> parts1 =
        unpack(tuple({torch("tensor")(list({list({Py(1.0), Py(2.0)})})), torch("tensor")(list({Py(0.5)}))}), 2);
    w = Py(parts1[0]);
    b = Py(parts1[1]);
    builtin("print")({imported("torch.nn.functional", "linear")({x, w, b}).attr("tolist")(),
                      imported("torch.nn.functional", "relu")(x).attr("tolist")(),
                      show_(imported("torch.nn.functional", "softmax")({x, kw("dim", Py(1))})),
                      show_(imported("torch.nn.functional", "gelu")(x))});
    builtin("print")(
        {imported("torch.nn.functional", "one_hot")({torch("tensor")(list({Py(0), Py(2)})), Py(3)}).attr("tolist")(),
         imported("torch.nn.functional", "pad")({x, tuple({Py(1), Py(1)})}).attr("tolist")(),
         show_(imported("torch.nn.functional", "normalize")(torch("tensor")(list({list({Py(3.0), Py(4.0)})}))))});
    builtin("print")(
        {imported("torch.nn.functional", "dropout")({x, Py(0.5), kw("training", Py(false))}).attr("tolist")(),
         show_(imported("torch.nn.functional", "mse_loss")({x, binary("*", x, Py(2))})),
         show_(imported("torch.nn.functional", "cross_entropy")({x, torch("tensor")(list({Py(1)}))}))});
    builtin("print")({show_(imported("torch.nn.functional", "layer_norm")({x, tuple({Py(2)}), kw("eps", Py(0.0))})),
                      imported("torch.nn.functional", "max_pool1d")(
                          {torch("tensor")(list({list({list({Py(1.0), Py(3.0), Py(2.0), Py(5.0)})})})), Py(2)})
                          .attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"([[3.5]] [[0.0, 2.0]] [[0.0474, 0.9526]] [[-0.1587, 1.9545]]
[[1, 0, 0], [0, 0, 1]] [[0.0, -1.0, 2.0, 0.0]] [[0.6000, 0.8000]]
[[-1.0, 2.0]] 2.5000 0.0486
[[-1.0000, 1.0000]] [[[3.0, 5.0]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ScaledDotProductAttention) {
  const Outcome outcome = run([] {
    const Var show_, q, v;
    show_ = show();
    q = Py(torch("zeros")({Py(1), Py(2), Py(4)}));
    v = Py(torch("arange")(Py(8.0)).attr("reshape")({Py(1), Py(2), Py(4)}));
    builtin("print")(show_(imported("torch.nn.functional", "scaled_dot_product_attention")({q, q, v})));
    builtin("print")(
        show_(imported("torch.nn.functional", "scaled_dot_product_attention")({q, q, v, kw("is_causal", Py(true))})));
  });
  EXPECT_EQ(outcome.out, R"([[[2.0000, 3.0000, 4.0000, 5.0000], [2.0000, 3.0000, 4.0000, 5.0000]]]
[[[0.0000, 1.0000, 2.0000, 3.0000], [2.0000, 3.0000, 4.0000, 5.0000]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, SmallNetworkEndToEnd) {
  const Outcome outcome = run([] {
    const Var show_, net, i, p, x, out_, loss;
    show_ = show();
    net = Py(nn("Sequential")({nn("Conv2d")({Py(1), Py(2), Py(2)}), nn("ReLU")(), nn("MaxPool2d")(Py(2)),
                               nn("Flatten")(), nn("Linear")({Py(2), Py(2)}), nn("LogSoftmax")(kw("dim", Py(1)))}));
    for (const Py& item1 : items(builtin("enumerate")(net.attr("parameters")()))) {
      const std::vector<Py> parts2 = unpack(item1, 2);
      i = Py(parts2[0]);
      p = Py(parts2[1]);
      nn_init("constant_")({p, binary("*", Py(0.1), binary("+", i, Py(1)))});
    }
    x = Py(torch("arange")(Py(9.0)).attr("reshape")({Py(1), Py(1), Py(3), Py(3)}));
    out_ = Py(net(x));
    loss = Py(nn("NLLLoss")()({out_, torch("tensor")(list({Py(1)}))}));
    loss.attr("backward")();
    builtin("print")(net);
    builtin("print")({show_(out_), show_(loss)});
    builtin("print")({show_(net.item(Py(4)).attr("bias").attr("grad")),
                      show_(net.item(Py(4)).attr("weight").attr("grad")),
                      show_(net.item(Py(0)).attr("bias").attr("grad"))});
  });
  EXPECT_EQ(outcome.out, R"(Sequential(
  (0): Conv2d(1, 2, kernel_size=(2, 2), stride=(1, 1))
  (1): ReLU()
  (2): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
  (3): Flatten(start_dim=1, end_dim=-1)
  (4): Linear(in_features=2, out_features=2, bias=True)
  (5): LogSoftmax(dim=1)
)
[[-0.6931, -0.6931]] 0.6931
[0.5000, -0.5000] [[1.3000, 1.3000], [-1.3000, -1.3000]] [0.0000, 0.0000]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, LocalResponseNormAndFold) {
  const Outcome outcome = run([] {
    const Var show_, u, cols;
    show_ = show();
    builtin("print")(
        {nn("LocalResponseNorm")(Py(2)),
         show_(nn("LocalResponseNorm")({Py(2), kw("alpha", Py(1.0)), kw("beta", Py(0.5)), kw("k", Py(0.0))})(
             torch("tensor")(list({list({list({Py(1.0)}), list({Py(1.0)})})}))))});
    u = Py(nn("Unfold")(kw("kernel_size", Py(2))));
    cols = Py(u(torch("arange")(Py(9.0)).attr("reshape")({Py(1), Py(1), Py(3), Py(3)})));
    builtin("print")({u, cols.attr("shape"), cols.item(tuple({Py(0), slice(Py(), Py()), Py(0)})).attr("tolist")()});
    builtin("print")(
        nn("Fold")({kw("output_size", tuple({Py(3), Py(3)})), kw("kernel_size", Py(2))})(cols).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0) [[[1.4142], [1.0000]]]
Unfold(kernel_size=2, dilation=1, padding=0, stride=1) torch.Size([1, 4, 4]) [0.0, 1.0, 3.0, 4.0]
[[[[0.0, 2.0, 2.0], [6.0, 16.0, 10.0], [6.0, 14.0, 8.0]]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, DtypeOfLayerOutputs) {
  const Outcome outcome = run([] {
    builtin("print")({nn("Linear")({Py(1), Py(1)})(torch("ones")({Py(1), Py(1)})).attr("dtype"),
                      nn("Linear")({Py(1), Py(1)})
                          .attr("double")()(torch("ones")({Py(1), Py(1), kw("dtype", torch("float64"))}))
                          .attr("dtype")});
    builtin("print")(
        {nn("Embedding")({Py(2), Py(1), kw("dtype", torch("float16"))})(torch("tensor")(list({Py(0)}))).attr("dtype"),
         nn("Softmax")(kw("dim", Py(0)))(torch("ones")({Py(2), kw("dtype", torch("float64"))})).attr("dtype")});
    builtin("print")(nn("MSELoss")()({torch("ones")({Py(1), kw("dtype", torch("float64"))}),
                                      torch("ones")({Py(1), kw("dtype", torch("float64"))})})
                         .attr("dtype"));
  });
  EXPECT_EQ(outcome.out, R"(torch.float32 torch.float64
torch.float16 torch.float64
torch.float64
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
