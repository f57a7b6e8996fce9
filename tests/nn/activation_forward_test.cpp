// What activation layers give when they are called: the formulas of the field, on points of both sides of every knee.
#include <gtest/gtest.h>

#include <cmath>

#include "core/nn/functional.h"
#include "tests/nn/layer_support.h"

namespace nns::nn::tests {
namespace {

using tensor::Dims;
using tensor::DType;

constexpr double kPoints[] = {-7, -3, -2, -0.5, -0.25, 0, 0.25, 0.5, 2, 3, 7};

std::vector<double> items_of(const Tensor& tensor) {
  std::vector<double> items;
  tensor::for_each_place(tensor, [&](std::int64_t place) { items.push_back(tensor::read_double(tensor, place)); });
  return items;
}

struct Case {
  std::string_view layer;
  std::vector<Value> arguments;
  double (*formula)(double x);
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double elu(double x, double alpha) { return x > 0 ? x : alpha * (std::exp(x) - 1); }

const Case kCases[] = {
    {"ReLU", {}, [](double x) { return std::max(x, 0.0); }},
    {"ReLU6", {}, [](double x) { return std::min(std::max(x, 0.0), 6.0); }},
    {"LeakyReLU", {Value(0.25)}, [](double x) { return x > 0 ? x : 0.25 * x; }},
    {"ELU", {Value(2.0)}, [](double x) { return elu(x, 2); }},
    {"CELU", {Value(2.0)}, [](double x) { return x > 0 ? x : 2 * (std::exp(x / 2) - 1); }},
    {"SELU", {}, [](double x) { return 1.0507009873554805 * elu(x, 1.6732632423543772); }},
    {"GELU", {}, [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }},
    {"SiLU", {}, [](double x) { return x * sigmoid(x); }},
    {"Mish", {}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"Tanh", {}, [](double x) { return std::tanh(x); }},
    {"Sigmoid", {}, sigmoid},
    {"LogSigmoid", {}, [](double x) { return std::log(sigmoid(x)); }},
    {"Softplus", {Value(2.0)}, [](double x) { return std::log1p(std::exp(2 * x)) / 2; }},
    {"Softsign", {}, [](double x) { return x / (1 + std::abs(x)); }},
    {"Tanhshrink", {}, [](double x) { return x - std::tanh(x); }},
    {"Softshrink", {}, [](double x) { return x > 0.5    ? x - 0.5
                                             : x < -0.5 ? x + 0.5
                                                        : 0; }},
    {"Hardshrink", {}, [](double x) { return std::abs(x) > 0.5 ? x : 0; }},
    {"Hardtanh", {Value(-2), Value(0.5)}, [](double x) { return std::min(std::max(x, -2.0), 0.5); }},
    {"Hardsigmoid", {}, [](double x) { return std::min(std::max(x / 6 + 0.5, 0.0), 1.0); }},
    {"Hardswish", {}, [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); }},
    {"Threshold", {Value(0.25), Value(20)}, [](double x) { return x > 0.25 ? x : 20; }},
    {"PReLU", {}, [](double x) { return x > 0 ? x : 0.25 * x; }},
};

TEST(ActivationForward, FollowsItsFormula) {
  Interpreter in;
  for (const Case& one : kCases) {
    for (const DType dtype : {DType::Float32, DType::Float64, DType::BFloat16, DType::Float16}) {
      auto layer = make_layer(in, one.layer, one.arguments);
      ASSERT_TRUE(layer.ok()) << one.layer;
      if (one.layer == "PReLU" && dtype != DType::Float32) continue;  // its weight has a dtype of its own
      const Ref<Tensor> x = tensor::from_values(in, Dims({11}), kPoints, dtype);
      auto made = in.call(Value(*layer), {Value(x)});
      ASSERT_TRUE(made.ok()) << one.layer << ": " << made.error().message();
      const std::vector<double> items = items_of(*made->as<Tensor>());
      const double tolerance = dtype == DType::Float64 ? 1e-12 : dtype == DType::Float32 ? 1e-6 : 1e-2;
      for (std::size_t i = 0; i < items.size(); ++i) {
        const double wanted = one.formula(kPoints[i]);
        EXPECT_NEAR(items[i], wanted, tolerance * (1 + std::abs(wanted))) << one.layer << " of " << kPoints[i];
      }
    }
  }
}

TEST(ActivationForward, InPlaceGivesTheInputItself) {
  Interpreter in;
  for (const std::string_view name :
       {"ReLU", "ReLU6", "ELU", "SiLU", "Hardswish", "LeakyReLU", "SELU", "CELU", "Mish"}) {
    auto layer = make_layer(in, name, {}, {{"inplace", Value(true)}});
    const Ref<Tensor> x = tensor::from_values(in, Dims({11}), kPoints);
    auto made = in.call(Value(*layer), {Value(x)});
    ASSERT_TRUE(made.ok()) << name;
    EXPECT_EQ(made->as<Tensor>(), x.get()) << name;
    EXPECT_EQ(x->version(), 1U) << name;
  }
}

TEST(ActivationForward, OfATensorOnMetaIsAShape) {
  Interpreter in;
  auto layer = make_layer(in, "GLU", {Value(1)});
  const Ref<Tensor> x = tensor::empty(in, Dims({2, 6, 3}), DType::Float32, tensor::Device::Meta);
  auto made = in.call(Value(*layer), {Value(x)});
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->as<Tensor>()->shape(), Dims({2, 3, 3}));
  EXPECT_TRUE(made->as<Tensor>()->is_meta());
}

TEST(ActivationForward, RefusesAsTorchDoes) {
  Interpreter in;
  const Ref<Tensor> x = tensor::from_values(in, Dims({3}), std::vector<double>{1, 2, 3});
  const auto error = [&](std::string_view name, std::vector<Value> args) {
    const auto made = call_functional(in, name, args);
    return made.ok() ? std::string("nothing") : std::string(made.error().type()) + ": " + made.error().message();
  };
  EXPECT_EQ(error("glu", {Value(x)}), "RuntimeError: Halving dimension must be even, but dimension 0 is size 3");
  EXPECT_EQ(error("hardtanh", {Value(x), Value(2), Value(1)}), "ValueError: min_val cannot be greater than max_val");
  EXPECT_EQ(error("relu", {Value(3)}), "TypeError: relu(): argument 'input' (position 1) must be Tensor, not int");
  EXPECT_EQ(error("relu", {}), "TypeError: relu() missing 1 required positional argument: 'input'");
}

TEST(ActivationForward, SoftmaxWithoutADimensionWarns) {
  Interpreter in;
  auto layer = make_layer(in, "Softmax");
  const Ref<Tensor> x = tensor::from_values(in, Dims({1, 2}), std::vector<double>{0, 0});
  auto made = in.call(Value(*layer), {Value(x)});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(items_of(*made->as<Tensor>()), (std::vector<double>{0.5, 0.5}));
  const auto warnings = in.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text,
            "Implicit dimension choice for softmax has been deprecated. Change the call to include dim=X as an "
            "argument.");
}

// A random slope between the borders in training, the mean of them else.
TEST(ActivationForward, RReluDrawsSlopesInTraining) {
  Interpreter in;
  manual_seed(in, 0);
  auto layer = make_layer(in, "RReLU", {Value(0.25), Value(0.75)});
  const Ref<Tensor> x = tensor::from_values(in, Dims({11}), kPoints);
  const std::vector<double> drawn = items_of(*in.call(Value(*layer), {Value(x)})->as<Tensor>());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (kPoints[i] >= 0) {
      EXPECT_EQ(drawn[i], kPoints[i]);
    } else {
      EXPECT_GE(drawn[i] / kPoints[i], 0.25);
      EXPECT_LE(drawn[i] / kPoints[i], 0.75);
    }
  }
  EXPECT_NE(drawn[0] / kPoints[0], drawn[1] / kPoints[1]);
  ASSERT_TRUE(in.call_method(Value(*layer), in.intern("eval")).ok());
  const std::vector<double> meant = items_of(*in.call(Value(*layer), {Value(x)})->as<Tensor>());
  EXPECT_EQ(meant[0], -3.5);
}

}  // namespace
}  // namespace nns::nn::tests
