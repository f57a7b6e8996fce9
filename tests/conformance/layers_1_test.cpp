// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, LinearShapesNamesAndRepr) {
  const Outcome outcome = run([] {
    const Var m, shape;
    m = Py(nn("Linear")({Py(3), Py(5)}));
    builtin("print")({m, nn("Linear")({Py(3), Py(5), kw("bias", Py(false))})});
    builtin("print")(comprehension([&](std::vector<Value>& values1) {
      for (const Py& item2 : items(m.attr("named_parameters")())) {
        const Var n, p;
        const std::vector<Py> parts3 = unpack(item2, 2);
        n = Py(parts3[0]);
        p = Py(parts3[1]);
        values1.push_back(Py(tuple({n, builtin("tuple")(p.attr("shape"))})).value());
      }
    }));
    for (const Py& item4 :
         items(list({tuple({Py(3)}), tuple({Py(2), Py(3)}), tuple({Py(4), Py(2), Py(3)}), tuple({Py(0), Py(3)})}))) {
      shape = Py(item4);
      builtin("print")({shape, builtin("tuple")(m(torch("ones")(shape)).attr("shape"))});
    }
  });
  EXPECT_EQ(outcome.out,
            R"(Linear(in_features=3, out_features=5, bias=True) Linear(in_features=3, out_features=5, bias=False)
[('weight', (5, 3)), ('bias', (5,))]
(3,) (5,)
(2, 3) (2, 5)
(4, 2, 3) (4, 2, 5)
(0, 3) (0, 5)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, LinearKnownValues) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Linear")({Py(2), Py(2)}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(1.0), Py(2.0)}), list({Py(3.0), Py(4.0)})})));
      m.attr("bias").attr("copy_")(torch("tensor")(list({Py(0.5), Py(-0.5)})));
    });
    builtin("print")(m(torch("tensor")(list({list({Py(1.0), Py(1.0)}), list({Py(2.0), Py(0.0)})}))).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[3.5, 6.5], [2.5, 5.5]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, LinearWithZeroFeatures) {
  const Outcome outcome = run([] {
    const Var m;
    warnings("simplefilter")(Py("ignore"));
    m = Py(nn("Linear")({Py(0), Py(2)}));
    nn_init("zeros_")(m.attr("bias"));
    builtin("print")({m.attr("weight").attr("shape"), m(torch("ones")({Py(3), Py(0)})).attr("tolist")()});
  });
  EXPECT_EQ(outcome.out, R"(torch.Size([2, 0]) [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, Bilinear) {
  const Outcome outcome = run([] {
    const Var m, p;
    m = Py(nn("Bilinear")({Py(2), Py(3), Py(1)}));
    for (const Py& item1 : items(m.attr("parameters")())) {
      p = Py(item1);
      nn_init("constant_")({p, Py(1.0)});
    }
    builtin("print")({m, comprehension([&](std::vector<Value>& values2) {
                        for (const Py& item3 : items(m.attr("named_parameters")())) {
                          const Var n, p_;
                          const std::vector<Py> parts4 = unpack(item3, 2);
                          n = Py(parts4[0]);
                          p_ = Py(parts4[1]);
                          values2.push_back(Py(tuple({n, builtin("tuple")(p_.attr("shape"))})).value());
                        }
                      })});
    builtin("print")(m({torch("tensor")(list({list({Py(1.0), Py(2.0)})})),
                        torch("tensor")(list({list({Py(1.0), Py(2.0), Py(3.0)})}))})
                         .attr("tolist")());
  });
  EXPECT_EQ(
      outcome.out,
      R"(Bilinear(in1_features=2, in2_features=3, out_features=1, bias=True) [('weight', (1, 2, 3)), ('bias', (1,))]
[[19.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, IdentityAndFlatten) {
  const Outcome outcome = run([] {
    const Var m, f, u;
    m = Py(nn("Identity")({Py(54), kw("anything", Py(true))}));
    builtin("print")({m, m(Py(5)), m(Py("x"))});
    f = Py(nn("Flatten")());
    builtin("print")({f, f(torch("ones")({Py(2), Py(3), Py(4)})).attr("shape"),
                      nn("Flatten")(Py(0))(torch("ones")({Py(2), Py(3)})).attr("shape"),
                      nn("Flatten")({Py(1), Py(2)})(torch("ones")({Py(2), Py(3), Py(4), Py(5)})).attr("shape")});
    u = Py(nn("Unflatten")({Py(1), tuple({Py(2), Py(3)})}));
    builtin("print")({u, u(torch("ones")({Py(4), Py(6)})).attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"(Identity() 5 x
Flatten(start_dim=1, end_dim=-1) torch.Size([2, 12]) torch.Size([6]) torch.Size([2, 12, 5])
Unflatten(dim=1, unflattened_size=(2, 3)) torch.Size([4, 2, 3])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, Conv1d) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Conv1d")({Py(1), Py(1), Py(3), kw("bias", Py(false))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({list({Py(1.0), Py(0.0), Py(-1.0)})})})));
    });
    builtin("print")({m, m.attr("weight").attr("shape")});
    builtin("print")(
        m(torch("tensor")(list({list({list({Py(1.0), Py(2.0), Py(4.0), Py(8.0), Py(16.0)})})}))).attr("tolist")());
    builtin("print")(nn("Conv1d")({Py(2), Py(4), Py(3), kw("stride", Py(2)), kw("padding", Py(1)),
                                   kw("dilation", Py(2)), kw("groups", Py(2))})(torch("ones")({Py(1), Py(2), Py(9)}))
                         .attr("shape"));
  });
  EXPECT_EQ(outcome.out, R"(Conv1d(1, 1, kernel_size=(3,), stride=(1,), bias=False) torch.Size([1, 1, 3])
[[[-3.0, -6.0, -12.0]]]
torch.Size([1, 4, 4])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, Conv2dKnownValues) {
  const Outcome outcome = run([] {
    const Var m, x;
    m = Py(nn("Conv2d")({Py(1), Py(1), Py(2)}));
    nn_init("ones_")(m.attr("weight"));
    nn_init("constant_")({m.attr("bias"), Py(0.5)});
    x = Py(torch("arange")(Py(9.0)).attr("reshape")({Py(1), Py(1), Py(3), Py(3)}));
    builtin("print")(m(x).attr("tolist")());
    builtin("print")(
        nn("Conv2d")({Py(1), Py(1), Py(2), kw("padding", Py(1)), kw("bias", Py(false))}).attr("weight").attr("shape"));
  });
  EXPECT_EQ(outcome.out, R"([[[[8.5, 12.5], [20.5, 24.5]]]]
torch.Size([1, 1, 2, 2])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ConvReprs) {
  const Outcome outcome = run([] {
    builtin("print")(nn("Conv2d")({Py(3), Py(8), Py(3)}));
    builtin("print")(nn("Conv2d")({Py(3), Py(8), tuple({Py(3), Py(5)}), kw("stride", Py(2)), kw("padding", Py(1)),
                                   kw("dilation", Py(2)), kw("groups", Py(1)), kw("bias", Py(false))}));
    builtin("print")(nn("Conv2d")({Py(4), Py(8), Py(1), kw("groups", Py(4)), kw("padding_mode", Py("reflect"))}));
    builtin("print")(nn("Conv2d")({Py(4), Py(8), Py(3), kw("padding", Py("same"))}));
    builtin("print")(nn("Conv3d")({Py(1), Py(2), Py(3)}));
    builtin("print")(nn("ConvTranspose2d")({Py(4), Py(2), Py(2), kw("stride", Py(2)), kw("output_padding", Py(1))}));
    builtin("print")(nn("ConvTranspose1d")({Py(4), Py(2), Py(2), kw("bias", Py(false))}));
  });
  EXPECT_EQ(outcome.out, R"(Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))
Conv2d(3, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False)
Conv2d(4, 8, kernel_size=(1, 1), stride=(1, 1), groups=4, padding_mode=reflect)
Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same)
Conv3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1))
ConvTranspose2d(4, 2, kernel_size=(2, 2), stride=(2, 2), output_padding=(1, 1))
ConvTranspose1d(4, 2, kernel_size=(2,), stride=(1,), bias=False)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ConvOutputShapes) {
  const Outcome outcome = run([] {
    const Var x, args, m;
    x = Py(torch("ones")({Py(2), Py(4), Py(12), Py(10)}));
    for (const Py& item1 : items(list({builtin("dict")(kw("kernel_size", Py(3))),
                                       builtin("dict")({kw("kernel_size", Py(3)), kw("padding", Py(1))}),
                                       builtin("dict")({kw("kernel_size", Py(3)), kw("stride", Py(2))}),
                                       builtin("dict")(kw("kernel_size", tuple({Py(1), Py(4)}))),
                                       builtin("dict")({kw("kernel_size", Py(3)), kw("dilation", Py(3))}),
                                       builtin("dict")({kw("kernel_size", Py(3)), kw("groups", Py(2))}),
                                       builtin("dict")({kw("kernel_size", Py(3)), kw("padding", Py("same"))}),
                                       builtin("dict")({kw("kernel_size", Py(2)), kw("padding", Py("valid"))})}))) {
      args = Py(item1);
      m = Py(nn("Conv2d")({Py(4), Py(6), dstar(args)}));
      builtin("print")({args, builtin("tuple")(m(x).attr("shape")), builtin("tuple")(m.attr("weight").attr("shape"))});
    }
  });
  EXPECT_EQ(outcome.out, R"({'kernel_size': 3} (2, 6, 10, 8) (6, 4, 3, 3)
{'kernel_size': 3, 'padding': 1} (2, 6, 12, 10) (6, 4, 3, 3)
{'kernel_size': 3, 'stride': 2} (2, 6, 5, 4) (6, 4, 3, 3)
{'kernel_size': (1, 4)} (2, 6, 12, 7) (6, 4, 1, 4)
{'kernel_size': 3, 'dilation': 3} (2, 6, 6, 4) (6, 4, 3, 3)
{'kernel_size': 3, 'groups': 2} (2, 6, 10, 8) (6, 2, 3, 3)
{'kernel_size': 3, 'padding': 'same'} (2, 6, 12, 10) (6, 4, 3, 3)
{'kernel_size': 2, 'padding': 'valid'} (2, 6, 11, 9) (6, 4, 2, 2)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ConvWithoutBatchDimension) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Conv2d")({Py(3), Py(2), Py(3)}));
    builtin("print")({m(torch("ones")({Py(3), Py(5), Py(5)})).attr("shape"),
                      m(torch("ones")({Py(1), Py(3), Py(5), Py(5)})).attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"(torch.Size([2, 3, 3]) torch.Size([1, 2, 3, 3])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ConvErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("Conv2d")({Py(3), Py(2), Py(3)}));
    attempt_({Py("channels"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(4), Py(5), Py(5)})));
              })});
    attempt_({Py("dimensions"), lambda({}, [=](const Locals&) -> Py { return Py(m(torch("ones")({Py(5), Py(5)}))); })});
    attempt_({Py("too small"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(3), Py(2), Py(2)})));
              })});
    attempt_({Py("groups in"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Conv2d")({Py(3), Py(4), Py(1), kw("groups", Py(2))}));
              })});
    attempt_({Py("groups out"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Conv2d")({Py(4), Py(3), Py(1), kw("groups", Py(2))}));
              })});
    attempt_({Py("groups zero"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Conv2d")({Py(4), Py(4), Py(1), kw("groups", Py(0))}));
              })});
    attempt_({Py("same with stride"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Conv2d")({Py(1), Py(1), Py(3), kw("padding", Py("same")), kw("stride", Py(2))}));
              })});
  });
  EXPECT_EQ(
      outcome.out,
      R"(channels: RuntimeError: Given groups=1, weight of size [2, 3, 3, 3], expected input[1, 4, 5, 5] to have 3 channels, but got 4 channels instead
dimensions: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [5, 5]
too small: RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be greater than actual input size
groups in: ValueError: in_channels must be divisible by groups
groups out: ValueError: out_channels must be divisible by groups
groups zero: ValueError: groups must be a positive integer
same with stride: ValueError: padding='same' is not supported for strided convolutions
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, ConvTransposeKnownValues) {
  const Outcome outcome = run([] {
    const Var m, t, x;
    m = Py(nn("ConvTranspose1d")({Py(1), Py(1), Py(2), kw("stride", Py(2)), kw("bias", Py(false))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({list({Py(1.0), Py(10.0)})})})));
    });
    builtin("print")(m(torch("tensor")(list({list({list({Py(1.0), Py(2.0), Py(3.0)})})}))).attr("tolist")());
    t = Py(nn("ConvTranspose2d")({Py(2), Py(3), Py(3), kw("stride", Py(2)), kw("padding", Py(1))}));
    x = Py(torch("ones")({Py(1), Py(2), Py(4), Py(4)}));
    builtin("print")({t.attr("weight").attr("shape"), t(x).attr("shape"),
                      t({x, kw("output_size", tuple({Py(8), Py(8)}))}).attr("shape")});
  });
  EXPECT_EQ(outcome.out, R"([[[1.0, 10.0, 2.0, 20.0, 3.0, 30.0]]]
torch.Size([2, 3, 3, 3]) torch.Size([1, 3, 7, 7]) torch.Size([1, 3, 8, 8])
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, GroupedConvolutionValues) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Conv1d")({Py(2), Py(2), Py(1), kw("groups", Py(2)), kw("bias", Py(false))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({list({Py(2.0)})}), list({list({Py(3.0)})})})));
    });
    builtin("print")(
        m(torch("tensor")(list({list({list({Py(1.0), Py(1.0)}), list({Py(1.0), Py(5.0)})})}))).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[[2.0, 2.0], [3.0, 15.0]]]
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
