// Functions that make tensors, as Python calls them.
#include <gtest/gtest.h>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

TEST(CreationFunction, TakesSizesDtypesAndDevices) {
  EXPECT_EQ(shown([] { return torch("zeros")({2, 1}); }), "tensor([[0.],\n        [0.]])");
  EXPECT_EQ(shown([] { return torch("ones")({tuple({2}), kw("dtype", torch("int64"))}); }), "tensor([1, 1])");
  EXPECT_EQ(shown([] { return torch("full")({tuple({2}), 7}); }), "tensor([7, 7])");
  EXPECT_EQ(shown([] {
              return torch("full")({list({1}), 0.5, kw("device", "meta")}).attr("device");
            }),
            "device(type='meta')");
  EXPECT_EQ(shown([] {
              return torch("zeros_like")(torch("ones")({2, kw("dtype", torch("float64"))})).attr("dtype");
            }),
            "torch.float64");
  EXPECT_EQ(shown([] { return torch("ones")(1).attr("new_full")({tuple({2}), 3}); }), "tensor([3., 3.])");
  EXPECT_EQ(shown([] { return torch("eye")({2, 3}); }), "tensor([[1., 0., 0.],\n        [0., 1., 0.]])");
  EXPECT_EQ(shown([] {
              return torch("zeros")({2, kw("requires_grad", true)});
            }),
            "tensor([0., 0.], requires_grad=True)");
}

TEST(CreationFunction, MakesRanges) {
  EXPECT_EQ(shown([] { return torch("arange")(3); }), "tensor([0, 1, 2])");
  EXPECT_EQ(shown([] { return torch("arange")({1, 2.5, 0.5}); }), "tensor([1.0000, 1.5000, 2.0000])");
  EXPECT_EQ(shown([] { return torch("arange")({5, 0, -2}); }), "tensor([5, 3, 1])");
  EXPECT_EQ(shown([] { return torch("linspace")({0, 1, 5}); }), "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])");
  EXPECT_EQ(shown([] { return torch("logspace")({0, 2, 3}); }), "tensor([  1.,  10., 100.])");
  EXPECT_EQ(shown([] { return torch("tril_indices")({2, 2}); }), "tensor([[0, 1, 1],\n        [0, 0, 1]])");
}

TEST(CreationFunction, DrawsNothingOnMeta) {
  const Outcome outcome = run([] {
    torch("manual_seed")(0);
    const Py first = torch("rand")(1);
    torch("manual_seed")(0);
    torch("rand")({4, kw("device", "meta")});
    torch("randint")({10, tuple({3}), kw("device", "meta")});
    torch("randperm")({5, kw("device", "meta")});
    builtin("print")(torch("equal")({first, torch("rand")(1)}));
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, "True\n");
}

TEST(CreationFunctionError, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { torch("zeros")({-1}); }),
            "RuntimeError: Trying to create tensor with negative dimension -1: [-1]");
  EXPECT_EQ(error_of([] { torch("arange")({0, 3, 0}); }), "RuntimeError: step must be nonzero");
  EXPECT_EQ(error_of([] {
              torch("arange")({3, 0});
            }),
            "RuntimeError: upper bound and lower bound inconsistent with step sign");
  EXPECT_EQ(error_of([] {
              torch("ones")({2, kw("dtype", torch("int64")), kw("requires_grad", true)});
            }),
            "RuntimeError: Only Tensors of floating point and complex dtype can require gradients");
  EXPECT_EQ(error_of([] {
              torch("multinomial")({torch("ones")(2), 3});
            }),
            "RuntimeError: cannot sample n_sample > prob_dist.size(-1) samples without replacement");
}

TEST(TensorConversion, KeepsTheHistory) {
  const Outcome outcome = run([] {
    const Py x = torch("ones")({2, kw("requires_grad", true)});
    const Py y = x.attr("double")();
    builtin("print")({y.attr("dtype"), is(x.attr("to")(torch("float32")), x), x.attr("to")("cpu").attr("device")});
    y.attr("sum")().attr("backward")();
    builtin("print")(x.attr("grad").attr("dtype"));
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, "torch.float64 True cpu\ntorch.float32\n");
}

}  // namespace
}  // namespace nns::py
