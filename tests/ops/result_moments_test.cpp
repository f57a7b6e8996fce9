// Moments that ops find while they write their results, against those of the results read again.
#include "core/ops/result_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

class ResultMomentsTest : public OpFixture {
 public:
  ops::ResultMoments moments;

  ResultMomentsTest() { ops::OpLibrary::of(in).result_moments = &moments; }
  ~ResultMomentsTest() override {
    ops::OpLibrary::of(in).result_moments = nullptr;
    base::set_thread_count(1);
  }

  Ref<Tensor> floats(const Dims& shape, int seed) {
    const Ref<Tensor> made = numbers(in, shape, seed, 2, -1);
    const Ref<Tensor> out = tensor::empty(in, shape, DType::Float32);
    EXPECT_TRUE(tensor::copy_items(*out, *made).ok());
    return out;
  }
  Ref<Tensor> call(OpId id, std::initializer_list<Value> args) {
    const ops::GradModeGuard no_grad(in, false);
    return ops::call_tensor_op(in, id, std::span<const Value>(args.begin(), args.size())).value();
  }
  /// Whether they were found, and if so, that they are right.
  bool are_right(const Tensor& result) {
    const ops::Moments* const found = moments.of(result);
    if (found == nullptr) return false;
    const ops::Moments want = ops::moments_of(result).value();
    EXPECT_EQ(found->count, want.count);
    EXPECT_EQ(found->nan, want.nan);
    EXPECT_EQ(found->infinite, want.infinite);
    EXPECT_EQ(found->zeros, want.zeros);
    EXPECT_EQ(found->low, want.low);
    EXPECT_EQ(found->high, want.high);
    EXPECT_NEAR(found->square, want.square, 1e-5 * want.square);
    EXPECT_NEAR(found->sum, want.sum, 1e-5 * std::sqrt(want.square * static_cast<double>(want.count)));
    return true;
  }
};

TEST_F(ResultMomentsTest, OfProductsOfAnyShapeOnAnyNumberOfThreads) {
  for (const int threads : {1, 3}) {
    base::set_thread_count(threads);
    for (const auto& [rows, depth, columns] :
         {std::array<std::int64_t, 3>{1, 5, 3}, {7, 64, 10}, {129, 700, 50}, {300, 333, 517}, {2, 2000, 4000}}) {
      const Ref<Tensor> x = floats(Dims({rows, depth}), 1), weight = floats(Dims({columns, depth}), 2);
      const Ref<Tensor> bias = floats(Dims({columns}), 3);
      EXPECT_TRUE(are_right(*call(OpId::linear, {Value(x), Value(weight), Value(bias)}))) << rows << " rows";
      EXPECT_TRUE(are_right(*call(OpId::linear, {Value(x), Value(weight)}))) << rows << " rows";
      const Ref<Tensor> batch = tensor::as_strided(*x, Dims({1, rows, depth}), Dims({0, depth, 1}), 0);
      EXPECT_TRUE(are_right(*call(OpId::linear, {Value(batch), Value(weight), Value(bias)}))) << rows << " rows";
    }
  }
  // Of nothing there is nothing to be found while it is written.
  EXPECT_EQ(moments.of(*call(OpId::mm, {Value(floats(Dims({3, 0}), 1)), Value(floats(Dims({0, 2}), 1))})), nullptr);
}

TEST_F(ResultMomentsTest, OfWhatIsWrittenItemByItem) {
  for (const int threads : {1, 3}) {
    base::set_thread_count(threads);
    for (const std::int64_t size : {1, 33, 5000, 200'001}) {
      const Ref<Tensor> x = floats(Dims({size}), 1);
      EXPECT_TRUE(are_right(*call(OpId::relu, {Value(x)}))) << size;
      EXPECT_TRUE(are_right(*call(OpId::add, {Value(x), Value(x)}))) << size;
      EXPECT_TRUE(are_right(*call(OpId::mul, {Value(x), Value(0.5)}))) << size;
    }
    // A row that is added to each of many.
    EXPECT_TRUE(are_right(*call(OpId::add, {Value(floats(Dims({70, 300}), 1)), Value(floats(Dims({300}), 2))})));
    EXPECT_TRUE(are_right(*call(OpId::layer_norm, {Value(floats(Dims({70, 300}), 1)), dims(in, {300})})));
    EXPECT_TRUE(are_right(*call(OpId::layer_norm, {Value(floats(Dims({2, 5000}), 1)), dims(in, {5000})})));
  }
}

TEST_F(ResultMomentsTest, WhatIsNotFiniteIsCounted) {
  const Ref<Tensor> x = floats(Dims({9000}), 1);
  auto* const items = reinterpret_cast<float*>(x->data());
  items[17] = std::numeric_limits<float>::quiet_NaN();
  items[4500] = -std::numeric_limits<float>::infinity();
  items[8999] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(are_right(*call(OpId::mul, {Value(x), Value(2)})));
  const Ref<Tensor> kept = call(OpId::mul, {Value(x), Value(2)});
  ASSERT_NE(moments.of(*kept), nullptr);
  EXPECT_EQ(moments.of(*kept)->nan, 1U);
  EXPECT_EQ(moments.of(*kept)->infinite, 2U);
}

TEST_F(ResultMomentsTest, OfWhatWasWrittenInPlaceOnlyByThoseThatWroteLast) {
  const ops::GradModeGuard no_grad(in, false);
  const Ref<Tensor> x = floats(Dims({4000}), 1);
  ASSERT_TRUE(ops::call_in_place(in, OpId::relu, std::array{Value(x)}).ok());
  EXPECT_TRUE(are_right(*x));
  // It computes beside and copies: what was found before is not so any more.
  ASSERT_TRUE(ops::call_in_place(in, OpId::cumsum, std::array{Value(x), Value(0)}).ok());
  EXPECT_EQ(moments.of(*x), nullptr);
  // A part is not the whole.
  const Ref<Tensor> part = tensor::as_strided(*x, Dims({1000}), Dims({1}), 1000);
  ASSERT_TRUE(ops::call_in_place(in, OpId::relu, std::array{Value(part)}).ok());
  EXPECT_TRUE(are_right(*part));
  EXPECT_EQ(moments.of(*x), nullptr);
  // Another dtype, and what lies in another order, is not told of.
  EXPECT_EQ(moments.of(*call(OpId::relu, {Value(numbers(in, Dims({300}), 1))})), nullptr);
}

}  // namespace
}  // namespace nns::tests
