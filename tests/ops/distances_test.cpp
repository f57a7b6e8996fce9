// cdist and the primitives of weight_norm against plain loops, and their errors.
#include <cmath>
#include <limits>

#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

class Distances : public OpFixture {
 public:
  double norm_of(const Numbers& parts, double p) {
    double sum = 0;
    for (const double part : parts) {
      if (p == 0)
        sum += part != 0 ? 1 : 0;
      else if (std::isinf(p))
        sum = std::max(sum, std::abs(part));
      else
        sum += std::pow(std::abs(part), p);
    }
    return p == 0 || std::isinf(p) ? sum : std::pow(sum, 1 / p);
  }
};

TEST_F(Distances, CdistIsTheNormOfEveryDifference) {
  const Ref<Tensor> a = whole_numbers(Dims({3, 4}), 1, DType::Float64),
                    b = whole_numbers(Dims({5, 4}), 2, DType::Float64);
  const Numbers x = items(*a), y = items(*b);
  for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    const Numbers got = items(OpId::cdist, {Value(a), Value(b), Value(p)});
    ASSERT_EQ(got.size(), 15U);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        Numbers parts;
        for (std::size_t k = 0; k < 4; ++k) parts.push_back(x[4 * i + k] - y[4 * j + k]);
        EXPECT_NEAR(got[5 * i + j], norm_of(parts, p), 1e-12) << p;
      }
    }
  }
}

TEST_F(Distances, CdistBroadcastsBatches) {
  const Ref<Tensor> a = whole_numbers(Dims({2, 1, 3, 2}), 1), b = whole_numbers(Dims({4, 5, 2}), 2);
  EXPECT_EQ(made(OpId::cdist, {Value(a), Value(b)})->shape(), Dims({2, 4, 3, 5}));
}

TEST_F(Distances, CdistRefusesWhatHasNoDistance) {
  const Value rows(whole_numbers(Dims({3, 4}), 1));
  EXPECT_EQ(error(OpId::cdist, {rows, Value(whole_numbers(Dims({4}), 1))}),
            "RuntimeError: cdist only supports at least 2D tensors, X2 got: 1D");
  EXPECT_EQ(error(OpId::cdist, {rows, Value(whole_numbers(Dims({3, 5}), 1))}),
            "RuntimeError: X1 and X2 must have the same number of columns. X1: 4 X2: 5");
  EXPECT_EQ(error(OpId::cdist, {rows, rows, Value(-1.0)}), "RuntimeError: cdist only supports non-negative p values");
}

TEST_F(Distances, NormExceptDimKeepsOneDimension) {
  const Ref<Tensor> v = make(Dims({2, 2}), {3, 4, 6, 8});
  EXPECT_EQ(items(OpId::norm_except_dim, {Value(v), Value(2), Value(0)}), (Numbers{5, 10}));
  EXPECT_EQ(made(OpId::norm_except_dim, {Value(v), Value(2), Value(0)})->shape(), Dims({2, 1}));
  EXPECT_EQ(made(OpId::norm_except_dim, {Value(v), Value(2), Value(1)})->shape(), Dims({1, 2}));
  EXPECT_NEAR(items(OpId::norm_except_dim, {Value(v), Value(2), Value(-1)})[0], std::sqrt(125.0), 1e-6);
}

TEST_F(Distances, WeightNormHasTheLengthThatIsGiven) {
  const Ref<Tensor> v = make(Dims({2, 2}), {3, 4, 6, 8}), g = make(Dims({2, 1}), {10, 5});
  EXPECT_EQ(items(OpId::weight_norm, {Value(v), Value(g)}), (Numbers{6, 8, 3, 4}));
}

}  // namespace
}  // namespace nns::tests
