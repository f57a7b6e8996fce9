// The rarer functions as Python calls them: PyTorch's results, names of results and errors.
#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
Py square_of_six() { return torch("tensor")(list({list({3.0, 1.0, 2.0}), list({6.0, 5.0, 4.0})})); }

TEST(OrderStatistic, MedianIsTheLowerOfTheTwoInTheMiddle) {
  EXPECT_EQ(shown([] { return square_of_six().attr("median")(); }), "tensor(3.)");
  EXPECT_EQ(shown([] { return square_of_six().attr("median")(1); }),
            "torch.return_types.median(\nvalues=tensor([2., 5.]),\nindices=tensor([2, 1]))");
  EXPECT_EQ(shown([] { return torch("nanmedian")(tensor_of({1.0, kNaN, 3.0, 2.0})); }), "tensor(2.)");
  EXPECT_EQ(shown([] { return torch("median")(tensor_of({1.0, kNaN, 3.0})); }), "tensor(nan)");
}

TEST(OrderStatistic, KthvalueAndModeNameTheirPlaces) {
  EXPECT_EQ(
      shown([] {
        return torch("kthvalue")({square_of_six(), 2, kw("keepdim", true)});
      }),
      "torch.return_types.kthvalue(\nvalues=tensor([[2.],\n        [5.]]),\nindices=tensor([[2],\n        [1]]))");
  EXPECT_EQ(shown([] {
              return torch("mode")(tensor_of({2, 1, 2, 1, 3}));
            }),
            "torch.return_types.mode(\nvalues=tensor(1),\nindices=tensor(3))");
  EXPECT_EQ(error_of([] {
              torch("kthvalue")({square_of_six(), 4});
            }),
            "RuntimeError: kthvalue(): selected number k out of range for dimension 1");
}

TEST(OrderStatistic, AminmaxHasBoth) {
  EXPECT_EQ(shown([] { return square_of_six().attr("aminmax")(); }),
            "torch.return_types.aminmax(\nmin=tensor(1.),\nmax=tensor(6.))");
  EXPECT_EQ(shown([] { return square_of_six().attr("aminmax")(kw("dim", 0)).attr("max"); }), "tensor([6., 5., 4.])");
}

TEST(Quantile, MixesTheTwoNeighbours) {
  const auto of = [](const Py& q, const char* how) {
    return shown([&] { return torch("quantile")({tensor_of({1.0, 2.0, 4.0, 8.0}), q, kw("interpolation", how)}); });
  };
  EXPECT_EQ(of(0.5, "linear"), "tensor(3.)");
  EXPECT_EQ(of(0.4, "lower"), "tensor(2.)");
  EXPECT_EQ(of(0.4, "higher"), "tensor(4.)");
  EXPECT_EQ(of(0.4, "nearest"), "tensor(2.)");
  EXPECT_EQ(of(0.9, "midpoint"), "tensor(6.)");
  EXPECT_EQ(shown([] {
              return torch("quantile")({square_of_six(), tensor_of({0.0, 0.5}), kw("dim", 1), kw("keepdim", true)});
            }),
            "tensor([[[1.],\n         [4.]],\n\n        [[2.],\n         [5.]]])");
  EXPECT_EQ(error_of([] {
              torch("quantile")({square_of_six(), 1.5});
            }),
            "RuntimeError: quantile() q must be in the range [0, 1] but got 1.5");
}

TEST(Quantile, OfALineWithANanIsNanUnlessItIsLeftOut) {
  EXPECT_EQ(shown([] { return torch("quantile")({tensor_of({1.0, kNaN, 3.0}), 0.5}); }), "tensor(nan)");
  EXPECT_EQ(shown([] { return torch("nanquantile")({tensor_of({1.0, kNaN, 3.0}), 0.5}); }), "tensor(2.)");
}

TEST(Unique, GivesSortedItemsPlacesAndCounts) {
  EXPECT_EQ(
      shown([] {
        return torch("unique")({tensor_of({3, 1, 2, 1, 3}), kw("return_inverse", true), kw("return_counts", true)});
      }),
      "(tensor([1, 2, 3]), tensor([2, 0, 1, 0, 2]), tensor([2, 1, 2]))");
  EXPECT_EQ(shown([] {
              return torch("unique_consecutive")({tensor_of({1, 1, 2, 2, 3, 1}), kw("return_counts", true)});
            }),
            "(tensor([1, 2, 3, 1]), tensor([2, 2, 1, 1]))");
  EXPECT_EQ(shown([] {
              const Py rows = torch("tensor")(list({list({1, 2}), list({0, 5}), list({1, 2})}));
              return rows.attr("unique")(kw("dim", 0));
            }),
            "tensor([[0, 5],\n        [1, 2]])");
}

