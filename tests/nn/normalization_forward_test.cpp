// Normalization layers against their definition, written out with plain loops.
#include "core/object/operations.h"
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Normalization = Forward;

struct Statistics {
  double mean = 0, variance = 0;
};
Statistics statistics_of(const Numbers& values) {
  Statistics made;
  for (const double x : values) made.mean += x / static_cast<double>(values.size());
  for (const double x : values) made.variance += (x - made.mean) * (x - made.mean) / static_cast<double>(values.size());
  return made;
}

// Items of an input of shape (batch, channels, inner), normalized over what `same(i, j)` says belongs together.
template <class Same>
Numbers normalized(const Numbers& x, double eps, Same same) {
  Numbers made;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Numbers together;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (same(i, j)) together.push_back(x[j]);
    }
    const Statistics s = statistics_of(together);
    made.push_back((x[i] - s.mean) / std::sqrt(s.variance + eps));
  }
  return made;
}

TEST_F(Normalization, OfALayerIsOverItsLastDimensions) {
  for (const DType dtype : {DType::Float64, DType::Float32, DType::BFloat16, DType::Float16}) {
    const double tolerance = dtype == DType::Float64 ? 1e-12 : dtype == DType::Float32 ? 1e-5 : 2e-2;
    const Value x = numbers(Dims({2, 3, 4}), 1, dtype);
    const Value y = function("layer_norm", {x, Value(in.tuple({Value(3), Value(4)}))});
    expect_near(y, normalized(items(x), 1e-5, [](auto i, auto j) { return i / 12 == j / 12; }), tolerance);
  }
}

TEST_F(Normalization, ReadsStridedInputsAndTakesNoItems) {
  const Value x = numbers(Dims({4, 3}));
  const Value turned(tensor::transpose(*x.as<Tensor>(), 0, 1));
  const Value y = function("layer_norm", {turned, Value(4)});
  expect_near(y, normalized(items(turned), 1e-5, [](auto i, auto j) { return i / 4 == j / 4; }), 1e-12);
  EXPECT_TRUE(items(function("layer_norm", {numbers(Dims({0, 4})), Value(4)})).empty());
  EXPECT_TRUE(
      items(function("batch_norm", {numbers(Dims({0, 4})), Value(), Value(), Value(), Value(), Value(true)})).empty());
}

TEST_F(Normalization, OfGroupsIsOverChannelsAndPlaces) {
  const Value x = numbers(Dims({2, 4, 3}));
  const Value m =
      layer("GroupNorm", {Value(2), Value(4)}, {{"dtype", tensor::TensorLibrary::of(in).dtype_value(DType::Float64)}});
  ASSERT_TRUE(tensor::copy_(attribute(m, "weight"), *numbers(Dims({4}), 7).as<Tensor>()).ok());
  Numbers wanted = normalized(items(x), 1e-5, [](auto i, auto j) { return i / 6 == j / 6; });
  const Numbers weight = items(numbers(Dims({4}), 7));
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] *= weight[i / 3 % 4];
  expect_near(call(m, {x}), wanted, 1e-12);
}

TEST_F(Normalization, OfABatchKeepsRunningStatistics) {
  const Value m = layer("BatchNorm1d", {Value(2)});
  const Value x = make(Dims({2, 2}), {1, 10, 3, 30});
  expect_near(call(m, {x}), {-1, -1, 1, 1}, 1e-4);
  expect_near(Value(Ref<Tensor>(&attribute(m, "running_mean"))), {0.2, 2}, 1e-6);
  expect_near(Value(Ref<Tensor>(&attribute(m, "running_var"))), {1.1, 20.9}, 1e-6);
  EXPECT_EQ(items(Value(Ref<Tensor>(&attribute(m, "num_batches_tracked")))), Numbers{1});
  ASSERT_TRUE(in.call_method(m, in.intern("eval")).ok());
  const Numbers evaluated = items(call(m, {x}));
  EXPECT_NEAR(evaluated[1], (10 - 2) / std::sqrt(20.9 + 1e-5), 1e-5);
  EXPECT_EQ(items(Value(Ref<Tensor>(&attribute(m, "num_batches_tracked")))), Numbers{1});
}

TEST_F(Normalization, OfABatchWithoutMomentumAveragesAllBatches) {
  const Value m = layer("BatchNorm1d", {Value(1)}, {{"momentum", Value()}});
  const double values[] = {1, 2, 6}, means[] = {1, 1.5, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    call(m, {make(Dims({2, 1}), {values[i], values[i]})});
    expect_near(Value(Ref<Tensor>(&attribute(m, "running_mean"))), {means[i]}, 1e-6);
  }
}

TEST_F(Normalization, OfABatchIsOverSamplesAndPlaces) {
  const Value x = numbers(Dims({3, 2, 2, 2}), 1, DType::Float32);
  const Value m = layer("BatchNorm2d", {Value(2)});
  expect_near(call(m, {x}), normalized(items(x), 1e-5, [](auto i, auto j) { return i / 4 % 2 == j / 4 % 2; }), 1e-5);
}

