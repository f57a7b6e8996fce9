// Recorded behaviour of PyTorch, topic `layers`, translated line by line.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/py.h"

namespace nns::py {
namespace {

TEST(Layers, EmbeddingErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("Embedding")({Py(4), Py(2)}));
    attempt_(
        {Py("out of range"), lambda({}, [=](const Locals&) -> Py { return Py(m(torch("tensor")(list({Py(4)})))); })});
    attempt_({Py("negative"), lambda({}, [=](const Locals&) -> Py { return Py(m(torch("tensor")(list({Py(-1)})))); })});
    attempt_({Py("float"), lambda({}, [=](const Locals&) -> Py { return Py(m(torch("tensor")(list({Py(1.0)})))); })});
    attempt_({Py("padding"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("Embedding")({Py(3), Py(2), kw("padding_idx", Py(5))}));
              })});
  });
  EXPECT_EQ(outcome.out, R"(out of range: IndexError: index out of range in self
negative: IndexError: index out of range in self
float: RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)
padding: AssertionError: Padding_idx must be within num_embeddings
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, EmbeddingPaddingGetsNoGradient) {
  const Outcome outcome = run([] {
    const Var m;
    m = Py(nn("Embedding")({Py(3), Py(1), kw("padding_idx", Py(1))}));
    nn_init("constant_")({m.attr("weight"), Py(2.0)});
    m(torch("tensor")(list({Py(0), Py(1), Py(1), Py(2), Py(2)}))).attr("sum")().attr("backward")();
    builtin("print")(m.attr("weight").attr("grad").attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"([[1.0], [0.0], [2.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, EmbeddingBag) {
  const Outcome outcome = run([] {
    const Var m, mean;
    m = Py(nn("EmbeddingBag")({Py(3), Py(1), kw("mode", Py("sum"))}));
    with(torch("no_grad")(), [&](const Py&) {
      m.attr("weight").attr("copy_")(torch("tensor")(list({list({Py(1.0)}), list({Py(2.0)}), list({Py(4.0)})})));
    });
    builtin("print")(m);
    builtin("print")(m({torch("tensor")(list({Py(0), Py(1), Py(2), Py(2)})), torch("tensor")(list({Py(0), Py(2)}))})
                         .attr("tolist")());
    mean = Py(nn("EmbeddingBag").attr("from_pretrained")({m.attr("weight").attr("detach")(), kw("mode", Py("mean"))}));
    builtin("print")(mean(torch("tensor")(list({list({Py(0), Py(2)}), list({Py(1), Py(1)})}))).attr("tolist")());
  });
  EXPECT_EQ(outcome.out, R"(EmbeddingBag(3, 1, mode='sum')
[[3.0], [8.0]]
[[2.5], [2.0]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, LayernormErrors) {
  const Outcome outcome = run([] {
    const Var attempt_, m;
    attempt_ = attempt();
    m = Py(nn("LayerNorm")(tuple({Py(2), Py(3)})));
    attempt_({Py("shape"), lambda({}, [=](const Locals&) -> Py {
                return Py(m(torch("ones")({Py(1), Py(3), Py(2)})));
              })});
    attempt_({Py("fine"), lambda({}, [=](const Locals&) -> Py {
                return Py(builtin("tuple")(m(torch("ones")({Py(5), Py(2), Py(3)})).attr("shape")));
              })});
  });
  EXPECT_EQ(
      outcome.out,
      R"(shape: RuntimeError: Given normalized_shape=[2, 3], expected input with shape [*, 2, 3], but got input of size[1, 3, 2]
fine: (5, 2, 3)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, Rmsnorm) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show();
    m = Py(nn("RMSNorm")({Py(3), kw("eps", Py(0.0))}));
    builtin("print")({m, nn("RMSNorm")(tuple({Py(2), Py(2)})), comprehension([&](std::vector<Value>& values1) {
                        for (const Py& item2 : items(m.attr("named_parameters")())) {
                          const Var n, _;
                          const std::vector<Py> parts3 = unpack(item2, 2);
                          n = Py(parts3[0]);
                          _ = Py(parts3[1]);
                          values1.push_back(Py(n).value());
                        }
                      })});
    builtin("print")(
        show_(m(torch("tensor")(list({list({Py(1.0), Py(2.0), Py(2.0)}), list({Py(3.0), Py(0.0), Py(4.0)})})))));
  });
  EXPECT_EQ(
      outcome.out,
      R"(RMSNorm((3,), eps=0.0, elementwise_affine=True) RMSNorm((2, 2), eps=None, elementwise_affine=True) ['weight']
[[0.5774, 1.1547, 1.1547], [1.0392, 0.0000, 1.3856]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, Groupnorm) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show();
    m = Py(nn("GroupNorm")({Py(2), Py(4), kw("eps", Py(0.0))}));
    builtin("print")({m, comprehension([&](std::vector<Value>& values1) {
                        for (const Py& item2 : items(m.attr("named_parameters")())) {
                          const Var n, p;
                          const std::vector<Py> parts3 = unpack(item2, 2);
                          n = Py(parts3[0]);
                          p = Py(parts3[1]);
                          values1.push_back(Py(tuple({n, builtin("tuple")(p.attr("shape"))})).value());
                        }
                      })});
    builtin("print")(show_(m(torch("tensor")(list({list({Py(1.0), Py(3.0), Py(10.0), Py(30.0)})})))));
  });
  EXPECT_EQ(outcome.out, R"(GroupNorm(2, 4, eps=0.0, affine=True, bias=True) [('weight', (4,)), ('bias', (4,))]
[[-1.0000, 1.0000, -1.0000, 1.0000]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, GroupnormAndInstanceNormErrors) {
  const Outcome outcome = run([] {
    const Var attempt_;
    attempt_ = attempt();
    attempt_({Py("groups"), lambda({}, [=](const Locals&) -> Py { return Py(nn("GroupNorm")({Py(3), Py(4)})); })});
    attempt_({Py("channels"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("GroupNorm")({Py(2), Py(4)})(torch("ones")({Py(1), Py(6)})));
              })});
    attempt_({Py("one value"), lambda({}, [=](const Locals&) -> Py {
                return Py(nn("InstanceNorm1d")(Py(2))(torch("ones")({Py(1), Py(2), Py(1)})));
              })});
    builtin("print")({nn("InstanceNorm2d")(Py(3)), builtin("list")(nn("InstanceNorm2d")(Py(3)).attr("state_dict")())});
    builtin("print")(
        {nn("InstanceNorm1d")({Py(3), kw("affine", Py(true)), kw("track_running_stats", Py(true))}),
         builtin("list")(nn("InstanceNorm1d")({Py(3), kw("affine", Py(true)), kw("track_running_stats", Py(true))})
                             .attr("state_dict")())});
  });
  EXPECT_EQ(outcome.out, R"(groups: ValueError: num_channels (4) must be divisible by num_groups (3)
channels: RuntimeError: Expected weight to be a vector of size equal to the number of channels in input, but got weight of shape [4] and input of shape [1, 6]
one value: ValueError: Expected more than 1 spatial element when training, got input size torch.Size([1, 2, 1])
InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False) []
InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True) ['weight', 'bias', 'running_mean', 'running_var', 'num_batches_tracked']
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, InstanceNormValues) {
  const Outcome outcome = run([] {
    const Var show_, x;
    show_ = show();
    x = Py(torch("tensor")(list({list({list({Py(1.0), Py(3.0)}), list({Py(10.0), Py(30.0)})})})));
    builtin("print")(show_(nn("InstanceNorm1d")({Py(2), kw("eps", Py(0.0))})(x)));
  });
  EXPECT_EQ(outcome.out, R"([[[-1.0000, 1.0000], [-1.0000, 1.0000]]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BatchnormTrainingUpdatesRunningStatistics) {
  const Outcome outcome = run([] {
    const Var show_, m, x;
    show_ = show();
    m = Py(nn("BatchNorm1d")(Py(2)));
    x = Py(torch("tensor")(list({list({Py(1.0), Py(10.0)}), list({Py(3.0), Py(30.0)})})));
    builtin("print")(
        {show_(m.attr("running_mean")), show_(m.attr("running_var")), m.attr("num_batches_tracked").attr("item")()});
    builtin("print")(show_(m(x)));
    builtin("print")(
        {show_(m.attr("running_mean")), show_(m.attr("running_var")), m.attr("num_batches_tracked").attr("item")()});
    m(x);
    builtin("print")(
        {show_(m.attr("running_mean")), show_(m.attr("running_var")), m.attr("num_batches_tracked").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"([0.0000, 0.0000] [1.0000, 1.0000] 0
[[-1.0000, -1.0000], [1.0000, 1.0000]]
[0.2000, 2.0000] [1.1000, 20.9000] 1
[0.3800, 3.8000] [1.1900, 38.8100] 2
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BatchnormWithoutRunningStatistics) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show();
    m = Py(nn("BatchNorm1d")({Py(1), kw("track_running_stats", Py(false))}).attr("eval")());
    builtin("print")(
        {m, builtin("list")(m.attr("state_dict")()), m.attr("running_mean"), m.attr("num_batches_tracked")});
    builtin("print")(show_(m(torch("tensor")(list({list({Py(1.0)}), list({Py(3.0)})})))));
  });
  EXPECT_EQ(
      outcome.out,
      R"(BatchNorm1d(1, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=False) ['weight', 'bias'] None None
[[-1.0000], [1.0000]]
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BatchnormCumulativeAverage) {
  const Outcome outcome = run([] {
    const Var show_, m, v;
    show_ = show();
    m = Py(nn("BatchNorm1d")({Py(1), kw("momentum", Py())}));
    for (const Py& item1 : items(list({Py(1.0), Py(2.0), Py(6.0)}))) {
      v = Py(item1);
      m(torch("full")({tuple({Py(2), Py(1)}), v}));
      builtin("print")({show_(m.attr("running_mean")), m.attr("num_batches_tracked").attr("item")()});
    }
    builtin("print")(m);
  });
  EXPECT_EQ(outcome.out, R"([1.0000] 1
[1.5000] 2
[3.0000] 3
BatchNorm1d(1, eps=1e-05, momentum=None, affine=True, bias=True, track_running_stats=True)
)");
  EXPECT_EQ(outcome.error, "");
}

TEST(Layers, BatchnormMomentumAndUnbiasedVariance) {
  const Outcome outcome = run([] {
    const Var show_, m;
    show_ = show();
    m = Py(nn("BatchNorm1d")({Py(1), kw("momentum", Py(1.0))}));
    m(torch("tensor")(list({list({Py(0.0)}), list({Py(2.0)}), list({Py(4.0)})})));
    builtin("print")({show_(m.attr("running_mean")), show_(m.attr("running_var"))});
    m.attr("reset_running_stats")();
    builtin("print")(
        {show_(m.attr("running_mean")), show_(m.attr("running_var")), m.attr("num_batches_tracked").attr("item")()});
  });
  EXPECT_EQ(outcome.out, R"([2.0000] [4.0000]
[0.0000] [1.0000] 0
)");
  EXPECT_EQ(outcome.error, "");
}

}  // namespace
}  // namespace nns::py