TEST(Searchsorted, FindsWhereNumbersBelong) {
  const auto bounds = [] { return tensor_of({1.0, 3.0, 5.0, 7.0}); };
  EXPECT_EQ(shown([&] { return torch("searchsorted")({bounds(), tensor_of({3.0, 6.0, 9.0})}); }), "tensor([1, 3, 4])");
  EXPECT_EQ(shown([&] {
              return torch("searchsorted")({bounds(), tensor_of({3.0, 6.0}), kw("side", "right")});
            }),
            "tensor([2, 3])");
  EXPECT_EQ(shown([&] {
              return torch("bucketize")({4, bounds(), kw("out_int32", true)});
            }),
            "tensor(2, dtype=torch.int32)");
  EXPECT_EQ(
      error_of([&] {
        torch("searchsorted")({bounds(), 1.0, kw("side", "left"), kw("right", true)});
      }),
      "RuntimeError: torch.searchsorted(): side and right can't be set to opposites, got side of left while right "
      "was True");
}

TEST(Counting, BincountAndHistc) {
  EXPECT_EQ(shown([] {
              return torch("bincount")({tensor_of({1, 3, 1}), kw("minlength", 6)});
            }),
            "tensor([0, 2, 0, 1, 0, 0])");
  EXPECT_EQ(shown([] {
              return torch("bincount")({tensor_of({1, 0, 1}), tensor_of({0.5, 1.0, 0.25})});
            }),
            "tensor([1.0000, 0.7500])");
  EXPECT_EQ(shown([] {
              return torch("histc")({tensor_of({1.0, 2.0, 1.0}), kw("bins", 4), kw("min", 0), kw("max", 3)});
            }),
            "tensor([0., 2., 1., 0.])");
  EXPECT_EQ(error_of([] {
              torch("bincount")(tensor_of({-1, 2}));
            }),
            "RuntimeError: bincount only supports 1-d non-negative integral inputs.");
}

TEST(Cumulative, KeepsTheLargestSoFarAndItsPlace) {
  EXPECT_EQ(shown([] {
              return torch("cummax")({tensor_of({1.0, 3.0, 2.0, 3.0}), 0});
            }),
            "torch.return_types.cummax(\nvalues=tensor([1., 3., 3., 3.]),\nindices=tensor([0, 1, 1, 3]))");
  EXPECT_EQ(shown([] {
              return torch("logcumsumexp")({tensor_of({0.0, 0.0, 0.0}), 0});
            }),
            "tensor([0.0000, 0.6931, 1.0986])");
}

TEST(ScatterReduce, PutsItemsTogetherInEachWay) {
  const auto of = [](const char* reduce, bool includes_self) {
    return shown([&] {
      return torch("scatter_reduce")({tensor_of({1.0, 2.0, 3.0}), 0, tensor_of({0, 0, 2}), tensor_of({4.0, 6.0, 5.0}),
                                      reduce, kw("include_self", includes_self)});
    });
  };
  EXPECT_EQ(of("sum", true), "tensor([11.,  2.,  8.])");
  EXPECT_EQ(of("prod", false), "tensor([24.,  2.,  5.])");
  EXPECT_EQ(of("mean", true), "tensor([3.6667, 2.0000, 4.0000])");
  EXPECT_EQ(of("amax", true), "tensor([6., 2., 5.])");
  EXPECT_EQ(of("amin", false), "tensor([4., 2., 5.])");
  EXPECT_EQ(of("median", true),
            "RuntimeError: reduce argument must be either sum, prod, mean, amax or amin, got median");
  EXPECT_EQ(shown([] {
              const Py x = tensor_of({1.0, 2.0, 3.0});
              return x.attr("index_reduce_")({0, tensor_of({0, 0}), tensor_of({4.0, 6.0}), "prod"});
            }),
            "tensor([24.,  2.,  3.])");
}

