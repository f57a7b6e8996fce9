// Functions that are made of ops, as Python calls them: norms, integrals, covariances, windows, questions about dtypes.
#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

Py made_matrix() { return torch("tensor")(list({list({1.0, -2.0}), list({3.0, 4.0})})); }
Py linalg(const char* name) { return imported("torch.linalg", name); }

TEST(LinalgNorm, IsOfAVectorOrOfAMatrix) {
  EXPECT_EQ(shown([] { return linalg("norm")(tensor_of({3.0, 4.0})); }), "tensor(5.)");
  EXPECT_EQ(shown([] { return linalg("norm")({made_matrix(), 1}); }), "tensor(6.)");
  EXPECT_EQ(shown([] { return linalg("norm")({made_matrix(), 1, kw("dim", 0)}); }), "tensor([4., 6.])");
  EXPECT_EQ(shown([] { return linalg("matrix_norm")(made_matrix()); }), "tensor(5.4772)");
  EXPECT_EQ(
      shown([] {
        return linalg("matrix_norm")({made_matrix(), std::numeric_limits<double>::infinity(), kw("keepdim", true)});
      }),
      "tensor([[7.]])");
  EXPECT_EQ(shown([] {
              return linalg("vector_norm")({made_matrix(), kw("ord", 3.0), kw("dim", tuple({1}))});
            }),
            "tensor([2.0801, 4.4979])");
  EXPECT_EQ(error_of([] {
              linalg("norm")({torch("zeros")({2, 2, 2}), 1});
            }),
            "RuntimeError: linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.");
}

TEST(MatrixPower, IsTheProductOfSoMany) {
  EXPECT_EQ(shown([] {
              return torch("matrix_power")({made_matrix(), 3});
            }),
            "tensor([[-35., -30.],\n        [ 45.,  10.]])");
  EXPECT_EQ(shown([] { return made_matrix().attr("matrix_power")(0); }), "tensor([[1., 0.],\n        [0., 1.]])");
}

TEST(Trapezoid, SumsTheAreasBetweenSamples) {
  EXPECT_EQ(shown([] { return torch("trapezoid")(tensor_of({1.0, 5.0, 10.0})); }), "tensor(10.5000)");
  EXPECT_EQ(shown([] {
              return torch("trapz")({tensor_of({1.0, 5.0, 10.0}), tensor_of({1.0, 3.0, 6.0})});
            }),
            "tensor(28.5000)");
  EXPECT_EQ(shown([] {
              return torch("cumulative_trapezoid")({tensor_of({1.0, 5.0, 10.0}), kw("dx", 2)});
            }),
            "tensor([ 6., 21.])");
}

TEST(Covariance, OfRowsWithAndWithoutWeights) {
  const auto rows = [] { return torch("tensor")(list({list({0.0, 1.0, 2.0}), list({2.0, 1.0, 0.0})})); };
  EXPECT_EQ(shown([&] { return torch("cov")(rows()); }), "tensor([[ 1., -1.],\n        [-1.,  1.]])");
  EXPECT_EQ(shown([&] { return torch("corrcoef")(rows()); }), "tensor([[ 1., -1.],\n        [-1.,  1.]])");
  // The middle one seen twice.
  EXPECT_EQ(shown([&] {
              return torch("cov")({rows(), kw("fweights", tensor_of({1, 2, 1}))});
            }),
            "tensor([[ 0.6667, -0.6667],\n        [-0.6667,  0.6667]])");
}

TEST(Window, RepeatsUnlessToldOtherwise) {
  EXPECT_EQ(shown([] { return torch("hann_window")(4); }), "tensor([0.0000, 0.5000, 1.0000, 0.5000])");
  EXPECT_EQ(shown([] {
              return torch("hann_window")({5, kw("periodic", false)});
            }),
            "tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])");
  EXPECT_EQ(shown([] { return torch("hamming_window")(2); }), "tensor([0.0800, 1.0000])");
  EXPECT_EQ(shown([] { return torch("bartlett_window")({3, false}); }), "tensor([0., 1., 0.])");
  EXPECT_EQ(shown([] { return torch("kaiser_window")({3, false, 2.0}); }), "tensor([0.4387, 1.0000, 0.4387])");
}

TEST(DtypeQuestion, IsAnsweredByTheRulesOfPromotion) {
  EXPECT_EQ(shown([] { return torch("promote_types")({torch("int32"), torch("float16")}); }), "torch.float16");
  EXPECT_EQ(shown([] { return torch("result_type")({tensor_of({1, 2}), 1.5}); }), "torch.float32");
  EXPECT_EQ(shown([] { return torch("can_cast")({torch("float32"), torch("int64")}); }), "False");
  EXPECT_EQ(shown([] { return torch("get_default_dtype")(); }), "torch.float32");
  EXPECT_EQ(shown([] { return torch("is_tensor")(3); }), "False");
  EXPECT_EQ(shown([] { return torch("broadcast_shapes")({tuple({2, 1}), tuple({3})}); }), "torch.Size([2, 3])");
  EXPECT_EQ(error_of([] {
              torch("is_nonzero")(tensor_of({1, 2}));
            }),
            "RuntimeError: Boolean value of Tensor with more than one value is ambiguous");
}

TEST(Resize, KeepsWhatIsInFront) {
  EXPECT_EQ(shown([] { return torch("arange")(6).attr("resize_")({2, 2}); }), "tensor([[0, 1],\n        [2, 3]])");
  EXPECT_EQ(shown([] { return torch("arange")(3).attr("resize_")(5).item(slice(0, 3)); }), "tensor([0, 1, 2])");
  EXPECT_EQ(error_of([] {
              torch("ones")({2, kw("requires_grad", true)}).attr("resize_")(3);
            }),
            "RuntimeError: cannot resize variables that require grad");
}

TEST(FillDiagonal, MayBeginAgainBelow) {
  EXPECT_EQ(shown([] {
              return torch("zeros")({4, 2}).attr("fill_diagonal_")({1, kw("wrap", true)});
            }),
            "tensor([[1., 0.],\n        [0., 1.],\n        [0., 0.],\n        [1., 0.]])");
}

TEST(OneBound, OfClampAlone) {
  EXPECT_EQ(shown([] { return tensor_of({-1.0, 2.0}).attr("clamp_min")(0); }), "tensor([0., 2.])");
  EXPECT_EQ(shown([] { return tensor_of({-1.0, 2.0}).attr("clamp_max_")(kw("max", 1)); }), "tensor([-1.,  1.])");
}

TEST(IsIn, ComparesWithEveryItem) {
  EXPECT_EQ(shown([] {
              return torch("isin")({tensor_of({1, 2, 3}), tensor_of({2, 3, 5})});
            }),
            "tensor([False,  True,  True])");
  EXPECT_EQ(shown([] {
              return torch("isin")({tensor_of({1, 2, 3}), 2, kw("invert", true)});
            }),
            "tensor([ True, False,  True])");
}

}  // namespace
}  // namespace nns::py