TEST_F(Normalization, OfInstancesIsOverPlacesWithAndWithoutABatch) {
  const Value x = numbers(Dims({3, 2, 4}), 1, DType::Float32);
  const Value m = layer("InstanceNorm1d", {Value(2)});
  expect_near(call(m, {x}), normalized(items(x), 1e-5, [](auto i, auto j) { return i / 4 == j / 4; }), 1e-5);
  const Value single = numbers(Dims({2, 4}), 1, DType::Float32);
  expect_near(call(m, {single}), normalized(items(single), 1e-5, [](auto i, auto j) { return i / 4 == j / 4; }), 1e-5);
}

TEST_F(Normalization, OfInstancesAveragesRunningStatisticsOverSamples) {
  const Value m = layer("InstanceNorm1d", {Value(1)}, {{"track_running_stats", Value(true)}, {"momentum", Value(1.0)}});
  call(m, {make(Dims({2, 1, 2}), {0, 2, 4, 8})});
  expect_near(Value(Ref<Tensor>(&attribute(m, "running_mean"))), {3.5}, 1e-6);
  expect_near(Value(Ref<Tensor>(&attribute(m, "running_var"))), {5}, 1e-6);
}

TEST_F(Normalization, ByRootMeanSquare) {
  const Value m = layer("RMSNorm", {Value(3)}, {{"eps", Value(0.0)}});
  expect_near(
      call(m, {make(Dims({2, 3}), {1, 2, 2, 3, 0, 4})}),
      {1 / std::sqrt(3), 2 / std::sqrt(3), 2 / std::sqrt(3), 3 / std::sqrt(25 / 3.0), 0, 4 / std::sqrt(25 / 3.0)},
      1e-6);
}

TEST_F(Normalization, OfVectorsAndOfLocalResponses) {
  expect_near(function("normalize", {make(Dims({1, 2}), {3, 4})}), {0.6, 0.8}, 1e-6);
  expect_near(function("normalize", {make(Dims({1, 2}), {3, -4})}, {{"p", Value(1.0)}}), {3 / 7.0, -4 / 7.0}, 1e-6);
  const Value x = numbers(Dims({1, 4, 2}));
  const Numbers from = items(x);
  const auto at = [](int channel, int k) {
    return static_cast<std::size_t>(channel) * 2 + static_cast<std::size_t>(k);
  };
  Numbers wanted;
  for (int c = 0; c < 4; ++c) {
    for (int k = 0; k < 2; ++k) {
      double squares = 0;
      for (int d = std::max(0, c - 1); d <= std::min(3, c + 1); ++d) squares += from[at(d, k)] * from[at(d, k)];
      wanted.push_back(from[at(c, k)] / std::pow(2 + 0.5 * squares / 3, 0.75));
    }
  }
  expect_near(function("local_response_norm", {x, Value(3), Value(0.5), Value(0.75), Value(2.0)}), wanted, 1e-12);
}

TEST_F(Normalization, RefusesAsTorchDoes) {
  const Value ones = make(Dims({1, 3, 2}), Numbers(6, 1));
  EXPECT_EQ(
      layer_error(layer("LayerNorm", {Value(in.tuple({Value(2), Value(3)}))}), {ones}),
      "RuntimeError: Given normalized_shape=[2, 3], expected input with shape [*, 2, 3], but got input of size[1, "
      "3, 2]");
  EXPECT_EQ(layer_error(layer("GroupNorm", {Value(2), Value(4)}), {make(Dims({1, 6}), Numbers(6, 1))}),
            "RuntimeError: Expected weight to be a vector of size equal to the number of channels in input, but got "
            "weight of shape [4] and input of shape [1, 6]");
  EXPECT_EQ(layer_error(layer("InstanceNorm1d", {Value(2)}), {make(Dims({1, 2, 1}), Numbers(2, 1))}),
            "ValueError: Expected more than 1 spatial element when training, got input size torch.Size([1, 2, 1])");
  EXPECT_EQ(layer_error(layer("BatchNorm1d", {Value(2)}), {make(Dims({1, 2}), Numbers(2, 1))}),
            "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 2])");
  EXPECT_EQ(layer_error(layer("BatchNorm1d", {Value(3)}), {make(Dims({4, 2}), Numbers(8, 1))}),
            "RuntimeError: running_mean should contain 2 elements not 3");
  EXPECT_EQ(layer_error(layer("BatchNorm1d", {Value(2)}), {make(Dims({1, 2, 1, 1}), Numbers(2, 1))}),
            "ValueError: expected 2D or 3D input (got 4D input)");
  EXPECT_EQ(layer_error(layer("BatchNorm1d", {Value(2)}, {{"eps", Value(0.0)}}), {make(Dims({4, 2}), Numbers(8, 1))}),
            "ValueError: batch_norm eps must be positive during training, but got 0.0");
}

}  // namespace
}  // namespace nns::nn::tests
