#include "core/parallel/reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/tensor/float_formats.h"

namespace nns::tests {
namespace {

using parallel::ReduceOp;
using tensor::DType;

template <class T>
std::vector<T> reduced(DType dtype, ReduceOp op, std::vector<T> a, const std::vector<T>& b) {
  EXPECT_TRUE(check_reduction(dtype, op).ok());
  reduce_into(dtype, op, std::as_writable_bytes(std::span(a)), std::as_bytes(std::span(b)));
  return a;
}

TEST(ReduceInto, PutsItemsTogetherAsTheOperationSays) {
  const std::vector<float> a{1, -2, 3}, b{4, 5, -6};
  EXPECT_EQ(reduced<float>(DType::Float32, ReduceOp::Sum, a, b), (std::vector<float>{5, 3, -3}));
  EXPECT_EQ(reduced<float>(DType::Float32, ReduceOp::Product, a, b), (std::vector<float>{4, -10, -18}));
  EXPECT_EQ(reduced<float>(DType::Float32, ReduceOp::Min, a, b), (std::vector<float>{1, -2, -6}));
  EXPECT_EQ(reduced<float>(DType::Float32, ReduceOp::Max, a, b), (std::vector<float>{4, 5, 3}));
  EXPECT_EQ(reduced<std::int32_t>(DType::Int32, ReduceOp::BitAnd, {12, 7}, {10, 2}), (std::vector<std::int32_t>{8, 2}));
  EXPECT_EQ(reduced<std::int32_t>(DType::Int32, ReduceOp::BitOr, {12, 7}, {10, 8}),
            (std::vector<std::int32_t>{14, 15}));
  EXPECT_EQ(reduced<std::int32_t>(DType::Int32, ReduceOp::BitXor, {12, 7}, {10, 2}), (std::vector<std::int32_t>{6, 5}));
}

TEST(CombineItems, AddsEveryItemWhereverTheRowBeginsAndEnds) {
  // Around the width of all vectors, from places that no vector begins at.
  for (std::size_t count = 0; count < 150; ++count) {
    std::vector<float> left(count + 3), right(count + 1), out(count + 2, -1);
    for (std::size_t i = 0; i < count; ++i) left[i + 3] = static_cast<float>(i), right[i + 1] = 1000;
    combine_items(DType::Float32, ReduceOp::Sum, std::as_bytes(std::span(left).subspan(3)),
                  std::as_bytes(std::span(right).subspan(1)), std::as_writable_bytes(std::span(out).subspan(1, count)));
    EXPECT_EQ(out.front(), -1);
    EXPECT_EQ(out.back(), -1);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i + 1], 1000 + static_cast<float>(i)) << i << " of " << count;
  }
}

TEST(ReduceInto, WrapsIntegersAroundAndKeepsNotANumbers) {
  EXPECT_EQ(reduced<std::int8_t>(DType::Int8, ReduceOp::Sum, {127}, {1}), (std::vector<std::int8_t>{-128}));
  EXPECT_EQ(reduced<std::int64_t>(DType::Int64, ReduceOp::Product, {INT64_MAX}, {2}), (std::vector<std::int64_t>{-2}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reduced<double>(DType::Float64, ReduceOp::Max, {nan}, {1})[0]));
  EXPECT_TRUE(std::isnan(reduced<double>(DType::Float64, ReduceOp::Min, {1}, {nan})[0]));
}

TEST(ReduceInto, AddsHalvesAsFloats) {
  const std::uint16_t a = tensor::half_from_float(1.5F), b = tensor::half_from_float(2.25F);
  EXPECT_EQ(tensor::half_to_float(reduced<std::uint16_t>(DType::Float16, ReduceOp::Sum, {a}, {b})[0]), 3.75F);
  const std::uint16_t c = tensor::bfloat16_from_float(3), d = tensor::bfloat16_from_float(-1);
  EXPECT_EQ(tensor::bfloat16_to_float(reduced<std::uint16_t>(DType::BFloat16, ReduceOp::Product, {c}, {d})[0]), -3.0F);
}

TEST(CheckReduction, RefusesWhatGlooRefuses) {
  EXPECT_EQ(check_reduction(DType::Float32, ReduceOp::Avg).error().found, "Cannot use ReduceOp.AVG with Gloo");
  EXPECT_EQ(check_reduction(DType::Float32, ReduceOp::BitAnd).error().found,
            "Cannot use ReduceOp.BAND with non-integral dtype");
  EXPECT_FALSE(check_reduction(DType::Complex64, ReduceOp::Max).ok());
  EXPECT_FALSE(check_reduction(DType::Float8E5M2, ReduceOp::Sum).ok());
}

}  // namespace
}  // namespace nns::tests