TEST(ViewScatter, WritesIntoACopy) {
  EXPECT_EQ(shown([] {
              return torch("select_scatter")({torch("zeros")({2, 2}), torch("ones")(2), 0, 1});
            }),
            "tensor([[0., 0.],\n        [1., 1.]])");
  EXPECT_EQ(shown([] {
              return torch("diagonal_scatter")({torch("zeros")({2, 3}), torch("ones")(2), 1});
            }),
            "tensor([[0., 1., 0.],\n        [0., 0., 1.]])");
  EXPECT_EQ(
      error_of([] {
        torch("slice_scatter")({torch("zeros")({2, 2}), torch("ones")(2)});
      }),
      "RuntimeError: expected src to have a size equal to the slice of self. src size = [2], slice size = [2, 2]");
}

TEST(Special, HasItsOwnNames) {
  const auto special = [](const char* name, const Py& x) {
    return shown([&] { return imported("torch.special", name)(tensor_of({x})); });
  };
  EXPECT_EQ(special("gammaln", 4.0), "tensor([1.7918])");
  EXPECT_EQ(special("psi", 1.0), "tensor([-0.5772])");
  EXPECT_EQ(special("expit", 0.0), "tensor([0.5000])");
  EXPECT_EQ(special("entr", 0.5), "tensor([0.3466])");
  EXPECT_EQ(special("ndtri", 0.975), "tensor([1.9600])");
  EXPECT_EQ(special("log_ndtr", -3.0), "tensor([-6.6077])");
  EXPECT_EQ(special("i1e", 2.0), "tensor([0.2153])");
  EXPECT_EQ(shown([] {
              return imported("torch.special", "polygamma")({1, tensor_of({1.0, 0.5})});
            }),
            "tensor([1.6449, 4.9348])");
  EXPECT_EQ(shown([] { return imported("torch.special", "zeta")({2, tensor_of({1.0})}); }), "tensor([1.6449])");
  EXPECT_EQ(error_of([] { imported("torch.special", "entr")(1.0); }),
            "TypeError: special_entr(): argument 'input' (position 1) must be Tensor, not float");
}

TEST(ComplexTensor, IsMadeOfPartsAndSeenAsThem) {
  EXPECT_EQ(shown([] {
              return torch("complex")({tensor_of({1.0, 2.0}), tensor_of({3.0, 4.0})});
            }),
            "tensor([1.+3.j, 2.+4.j])");
  EXPECT_EQ(shown([] {
              const Py z = torch("complex")({tensor_of({1.0, 2.0}), tensor_of({3.0, 4.0})});
              torch("view_as_real")(z).item(0).attr("mul_")(2);
              return z;
            }),
            "tensor([2.+6.j, 2.+4.j])");
  EXPECT_EQ(shown([] {
              return torch("complex")({tensor_of({1.5, -10.0}), tensor_of({-0.25, 4.0})});
            }),
            "tensor([  1.5000-0.2500j, -10.0000+4.0000j])");
  EXPECT_EQ(error_of([] {
              torch("complex")({tensor_of({1.0}), tensor_of({1})});
            }),
            "RuntimeError: Expected both inputs to be Half, Float or Double tensors but got Float and Long");
  EXPECT_EQ(error_of([] { torch("view_as_complex")(torch("zeros")(3)); }),
            "RuntimeError: Tensor must have a last dimension of size 2");
}

TEST(Diagonal, IsTakenOutAndPutIn) {
  EXPECT_EQ(shown([] { return torch("diag")(tensor_of({1, 2})); }), "tensor([[1, 0],\n        [0, 2]])");
  EXPECT_EQ(shown([] {
              return torch("diag_embed")({tensor_of({1, 2}), kw("offset", 1)});
            }),
            "tensor([[0, 1, 0],\n        [0, 0, 2],\n        [0, 0, 0]])");
  EXPECT_EQ(shown([] { return torch("trace")(torch("eye")(3)); }), "tensor(3.)");
  EXPECT_EQ(shown([] {
              return torch("block_diag")({tensor_of({1, 2}), torch("tensor")(list({list({3}), list({4})}))});
            }),
            "tensor([[1, 2, 0],\n        [0, 0, 3],\n        [0, 0, 4]])");
}

TEST(Pairing, GivesEveryPair) {
  EXPECT_EQ(shown([] {
              return torch("combinations")(tensor_of({1, 2, 3}));
            }),
            "tensor([[1, 2],\n        [1, 3],\n        [2, 3]])");
  EXPECT_EQ(shown([] {
              return torch("combinations")({tensor_of({1, 2}), kw("r", 2), kw("with_replacement", true)});
            }),
            "tensor([[1, 1],\n        [1, 2],\n        [2, 2]])");
  EXPECT_EQ(shown([] {
              return torch("cartesian_prod")({tensor_of({1, 2}), tensor_of({4, 5})});
            }),
            "tensor([[1, 4],\n        [1, 5],\n        [2, 4],\n        [2, 5]])");
  EXPECT_EQ(shown([] { return torch("kron")({tensor_of({1, 2}), tensor_of({1, 10})}); }), "tensor([ 1, 10,  2, 20])");
  EXPECT_EQ(shown([] { return torch("cross")({tensor_of({1, 0, 0}), tensor_of({0, 1, 0})}); }), "tensor([0, 0, 1])");
}

