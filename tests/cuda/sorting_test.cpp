// Sorted lines, items by their rank, and what is not 0, on the GPU against the CPU.
#include "core/ops/sort_keys.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

std::uint64_t bits_of(float number) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

TEST(SortKeys, StandInTheOrderOfTheItems) {
  const float nan = std::nanf("");
  const std::vector<float> rising = {-HUGE_VALF, -3.5F, -1e-40F, 0.0F, 1e-40F, 2.0F, HUGE_VALF, nan};
  for (const bool descends : {false, true}) {
    const ops::SortKeys keys = ops::SortKeys::of(DType::Float32, descends);
    for (std::size_t i = 0; i + 1 < rising.size(); ++i) {
      const std::uint64_t a = keys.key(bits_of(rising[i])), b = keys.key(bits_of(rising[i + 1]));
      EXPECT_TRUE(descends ? a > b : a < b) << rising[i];
    }
    EXPECT_EQ(keys.key(bits_of(0.0F)), keys.key(bits_of(-0.0F)));
    EXPECT_EQ(keys.key(bits_of(nan)), keys.key(bits_of(-nan)));
    EXPECT_EQ(keys.key(bits_of(nan)), keys.of_nan());
  }
  const ops::SortKeys small = ops::SortKeys::of(DType::Int8, false);
  EXPECT_LT(small.key(0x80), small.key(0xFF));
  EXPECT_LT(small.key(0xFF), small.key(0x00));
  EXPECT_LT(small.key(0x00), small.key(0x7F));
  EXPECT_LT(ops::SortKeys::of(DType::UInt8, false).key(1), ops::SortKeys::of(DType::UInt8, false).key(255));
  const ops::SortKeys whole = ops::SortKeys::of(DType::Int64, true);
  EXPECT_GT(whole.key(~std::uint64_t{0}), whole.key(0));
}

TEST(SortRanks, OfMediansLeaveOutWhatIsNoNumberWhereTheyMay) {
  const ops::SortRank median{ops::SortRank::Kind::Median}, of_numbers{ops::SortRank::Kind::MedianOfNumbers};
  EXPECT_EQ(median.of(4, 4), 1);
  EXPECT_EQ(median.of(5, 5), 2);
  EXPECT_EQ(median.of(5, 3), 3);
  EXPECT_EQ(of_numbers.of(5, 3), 1);
  EXPECT_EQ(of_numbers.of(5, 0), 0);
}

const std::vector<DType> kSorted = {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int64,
                                    DType::Int32,   DType::Int16,    DType::Int8,    DType::UInt8,   DType::Bool};

class CudaSorting : public CudaOpFixture {
 protected:
  /// With NaN, infinities and both zeros among many that are equal.
  Ref<Tensor> ties(const Dims& shape, DType dtype) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
      const std::uint32_t drawn = static_cast<std::uint32_t>(source()) % 40;
      double value = static_cast<double>(drawn % 9);
      if (tensor::is_floating(dtype)) {
        if (drawn == 39) value = std::nan("");
        if (drawn == 38) value = HUGE_VAL;
        if (drawn == 37) value = -HUGE_VAL;
        if (drawn == 36) value = -0.0;
        if (drawn % 2 == 1) value = -value;
      } else if (dtype == DType::Bool) {
        value = drawn % 2;
      }
      values.push_back(value);
    }
    return make(shape, values, dtype);
  }
};

