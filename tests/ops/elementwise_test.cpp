// What ops give, on the dtypes, shapes and strides that they claim: PyTorch's results and PyTorch's errors.
#include <gtest/gtest.h>

#include <cmath>

#include "core/object/interpreter.h"
#include "core/ops/op.h"
#include "core/ops/promotion.h"
#include "core/ops/term.h"

namespace nns::tests {
namespace {

using object::Interpreter;
using object::Ref;
using object::Value;
using ops::OpId;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

class Ops : public testing::Test {
 public:
  Ref<Tensor> make(const Dims& shape, const std::vector<double>& values, DType dtype = DType::Float32) {
    return tensor::from_values(in, shape, values, dtype);
  }
  /// The items of what the op gives, in order.
  std::vector<double> items(OpId id, std::initializer_list<Value> args) {
    const auto made = ops::call_op(in, id, args);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? items(*made.value().as<Tensor>()) : std::vector<double>();
  }
  static std::vector<double> items(const Tensor& tensor) {
    std::vector<double> found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(tensor, place)); });
    return found;
  }
  Ref<Tensor> made(OpId id, std::initializer_list<Value> args) {
    auto result = ops::call_op(in, id, args);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return Ref<Tensor>(result.value().as<Tensor>());
  }
  std::string error(OpId id, std::initializer_list<Value> args) {
    const auto result = ops::call_op(in, id, args);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : std::string(result.error().type()) + ": " + result.error().message();
  }
  Value dims(std::initializer_list<std::int64_t> sizes) { return ops::dims_value(in, Dims(sizes)); }
  using Numbers = std::vector<double>;
  Interpreter in;
};

TEST_F(Ops, BroadcastRowsAndColumns) {
  const auto column = make(Dims({2, 1}), {10, 20});
  const auto row = make(Dims({3}), {1, 2, 3});
  EXPECT_EQ(items(OpId::add, {Value(column), Value(row)}), (Numbers{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(items(OpId::sub, {Value(row), Value(column), Value(2)}), (Numbers{-19, -18, -17, -39, -38, -37}));
}

TEST_F(Ops, ReadStridedAndReversedLayouts) {
  const auto matrix = make(Dims({2, 3}), {1, 2, 3, 4, 5, 6});
  const auto turned = tensor::transpose(*matrix, 0, 1);
  EXPECT_EQ(items(OpId::mul, {Value(turned), Value(turned)}), (Numbers{1, 16, 4, 25, 9, 36}));
  EXPECT_EQ(items(OpId::neg, {Value(tensor::select(*matrix, 1, 1))}), (Numbers{-2, -5}));
}

TEST_F(Ops, WorkOnEveryNumberOfItems) {
  for (const std::int64_t count : {0, 1, 7, 511, 512, 513, 1500}) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i % 97) - 40);
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int8,
                              DType::Int16, DType::Int32, DType::Int64}) {
      const auto x = make(Dims({count}), values, dtype);
      const std::vector<double> sum = items(OpId::add, {Value(x), Value(x)});
      ASSERT_EQ(sum.size(), values.size());
      for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], 2 * values[i]) << tensor::info(dtype).torch_name;
    }
  }
}

TEST_F(Ops, PromoteAsPyTorchDoes) {
  const auto dtype_of = [&](const Ref<Tensor>& a, const Value& b) { return made(OpId::add, {Value(a), b})->dtype(); };
  const auto ints = make(Dims({2}), {1, 2}, DType::Int32);
  const auto halves = make(Dims({2}), {1, 2}, DType::Float16);
  const auto zero_dim = make(Dims(), {1}, DType::Float64);
  EXPECT_EQ(dtype_of(ints, Value(2)), DType::Int32);
  EXPECT_EQ(dtype_of(ints, Value(2.5)), DType::Float32);
  EXPECT_EQ(dtype_of(halves, Value(2.5)), DType::Float16);
  EXPECT_EQ(dtype_of(halves, Value(zero_dim)), DType::Float16) << "a tensor without dimensions does not raise one with";
  EXPECT_EQ(dtype_of(ints, Value(zero_dim)), DType::Float64);
  EXPECT_EQ(dtype_of(make(Dims({2}), {1, 0}, DType::Bool), Value(true)), DType::Bool);
  EXPECT_EQ(ops::promote_types(in, DType::UInt8, DType::Int8).value(), DType::Int16);
  EXPECT_EQ(ops::promote_types(in, DType::BFloat16, DType::Float16).value(), DType::Float32);
  EXPECT_EQ(ops::promote_types(in, DType::Float64, DType::Complex64).value(), DType::Complex128);
  EXPECT_EQ(made(OpId::div, {Value(ints), Value(ints)})->dtype(), DType::Float32);
}

