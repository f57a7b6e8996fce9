#include "core/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nns::tensor {
namespace {

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for_each_place(tensor, [&](std::int64_t place) { values.push_back(read_double(tensor, place)); });
  return values;
}

TEST(TensorViews, ShareTheStorageAndKeepTheirOwnStrides) {
  Interpreter in;
  const auto base = from_values(in, {2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5});
  const auto turned = transpose(*base, 0, 1);
  EXPECT_FALSE(turned->is_contiguous());
  EXPECT_EQ(values_of(*turned), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  const auto row = select(*base, 0, 1);
  fill_(*row, 9);
  EXPECT_EQ(values_of(*base), (std::vector<double>{0, 1, 2, 9, 9, 9}));
}

TEST(TensorCopy, ConvertsEveryRealTypeToEveryOther) {
  Interpreter in;
  const std::vector<double> numbers = {0, 1, 2, 4};
  for (const DTypeInfo& from : kDTypes) {
    if (from.dtype == DType::Float8E8M0FNU || from.dtype == DType::Bool) continue;
    const auto source = from_values(in, {4}, numbers, from.dtype);
    ASSERT_EQ(values_of(*source), numbers) << from.torch_name;
    for (const DTypeInfo& to : kDTypes) {
      if (to.dtype == DType::Float8E8M0FNU || to.dtype == DType::Bool) continue;
      const auto target = empty(in, {4}, to.dtype);
      ASSERT_TRUE(copy_(*target, *source).ok());
      EXPECT_EQ(values_of(*target), numbers) << from.torch_name << " to " << to.torch_name;
    }
  }
}

TEST(TensorCopy, LargeIntegersKeepAllTheirBits) {
  Interpreter in;
  const auto source = empty(in, {1}, DType::Int64);
  const std::int64_t large = 0x7FFFFFFFFFFFFFFF;
  std::memcpy(source->data(), &large, sizeof large);
  const auto target = empty(in, {1}, DType::UInt64);
  ASSERT_TRUE(copy_(*target, *source).ok());
  EXPECT_EQ(read_int64(*target, 0), large);
}

TEST(TensorCopy, BroadcastsAndRefusesWhatDoesNotFit) {
  Interpreter in;
  const auto target = zeros(in, {2, 2});
  ASSERT_TRUE(copy_(*target, *from_values(in, {2}, std::vector<double>{1, 2})).ok());
  EXPECT_EQ(values_of(*target), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_FALSE(copy_(*target, *zeros(in, {3})).ok());
}

TEST(TensorMeta, HasAShapeAndNoBytes) {
  Interpreter in;
  const auto huge = empty(in, {1'000'000, 1'000'000}, DType::Float32, Device::Meta);
  EXPECT_EQ(huge->numel(), 1'000'000'000'000);
  EXPECT_EQ(huge->storage()->data(), nullptr);
  EXPECT_FALSE(to(*huge, DType::Float32, Device::Cpu).ok());
}

TEST(TensorRequiresGrad, NeedsAFloatingOrComplexType) {
  Interpreter in;
  const auto made = make_parameter(in, *zeros(in, {1}, DType::Int64));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "Only Tensors of floating point and complex dtype can require gradients");
}

TEST(TensorText, PrintsAsTorchDoes) {
  Interpreter in;
  EXPECT_EQ(tensor_text(*from_values(in, {2}, std::vector<double>{1, 2})), "tensor([1., 2.])");
  EXPECT_EQ(tensor_text(*from_values(in, {2}, std::vector<double>{0.5, 20})), "tensor([ 0.5000, 20.0000])");
  EXPECT_EQ(tensor_text(*from_values(in, {2, 2}, std::vector<double>{1, 2, 3, 4}, DType::Int64)),
            "tensor([[1, 2],\n        [3, 4]])");
  EXPECT_EQ(tensor_text(*from_values(in, {}, std::vector<double>{3}, DType::Float64)),
            "tensor(3., dtype=torch.float64)");
  EXPECT_EQ(tensor_text(*from_values(in, {2}, std::vector<double>{1e-6, 1})), "tensor([1.0000e-06, 1.0000e+00])");
  EXPECT_EQ(tensor_text(*from_values(in, {2}, std::vector<double>{1, 0}, DType::Bool)), "tensor([ True, False])");
  EXPECT_EQ(tensor_text(*empty(in, {2, 3}, DType::Float32, Device::Meta)), "tensor(..., device='meta', size=(2, 3))");
  EXPECT_EQ(tensor_text(*zeros(in, {0})), "tensor([])");
  EXPECT_EQ(tensor_text(*zeros(in, {2000})), "tensor([0., 0., 0.,  ..., 0., 0., 0.])");
}

TEST(GeneratorUniform, GivesPyTorchsNumbers) {
  Generator generator(0);
  EXPECT_NEAR(generator.uniform_float(), 0.496257, 1e-6);
  EXPECT_NEAR(generator.uniform_float(), 0.768222, 1e-6);
  EXPECT_NEAR(generator.uniform_float(), 0.088477, 1e-6);
}

TEST(GeneratorNormal, GivesPyTorchsNumbersBelowAndFromSixteenOn) {
  Generator generator(0);
  std::vector<float> few(3);
  generator.fill_normal(few.data(), 1, 0, 1);
  EXPECT_NEAR(few[0], 1.540996, 1e-6);
  generator.fill_normal(few.data(), 2, 0, 1);
  EXPECT_NEAR(few[0], -0.293429, 1e-6);
  EXPECT_NEAR(few[1], -2.178789, 1e-6);
  generator.seed_with(1);
  std::vector<float> many(17);
  generator.fill_normal(many.data(), 16, 0, 1);
  EXPECT_NEAR(many[0], -1.5256, 1e-4);
  EXPECT_NEAR(many[15], 0.4676, 1e-4);
  generator.fill_normal(many.data(), 17, 0, 1);
  EXPECT_NEAR(many[0], -0.6970, 1e-4);
  EXPECT_NEAR(many[16], 2.4070, 1e-4);
}

}  // namespace
}  // namespace nns::tensor