TEST_F(CudaSorting, OfLinesAgrees) {
  for (const Dims& shape : {Dims({}), Dims({1}), Dims({7}), Dims({3, 0}), Dims({0, 3}), Dims({5, 33}), Dims({40, 3}),
                            Dims({2, 3, 64}), Dims({2, 2051})}) {
    for (const DType dtype : kSorted) {
      if (is_too_large(shape, 200) && dtype != DType::Float32 && dtype != DType::Int64) continue;
      for (const bool is_scattered : {false, true}) {
        for (const int dim : {0, -1}) {
          const Value x(layout(is_scattered, ties(shape, dtype)));
          const std::string what = name(OpId::sort, dtype, shape, is_scattered ? "scattered" : "dense");
          check(OpId::sort, {x, Value(dim), Value(is_scattered)}, what);
          const std::int64_t length = shape.size() == 0 ? 1 : dim == 0 ? shape[0] : shape[shape.size() - 1];
          check(OpId::topk, {x, Value(length / 2), Value(dim), Value(!is_scattered)}, what + " topk");
          if (length == 0) continue;
          check(OpId::mode, {x, Value(dim), Value(is_scattered)}, what + " mode");
          if (dtype == DType::Bool) continue;
          check(OpId::kthvalue, {x, Value((length + 2) / 3), Value(dim), Value(is_scattered)}, what + " kthvalue");
          check(OpId::median_dim, {x, Value(dim), Value(is_scattered)}, what + " median");
          check(OpId::nanmedian_dim, {x, Value(dim), Value(is_scattered)}, what + " nanmedian");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaSorting, OfLongLinesAgrees) {
  const bool is_emulated = gpu->name() == "emulated";
  for (const std::int64_t length : {std::int64_t{4096}, std::int64_t{100003}, std::int64_t{1} << 20}) {
    if (is_emulated && length > 200000) continue;
    for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Int64, DType::Float64}) {
      if (is_emulated && length > 10000 && dtype != DType::Float32 && dtype != DType::Int64) continue;
      for (const bool has_ties : {false, true}) {
        const Dims shape = has_ties ? Dims({length}) : Dims({2, length / 2});
        const Value x(has_ties ? ties(shape, dtype) : random(shape, dtype, -2000, 2000));
        const std::string what = name(OpId::sort, dtype, shape, has_ties ? "ties" : "");
        check(OpId::sort, {x, Value(-1), Value(has_ties)}, what);
        for (const std::int64_t k : {std::int64_t{1}, std::int64_t{50}, length / 9}) {
          check(OpId::topk, {x, Value(k), Value(-1), Value(has_ties)}, what + " topk");
          check(OpId::kthvalue, {x, Value(k)}, what + " kthvalue");
        }
        check(OpId::median, {x}, what + " median");
        check(OpId::nanmedian, {x}, what + " nanmedian");
        check(OpId::median_dim, {x, Value(-1)}, what + " median of lines");
        check(OpId::mode, {x}, what + " mode");
        if (HasFatalFailure()) return;
      }
    }
  }
  // Neighbouring lines lie beside each other.
  check(OpId::sort, {Value(random({3000, 3}, DType::Float32)), Value(0), Value(true)}, "columns");
  check(OpId::topk, {Value(random({3000, 3}, DType::Float32)), Value(5), Value(0)}, "columns");
  expect_no_fallback();
}

TEST_F(CudaSorting, MediansOfAllAgree) {
  for (const DType dtype : kFloats) {
    for (const Dims& shape : {Dims({}), Dims({0}), Dims({7, 5}), Dims({3, 999})}) {
      const Value x(layout(true, random(shape, dtype)));
      check(OpId::median, {x}, name(OpId::median, dtype, shape));
      check(OpId::nanmedian, {x}, name(OpId::nanmedian, dtype, shape));
    }
  }
  const double nan = std::nan("");
  check(OpId::median, {Value(make({4}, {3, nan, 1, nan}))}, "a NaN");
  check(OpId::nanmedian, {Value(make({4}, {3, nan, 1, nan}))}, "a NaN left out");
  check(OpId::nanmedian, {Value(make({2}, {nan, nan}))}, "nothing but NaN");
  expect_no_fallback();
}

TEST_F(CudaSorting, PlacesThatAreNotZeroAgree) {
  for (const Dims& shape : {Dims({}), Dims({1}), Dims({0, 3}), Dims({33, 65}), Dims({2, 3, 4, 5}), Dims({9001})}) {
    for (const DType dtype : kSorted) {
      for (const bool is_scattered : {false, true}) {
        check(OpId::nonzero, {Value(layout(is_scattered, ties(shape, dtype)))}, name(OpId::nonzero, dtype, shape));
        if (HasFatalFailure()) return;
      }
    }
  }
  check(OpId::nonzero, {Value(make({5}, {0, -0.0, 0, 0, 0}))}, "none");
  expect_no_fallback();
}

using CudaSortingPrograms = CudaProgramFixture;

TEST_F(CudaSortingPrograms, ChooseAndCountItemsAndHaveTheGradientsOfTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
def made(device):
    torch.manual_seed(0)
    x = torch.randn(40, 50).to(device).requires_grad_()
    n = torch.randint(0, 9, (300,)).to(device)
    loss = x.sort(0)[0].square()[3].sum() + x.topk(3)[0].sum() + x.median() + x.kthvalue(7, 1)[0].sum() + x[x > 1].square().sum()
    loss = loss + x.masked_select(x < -1).sum() + x.cummax(1)[0].square().sum() + x.logcumsumexp(0).sum() + x.quantile(0.3, dim=1).sum()
    loss.backward()
    y = torch.zeros(40, 50, device=device)
    y[x.detach() > 0.5] = 7
    found = [loss.detach(), x.grad, y, *torch.where(y > 0), y.argwhere(), n.unique(), *n.unique(return_inverse=True, return_counts=True)]
    found += [*n.unique_consecutive(return_inverse=True, return_counts=True), n.bincount(), n.bincount(torch.ones(300, device=device), minlength=20), n.msort(), n.argsort(descending=True, stable=True)]
    nans = torch.tensor([1.0, float("nan"), 1.0, float("nan"), -0.0, 0.0]).to(device)
    found += [nans.unique(), *nans.unique(return_counts=True), nans.unique_consecutive()]
    return [one.cpu() for one in found]
print([i for i, (a, b) in enumerate(zip(made("cpu"), made("cuda"))) if not torch.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True) or a.dtype != b.dtype or a.shape != b.shape])
)"),
            "[]\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