TEST_F(Ops, IntegersWrapAround) {
  EXPECT_EQ(items(OpId::add, {Value(make(Dims({1}), {127}, DType::Int8)), Value(1)}), (Numbers{-128}));
  EXPECT_EQ(items(OpId::mul, {Value(make(Dims({1}), {200}, DType::UInt8)), Value(2)}), (Numbers{144}));
}

TEST_F(Ops, DivideTowardsTheFloorAsPythonDoes) {
  const auto a = make(Dims({4}), {7, -7, 7, -7}, DType::Int64);
  const auto b = make(Dims({4}), {2, 2, -2, -2}, DType::Int64);
  EXPECT_EQ(items(OpId::floor_divide, {Value(a), Value(b)}), (Numbers{3, -4, -4, 3}));
  EXPECT_EQ(items(OpId::remainder, {Value(a), Value(b)}), (Numbers{1, 1, -1, -1}));
  EXPECT_EQ(items(OpId::fmod, {Value(a), Value(b)}), (Numbers{1, -1, 1, -1}));
  EXPECT_EQ(error(OpId::floor_divide, {Value(a), Value(0)}), "RuntimeError: ZeroDivisionError");
}

TEST_F(Ops, NanGoesThroughMaximumAndClamp) {
  const double nan = std::nan("");
  const auto x = make(Dims({3}), {1, nan, 3});
  EXPECT_TRUE(std::isnan(items(OpId::maximum, {Value(x), Value(make(Dims({3}), {2, 2, 2}))})[1]));
  EXPECT_TRUE(std::isnan(items(OpId::clamp, {Value(x), Value(0), Value(2)})[1]));
  EXPECT_TRUE(std::isnan(items(OpId::max, {Value(x)})[0]));
}

TEST_F(Ops, ReduceOverSomeDimensions) {
  const auto x = make(Dims({2, 3}), {1, 5, 3, 4, 2, 6});
  EXPECT_EQ(items(OpId::sum_dim, {Value(x), dims({0})}), (Numbers{5, 7, 9}));
  EXPECT_EQ(items(OpId::mean_dim, {Value(x), dims({-1}), Value(true)}), (Numbers{3, 4}));
  EXPECT_EQ(items(OpId::argmax, {Value(x), Value(1)}), (Numbers{1, 2}));
  EXPECT_EQ(items(OpId::argmax, {Value(tensor::transpose(*x, 0, 1))}), (Numbers{5})) << "in the order of the items";
  EXPECT_EQ(items(OpId::prod, {Value(x)}), (Numbers{720}));
  EXPECT_EQ(items(OpId::var, {Value(make(Dims({4}), {1, 2, 3, 4}, DType::Float64))}), (Numbers{5.0 / 3}));
  EXPECT_EQ(items(OpId::sum, {Value(make(Dims({0}), {}))}), (Numbers{0}));
}

TEST_F(Ops, AHundredMillionthsAddUp) {
  // One float added to a running float would stop growing at 2^24 of them.
  const auto small = make(Dims({1}), {1});
  const auto many = tensor::as_strided(*small, Dims({20'000'000}), Dims({0}), 0);
  EXPECT_EQ(items(OpId::sum, {Value(many)}), (Numbers{20'000'000}));
}