TEST(Variance, TakesTheOlderArgument) {
  EXPECT_EQ(shown([] { return tensor_of({1.0, 2.0, 3.0, 4.0}).attr("var")(kw("unbiased", false)); }), "tensor(1.2500)");
  EXPECT_EQ(shown([] {
              return square_of_six().attr("std")({1, kw("unbiased", false), kw("keepdim", true)});
            }),
            "tensor([[0.8165],\n        [0.8165]])");
  EXPECT_EQ(shown([] { return torch("var_mean")(tensor_of({1.0, 2.0, 3.0})); }), "(tensor(1.), tensor(2.))");
}

TEST(ElementwiseOp, KnowsRareCases) {
  EXPECT_EQ(shown([] { return torch("nan_to_num")(tensor_of({kNaN, 1.0})); }), "tensor([0., 1.])");
  EXPECT_EQ(shown([] {
              return torch("heaviside")({tensor_of({-1.0, 0.0, 2.0}), tensor_of({0.5})});
            }),
            "tensor([0.0000, 0.5000, 1.0000])");
  EXPECT_EQ(shown([] { return torch("gcd")({tensor_of({12, -18}), tensor_of({8, 12})}); }), "tensor([4, 6])");
  EXPECT_EQ(shown([] { return torch("xlogy")({0, tensor_of({0.0, kNaN})}); }), "tensor([0., nan])");
  EXPECT_EQ(shown([] {
              return torch("float_power")({tensor_of({2, 3}), 2});
            }),
            "tensor([4., 9.], dtype=torch.float64)");
  EXPECT_EQ(shown([] { return tensor_of({0.25}).attr("logit_")(); }), "tensor([-1.0986])");
}

TEST(BoundOp, SeveralResultsAreWrittenToSeveralTensors) {
  EXPECT_EQ(shown([] {
              const Py values = torch("empty")(0), places = torch("empty")({0, kw("dtype", torch("int64"))});
              torch("sort")({tensor_of({3.0, 1.0}), kw("out", tuple({values, places}))});
              return tuple({values, places});
            }),
            "(tensor([1., 3.]), tensor([1, 0]))");
}

TEST(TensorSplit, TakesPlacesOrANumberOfParts) {
  EXPECT_EQ(shown([] {
              return torch("tensor_split")({torch("arange")(5), 2});
            }),
            "(tensor([0, 1, 2]), tensor([3, 4]))");
  EXPECT_EQ(shown([] {
              return torch("tensor_split")({torch("arange")(5), tuple({1, 3})});
            }),
            "(tensor([0]), tensor([1, 2]), tensor([3, 4]))");
  EXPECT_EQ(error_of([] {
              torch("hsplit")({torch("arange")(5), 2});
            }),
            "RuntimeError: torch.hsplit attempted to split along dimension 0, but the size of the dimension 5 is not "
            "divisible by the split_size 2!");
}

TEST(GeneratorState, IsCheckedBeforeItIsTaken) {
  EXPECT_EQ(error_of([] { torch("set_rng_state")(torch("zeros")(3)); }),
            "TypeError: RNG state must be a torch.ByteTensor");
  EXPECT_EQ(
      error_of([] {
        torch("set_rng_state")(torch("zeros")({3, kw("dtype", torch("uint8"))}));
      }),
      "RuntimeError: Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size "
      "5056 but found the input RNG state size to be 3");
  const Outcome outcome = run([] {
    const Py generator = torch("Generator")();
    generator.attr("manual_seed")(5);
    torch("randn")({3, kw("generator", generator)});
    // With a number of a pair left over.
    const Py state = generator.attr("get_state")();
    const Py next = torch("randn")({3, kw("generator", generator)});
    generator.attr("set_state")(state);
    builtin("print")(torch("equal")({next, torch("randn")({3, kw("generator", generator)})}));
  });
  EXPECT_EQ(outcome.out + outcome.error, "True\n");
}

}  // namespace
}  // namespace nns::py
