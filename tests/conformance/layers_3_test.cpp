// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, BatchnormErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("BatchNorm1d")(Py(2)));
    attempt_({Py("one row in training"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(2)})));
              })});
    attempt_({Py("one row in evaluation"), lambda({}, [=](const Locals&) -> Py {
                return Py(m.attr("eval")()(torch("ones")({Py(1), Py(2)})).attr("shape"));
              })});
    attempt_({Py("dimensions"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(2), Py(3), Py(4)})));
              })});
    attempt_({Py("2d dimensions"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("BatchNorm2d")(Py(2))(torch("ones")({Py(2), Py(2)})));
              })});
    attempt_({Py("3d dimensions"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("BatchNorm3d")(Py(2))(torch("ones")({Py(2), Py(2)})));
              })});
    attempt_({Py("channels"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("BatchNorm1d")(Py(3))(torch("ones")({Py(4), Py(2)})));
              })});
    attempt_({Py("zero eps in training"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("BatchNorm1d")({Py(2), kw("eps", Py(0.0))})(torch("ones")({Py(4), Py(2)})));
              })});
    attempt_({Py("zero eps in evaluation"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("BatchNorm1d")({Py(2), kw("eps", Py(0.0))})
                              .attr("eval")()(torch("ones")({Py(1), Py(2)}))
                              .attr("tolist")());
              })});
  });
  EXPECT_EQ(
      outcome.out,
      R"(one row in training: ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 2])
one row in evaluation: torch.Size([1, 2])
dimensions: ValueError: expected 2D or 3D input (got 4D input)
2d dimensions: ValueError: expected 4D input (got 2D input)
3d dimensions: ValueError: expected 5D input (got 2D input)
channels: RuntimeError: running_mean should contain 2 elements not 3
zero eps in training: ValueError: batch_norm eps must be positive during training, but got 0.0
zero eps in evaluation: [[1.0, 1.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BatchnormForwardUnderNoGradStillUpdates) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("BatchNorm1d")(Py(1)));
    with(torch("no_grad")(), [&](const Py&) { m(torch("tensor")(list({list({Py(0.0)}), list({Py(10.0)})}))); });
    builtin("print")(Py(std::string() + format_value(m.attr("running_mean").attr("item")(), std::string() + ".4f") +
                        " " + format_value(m.attr("running_var").attr("item")(), std::string() + ".4f") + " " +
                        format_value(m.attr("num_batches_tracked").attr("item")(), "")));
  });
  EXPECT_EQ(outcome.out, R"(0.5000 5.9000 1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, DropoutScalesTheSurvivors) {
  const Outcome outcome = run([] {
    const Var x, y;
    x = Py(torch("ones")(Py(1000)));
    y = Py(nn("Dropout")(Py(0.75))(x));
    builtin("print")({builtin("sorted")(builtin("set")(y.attr("tolist")())),
                      builtin("bool")(both(binary("<", Py(150), binary(">", y, Py(0)).attr("sum")()), [&]() -> Py {
                        return binary("<", binary(">", y, Py(0)).attr("sum")(), Py(350));
                      }))});
  });
  EXPECT_EQ(outcome.out, R"([0.0, 4.0] True
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, DropoutErrors) {
  const Outcome outcome = run([] {
    const Var attempt_;
    attempt_ = attempt();
    attempt_({Py("big"), lambda({}, [=](const Locals&) -> Py { return Py(nn("Dropout")(Py(1.5))); })});
    attempt_({Py("negative"), lambda({}, [=](const Locals&) -> Py { return Py(nn("Dropout")(Py(-0.1))); })});
  });
  EXPECT_EQ(outcome.out, R"(big: ValueError: dropout probability has to be between 0 and 1, but got 1.5
negative: ValueError: dropout probability has to be between 0 and 1, but got -0.1
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ActivationsOnKnownPoints) {
  const Outcome outcome = run([] {
    const Var show_, x, m;
    show_ = show();
    x = Py(torch("tensor")(list({Py(-2.0), Py(-0.5), Py(0.0), Py(0.5), Py(2.0)})));
    for (const Py& item1 : items(list({nn("ReLU")(),
                                       nn("ReLU6")(),
                                       nn("LeakyReLU")(Py(0.1)),
                                       nn("ELU")(),
                                       nn("SELU")(),
                                       nn("CELU")(),
                                       nn("GELU")(),
                                       nn("GELU")(kw("approximate", Py("tanh"))),
                                       nn("SiLU")(),
                                       nn("Mish")(),
                                       nn("Tanh")(),
                                       nn("Sigmoid")(),
                                       nn("Softplus")(),
                                       nn("Softsign")(),
                                       nn("LogSigmoid")(),
                                       nn("Hardtanh")(),
                                       nn("Hardsigmoid")(),
                                       nn("Hardswish")(),
                                       nn("Tanhshrink")(),
                                       nn("Softshrink")(),
                                       nn("Hardshrink")(),
                                       nn("Threshold")({Py(0.1), Py(20.0)})}))) {
      m = Py(item1);
      builtin("print")({m, show_(m(x))});
    }
  });
  EXPECT_EQ(outcome.out, R"(ReLU() [0.0000, 0.0000, 0.0000, 0.5000, 2.0000]
ReLU6() [0.0000, 0.0000, 0.0000, 0.5000, 2.0000]
LeakyReLU(negative_slope=0.1) [-0.2000, -0.0500, 0.0000, 0.5000, 2.0000]
ELU(alpha=1.0) [-0.8647, -0.3935, 0.0000, 0.5000, 2.0000]
SELU() [-1.5202, -0.6918, 0.0000, 0.5254, 2.1014]
CELU(alpha=1.0) [-0.8647, -0.3935, 0.0000, 0.5000, 2.0000]
GELU(approximate='none') [-0.0455, -0.1543, 0.0000, 0.3457, 1.9545]
GELU(approximate='tanh') [-0.0454, -0.1543, 0.0000, 0.3457, 1.9546]
SiLU() [-0.2384, -0.1888, 0.0000, 0.3112, 1.7616]
Mish() [-0.2525, -0.2207, 0.0000, 0.3752, 1.9440]
Tanh() [-0.9640, -0.4621, 0.0000, 0.4621, 0.9640]
Sigmoid() [0.1192, 0.3775, 0.5000, 0.6225, 0.8808]
Softplus(beta=1.0, threshold=20.0) [0.1269, 0.4741, 0.6931, 0.9741, 2.1269]
Softsign() [-0.6667, -0.3333, 0.0000, 0.3333, 0.6667]
LogSigmoid() [-2.1269, -0.9741, -0.6931, -0.4741, -0.1269]
Hardtanh(min_val=-1.0, max_val=1.0) [-1.0000, -0.5000, 0.0000, 0.5000, 1.0000]
Hardsigmoid() [0.1667, 0.4167, 0.5000, 0.5833, 0.8333]
Hardswish() [-0.3333, -0.2083, 0.0000, 0.2917, 1.6667]
Tanhshrink() [-1.0360, -0.0379, 0.0000, 0.0379, 1.0360]
Softshrink(0.5) [-1.5000, 0.0000, 0.0000, 0.0000, 1.5000]
Hardshrink(0.5) [-2.0000, 0.0000, 0.0000, 0.0000, 2.0000]
Threshold(threshold=0.1, value=20.0) [20.0000, 20.0000, 20.0000, 0.5000, 2.0000]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ActivationReprs) {
  const Outcome outcome = run([] {
    const Var m;
    for (const Py& item1 : items(list(
             {nn("ReLU")(kw("inplace", Py(true))), nn("LeakyReLU")(), nn("ELU")(kw("alpha", Py(0.5))), nn("PReLU")(),
              nn("PReLU")(Py(3)), nn("Softmax")(), nn("Softmax")(kw("dim", Py(-1))), nn("LogSoftmax")(kw("dim", Py(1))),
              nn("Hardtanh")({Py(-2), Py(2)}), nn("Threshold")({Py(0.1), Py(20)}), nn("GLU")(),
              nn("Softplus")(kw("beta", Py(2))), nn("CELU")(Py(0.3)), nn("SiLU")(kw("inplace", Py(true)))}))) {
      m = Py(item1);
      builtin("print")(m);
    }
  });
  EXPECT_EQ(outcome.out, R"(ReLU(inplace=True)
LeakyReLU(negative_slope=0.01)
ELU(alpha=0.5)
PReLU(num_parameters=1)
PReLU(num_parameters=3)
Softmax(dim=None)
Softmax(dim=-1)
LogSoftmax(dim=1)
Hardtanh(min_val=-2, max_val=2)
Threshold(threshold=0.1, value=20)
GLU(dim=-1)
Softplus(beta=2, threshold=20.0)
CELU(alpha=0.3)
SiLU(inplace=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ReluInplace) {
  const Outcome outcome = run([] {
    const Var x, y, z;
    x = Py(torch("tensor")(list({Py(-1.0), Py(1.0)})));
    y = Py(nn("ReLU")(kw("inplace", Py(true)))(x));
    builtin("print")({Py(is(y, x)), x.attr("tolist")()});
    z = Py(torch("tensor")(list({Py(-1.0), Py(1.0)})));
    builtin("print")({Py(is(nn("ReLU")()(z), z)), z.attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(True [0.0, 1.0]
False [-1.0, 1.0]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, SoftmaxAndLogsoftmax) {
  const Outcome outcome = run([] {
    const Var show_, x, seen;
    show_ = show();
    x = Py(torch("tensor")(list({list({Py(0.0), Py(0.0)}), list({Py(0.0), Py(1.0)})})));
    builtin("print")({show_(nn("Softmax")(kw("dim", Py(1)))(x)), show_(nn("Softmax")(kw("dim", Py(0)))(x)),
                      show_(nn("LogSoftmax")(kw("dim", Py(1)))(x))});
    builtin("print")(show_(nn("Softmin")(kw("dim", Py(1)))(x)));
    with(warnings("catch_warnings")(kw("record", Py(true))), [&](const Py& entered1) {
      seen = Py(entered1);
      warnings("simplefilter")(Py("always"));
      nn("Softmax")()(x);
    });
    builtin("print")(builtin("str")(seen.item(Py(0)).attr("message")));
  });
  EXPECT_EQ(
      outcome.out,
      R"([[0.5000, 0.5000], [0.2689, 0.7311]] [[0.5000, 0.2689], [0.5000, 0.7311]] [[-0.6931, -0.6931], [-1.3133, -0.3133]]
[[0.5000, 0.5000], [0.7311, 0.2689]]
Implicit dimension choice for softmax has been deprecated. Change the call to include dim=X as an argument.
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, MaxPooling) {
  const Outcome outcome = run([] {
    const Var x, out_, idx;
    x = Py(torch("arange")(Py(16.0)).attr("reshape")({Py(1), Py(1), Py(4), Py(4)}));
    builtin("print")(nn("MaxPool2d")(Py(2))(x).attr("tolist")());
    builtin("print")({nn("MaxPool2d")({Py(2), kw("stride", Py(1))})(x).attr("shape"),
                      nn("MaxPool2d")({Py(3), kw("padding", Py(1))})(x).attr("tolist")()});
    const std::vector<Py> parts1 = unpack(nn("MaxPool2d")({Py(2), kw("return_indices", Py(true))})(x), 2);
    out_ = Py(parts1[0]);
    idx = Py(parts1[1]);
    builtin("print")({idx.attr("tolist")(), nn("MaxUnpool2d")(Py(2))({out_, idx}).attr("tolist")()});
    builtin("print")({nn("MaxPool2d")(Py(2)), nn("MaxPool1d")({Py(3), kw("stride", Py(2))})});
  });
  EXPECT_EQ(outcome.out, R"([[[[5.0, 7.0], [13.0, 15.0]]]]
torch.Size([1, 1, 3, 3]) [[[[5.0, 7.0], [13.0, 15.0]]]]
[[[[5, 7], [13, 15]]]] [[[[0.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 7.0], [0.0, 0.0, 0.0, 0.0], [0.0, 13.0, 0.0, 15.0]]]]
MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False) MaxPool1d(kernel_size=3, stride=2, padding=0, dilation=1, ceil_mode=False)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, AveragePooling) {
  const Outcome outcome = run([] {
    const Var show_, x;
    show_ = show();
    x = Py(torch("arange")(Py(16.0)).attr("reshape")({Py(1), Py(1), Py(4), Py(4)}));
    builtin("print")(nn("AvgPool2d")(Py(2))(x).attr("tolist")());
    builtin("print")(show_(nn("AvgPool2d")({Py(3), kw("stride", Py(2)), kw("padding", Py(1))})(x)));
    builtin("print")(show_(
        nn("AvgPool2d")({Py(3), kw("stride", Py(2)), kw("padding", Py(1)), kw("count_include_pad", Py(false))})(x)));
    builtin("print")({nn("AvgPool2d")(Py(2)), nn("AvgPool1d")({Py(2), Py(1)})});
  });
  EXPECT_EQ(outcome.out, R"([[[[2.5, 4.5], [10.5, 12.5]]]]
[[[[1.1111, 2.6667], [5.6667, 10.0000]]]]
[[[[2.5000, 4.0000], [8.5000, 10.0000]]]]
AvgPool2d(kernel_size=2, stride=2, padding=0) AvgPool1d(kernel_size=(2,), stride=(1,), padding=(0,))
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, AdaptivePooling) {
  const Outcome outcome = run([] {
    const Var x;
    x = Py(torch("arange")(Py(6.0)).attr("reshape")({Py(1), Py(1), Py(6)}));
    builtin("print")({nn("AdaptiveAvgPool1d")(Py(2))(x).attr("tolist")(),
                      nn("AdaptiveAvgPool1d")(Py(4))(x).attr("tolist")(),
                      nn("AdaptiveMaxPool1d")(Py(3))(x).attr("tolist")()});
    builtin("print")(
        {nn("AdaptiveAvgPool2d")(tuple({Py(2), Py()}))(torch("ones")({Py(1), Py(3), Py(4), Py(5)})).attr("shape"),
         nn("AdaptiveAvgPool2d")(Py(1))(torch("ones")({Py(2), Py(3), Py(4), Py(4)})).attr("shape")});
    builtin("print")({nn("AdaptiveAvgPool2d")(tuple({Py(1), Py(1)})), nn("AdaptiveAvgPool2d")(Py(3))});
  });
  EXPECT_EQ(outcome.out, R"([[[1.0, 4.0]]] [[[0.5, 1.5, 3.5, 4.5]]] [[[1.0, 3.0, 5.0]]]
torch.Size([1, 3, 2, 5]) torch.Size([2, 3, 1, 1])
AdaptiveAvgPool2d(output_size=(1, 1)) AdaptiveAvgPool2d(output_size=3)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, LpPoolAndErrors) {
  const Outcome outcome = run([] {
    const Var attempt_;
    attempt_ = attempt();
    attempt_({Py("l2"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("LPPool1d")({Py(2), Py(2)})(torch("tensor")(list({list({list({Py(3.0), Py(4.0)})})})))
                              .attr("tolist")());
              })});
    attempt_({Py("pad too big"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("MaxPool1d")({Py(2), kw("padding", Py(2))})(torch("ones")({Py(1), Py(1), Py(4)})));
              })});
    attempt_({Py("dims"),
              lambda({}, [=](const Locals&) -> Py { return Py(nn("MaxPool2d")(Py(2))(torch("ones")(Py(4)))); })});
  });
  EXPECT_EQ(outcome.out, R"(l2: [[[5.0]]]
pad too big: RuntimeError: max_pool1d() padding should be at most half of kernel size, but got padding=2 and kernel_size=2
dims: RuntimeError: non-empty 3D or 4D (batch mode) tensor expected for input
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
