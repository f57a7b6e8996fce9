#include "core/nn/init.h"

#include <gtest/gtest.h>

#include "tests/nn/layer_support.h"

// The numbers that PyTorch 2.14's torch.nn.init draws with seed 0.
namespace nns::nn {
namespace {

using tests::values_text;

TEST(InitXavierUniform, DrawsTheNumbersOfTorch) {
  Interpreter in;
  tests::manual_seed(in, 0);
  const auto weight = tensor::empty(in, {4, 5}, tensor::DType::Float32);
  ASSERT_TRUE(init::xavier_uniform_(*weight).ok());
  EXPECT_EQ(values_text(*weight, 4),
            "['-0.0061', '0.4380', '-0.6720', '-0.6009', '-0.3145', '0.2189', '-0.0162', '0.6474', '-0.0725', "
            "'0.2161', '-0.2468', '-0.1605', '-0.7800', '-0.5408', '-0.3366', '0.0302', '0.3228', '0.4899', "
            "'-0.5535', '-0.3556']");
}

TEST(InitKaimingNormal, DrawsTheNumbersOfTorch) {
  Interpreter in;
  tests::manual_seed(in, 0);
  const auto weight = tensor::empty(in, {4, 5}, tensor::DType::Float32);
  ASSERT_TRUE(init::kaiming_normal_(*weight, 0, init::FanMode::Out).ok());
  EXPECT_EQ(values_text(*weight, 4),
            "['-0.7961', '-0.8148', '-0.1772', '-0.3068', '0.4234', '-1.0996', '-0.2414', '1.3103', '0.3310', "
            "'-0.1115', '1.0208', '0.1881', '0.9824', '1.1217', '0.6691', '-0.5966', '0.6589', '0.8903', '1.4177', "
            "'0.0380']");
}

TEST(InitKaimingUniform, DrawsTheNumbersOfTorch) {
  Interpreter in;
  tests::manual_seed(in, 0);
  const auto weight = tensor::empty(in, {4, 5}, tensor::DType::Float32);
  ASSERT_TRUE(init::kaiming_uniform_(*weight, 0, init::FanMode::In, init::Nonlinearity::Relu).ok());
  EXPECT_EQ(values_text(*weight, 4),
            "['-0.0082', '0.5876', '-0.9016', '-0.8062', '-0.4219', '0.2938', '-0.0217', '0.8686', '-0.0972', "
            "'0.2899', '-0.3311', '-0.2153', '-1.0465', '-0.7255', '-0.4516', '0.0406', '0.4331', '0.6573', "
            "'-0.7426', '-0.4770']");
}

TEST(InitNormal, DrawsTheNumbersOfTorch) {
  Interpreter in;
  tests::manual_seed(in, 0);
  const auto weight = tensor::empty(in, {4, 5}, tensor::DType::Float32);
  init::normal_(*weight, 1, 2);
  EXPECT_EQ(values_text(*weight, 4),
            "['-1.2517', '-1.3047', '0.4988', '0.1322', '2.1977', '-2.1102', '0.3173', '4.7060', '1.9362', '0.6846', "
            "'3.8873', '1.5321', '3.7787', '4.1727', '2.8926', '-0.6874', '2.8637', '3.5180', '5.0100', '1.1075']");
}

TEST(InitFans, NeedTwoDimensions) {
  Interpreter in;
  const auto weight = tensor::empty(in, {4}, tensor::DType::Float32);
  const auto drawn = init::kaiming_uniform_(*weight);
  ASSERT_FALSE(drawn.ok());
  EXPECT_EQ(drawn.error().message(), "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
}

}  // namespace
}  // namespace nns::nn