TEST_F(Ops, MultiplyMatricesBatchesAndVectors) {
  const auto a = make(Dims({2, 3}), {1, 2, 3, 4, 5, 6});
  const auto b = make(Dims({3, 2}), {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(items(OpId::matmul, {Value(a), Value(b)}), (Numbers{58, 64, 139, 154}));
  EXPECT_EQ(items(OpId::matmul, {Value(a), Value(make(Dims({3}), {1, 1, 1}))}), (Numbers{6, 15}));
  const auto batch = made(OpId::matmul, {Value(make(Dims({2, 1, 3}), {1, 2, 3, 4, 5, 6})), Value(b)});
  EXPECT_EQ(batch->shape(), Dims({2, 1, 2}));
  EXPECT_EQ(items(*batch), (Numbers{58, 64, 139, 154}));
  EXPECT_EQ(error(OpId::matmul, {Value(a), Value(a)}),
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  EXPECT_EQ(made(OpId::mm, {Value(make(Dims({2, 0}), {})), Value(make(Dims({0, 3}), {}))})->numel(), 6);
}

TEST_F(Ops, GiveShapesOnMetaWithoutBytes) {
  const auto wide = tensor::empty(in, Dims({1'000'000, 1'000'000}), DType::Float32, tensor::Device::Meta);
  const auto product = made(OpId::matmul, {Value(wide), Value(wide)});
  EXPECT_TRUE(product->is_meta());
  EXPECT_EQ(product->shape(), Dims({1'000'000, 1'000'000}));
}

TEST_F(Ops, RefuseWhatPyTorchRefuses) {
  const auto a = make(Dims({2, 3}), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error(OpId::add, {Value(a), Value(make(Dims({2}), {1, 2}))}),
            "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
  EXPECT_EQ(error(OpId::sum_dim, {Value(a), dims({2})}),
            "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  EXPECT_EQ(error(OpId::view, {Value(a), dims({4})}), "RuntimeError: shape '[4]' is invalid for input of size 6");
  EXPECT_EQ(
      error(OpId::view, {Value(tensor::transpose(*a, 0, 1)), dims({6})}),
      "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans "
      "across two contiguous subspaces). Use .reshape(...) instead.");
  EXPECT_EQ(
      error(OpId::cat, {Value(in.tuple({Value(a), Value(make(Dims({2, 2}), {1, 2, 3, 4}))}))}),
      "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor "
      "number 1 in the list.");
  EXPECT_EQ(
      error(OpId::neg, {Value(make(Dims({1}), {1}, DType::Bool))}),
      "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
      "mask, use the `~` or `logical_not()` operator instead.");
  EXPECT_EQ(error(OpId::gather, {Value(a), Value(1), Value(make(Dims({2, 1}), {0, 3}, DType::Int64))}),
            "RuntimeError: index 3 is out of bounds for dimension 1 with size 3");
}

TEST_F(Ops, AViewLooksAtTheSameBytes) {
  const auto a = make(Dims({2, 3}), {1, 2, 3, 4, 5, 6});
  const auto part = made(OpId::slice, {Value(a), Value(1), Value(0), Value(3), Value(2)});
  EXPECT_EQ(items(*part), (Numbers{1, 3, 4, 6}));
  ASSERT_TRUE(ops::call_in_place(in, OpId::mul, std::array{Value(part), Value(10)}).ok());
  EXPECT_EQ(items(*a), (Numbers{10, 2, 30, 40, 5, 60}));
  EXPECT_EQ(a->version(), 1U);
  EXPECT_EQ(error(OpId::as_strided, {Value(a), dims({4}), dims({2})}).substr(0, 26), "RuntimeError: setStorage: ");
}

TEST_F(Ops, ComplexNumbersMultiply) {
  auto z = tensor::empty(in, Dims({1}), DType::Complex64);
  reinterpret_cast<float*>(z->data())[0] = 1;
  reinterpret_cast<float*>(z->data())[1] = 2;
  const auto square = made(OpId::mul, {Value(z), Value(z)});
  EXPECT_EQ(tensor::read_complex(*square, 0), (std::complex<double>(-3, 4)));
  EXPECT_EQ(items(OpId::abs, {Value(z)})[0], static_cast<double>(std::sqrt(5.0F)));
}

}  // namespace
}  // namespace nns::tests
