// Attention against its definition, or against itself put otherwise.
#include <functional>

#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Attention = Forward;

// softmax(q k^T * scale + mask) v of one head, with plain loops; rows of `width` numbers.
Numbers plain_attention(const Numbers& q, const Numbers& k, const Numbers& v, std::size_t width, double scale,
                        const std::function<bool(std::size_t, std::size_t)>& sees) {
  const std::size_t rows = q.size() / width, keys = k.size() / width, columns = v.size() / keys;
  Numbers made(rows * columns, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (!sees(i, j)) continue;
      double score = 0;
      for (std::size_t c = 0; c < width; ++c) score += q[i * width + c] * k[j * width + c];
      const double weight = std::exp(score * scale);
      sum += weight;
      for (std::size_t c = 0; c < columns; ++c) made[i * columns + c] += weight * v[j * columns + c];
    }
    for (std::size_t c = 0; c < columns && sum > 0; ++c) made[i * columns + c] /= sum;
  }
  return made;
}

TEST_F(Attention, AttentionIsTheSameOverManyTiles) {
  const auto all = [](std::size_t, std::size_t) { return true; };
  const auto causal = [](std::size_t i, std::size_t j) { return j <= i; };
  for (const auto& [rows, keys] :
       {std::pair(3, 5), std::pair(64, 128), std::pair(70, 300), std::pair(130, 129), std::pair(0, 4)}) {
    for (const DType dtype : {DType::Float64, DType::Float32, DType::BFloat16}) {
      const double tolerance = dtype == DType::Float64 ? 1e-12 : dtype == DType::Float32 ? 1e-5 : 2e-2;
      const Value q = numbers(Dims({1, rows, 4}), 1, dtype), k = numbers(Dims({1, keys, 4}), 2, dtype),
                  v = numbers(Dims({1, keys, 3}), 3, dtype);
      expect_near(function("scaled_dot_product_attention", {q, k, v}),
                  plain_attention(items(q), items(k), items(v), 4, 0.5, all), tolerance);
      expect_near(
          function("scaled_dot_product_attention", {q, k, v}, {{"is_causal", Value(true)}, {"scale", Value(0.3)}}),
          plain_attention(items(q), items(k), items(v), 4, 0.3, causal), tolerance);
    }
  }
}

TEST_F(Attention, AttentionHidesWhatItsMaskSays) {
  const Value q = numbers(Dims({2, 2, 3, 4}), 1), k = numbers(Dims({2, 2, 150, 4}), 2),
              v = numbers(Dims({2, 2, 150, 4}), 3);
  Numbers shown;
  for (int i = 0; i < 3 * 150; ++i) shown.push_back(i >= 300 ? 0 : i % 3 != 0);
  const Value made = function("scaled_dot_product_attention", {q, k, v, make(Dims({3, 150}), shown, DType::Bool)});
  const Numbers queries = items(q), keys = items(k), values = items(v);
  Numbers wanted;
  for (std::size_t head = 0; head < 4; ++head) {
    const auto slice = [&](const Numbers& x, std::size_t size) {
      return Numbers(x.begin() + static_cast<std::ptrdiff_t>(head * size),
                     x.begin() + static_cast<std::ptrdiff_t>((head + 1) * size));
    };
    const Numbers one = plain_attention(slice(queries, 12), slice(keys, 600), slice(values, 600), 4, 0.5,
                                        [&](std::size_t i, std::size_t j) { return shown[i * 150 + j] != 0; });
    wanted.insert(wanted.end(), one.begin(), one.end());
  }
  expect_near(made, wanted, 1e-12);  // the last query sees nothing: zeros
  // The same mask as numbers, with strided inputs.
  Numbers added;
  for (const double x : shown) added.push_back(x != 0 ? 0 : -std::numeric_limits<double>::infinity());
  const Value strided(
      tensor::transpose(*Value(tensor::clone(*tensor::transpose(*q.as<Tensor>(), 2, 3))).as<Tensor>(), 2, 3));
  expect_near(function("scaled_dot_product_attention", {strided, k, v, make(Dims({3, 150}), added, DType::Float64)}),
              wanted, 1e-12);
}

TEST_F(Attention, AttentionSharesHeadsOfKeysAmongGroups) {
  const Value q = numbers(Dims({1, 4, 3, 2}), 1), k = numbers(Dims({1, 2, 5, 2}), 2),
              v = numbers(Dims({1, 2, 5, 2}), 3);
  const auto twice = [&](const Value& x) {
    const Tensor& tensor = *x.as<Tensor>();
    std::vector<Value> heads;
    for (std::int64_t h = 0; h < 4; ++h) heads.emplace_back(tensor::select(tensor, 1, h / 2));
    return ops::call_op(in, ops::OpId::stack, {Value(in.tuple(heads)), Value(1)}).value();
  };
  expect_near(function("scaled_dot_product_attention", {q, k, v}, {{"enable_gqa", Value(true)}}),
              items(function("scaled_dot_product_attention", {q, twice(k), twice(v)})), 1e-12);
}

TEST_F(Attention, MultiheadAttentionGivesTheSameWithAndWithoutWeights) {
  for (const bool separate : {false, true}) {
    Keywords settings{{"add_bias_kv", Value(true)}, {"add_zero_attn", Value(true)}};
    if (separate) settings.insert(settings.end(), {{"kdim", Value(3)}, {"vdim", Value(5)}});
    const Value m = layer("MultiheadAttention", {Value(4), Value(2)}, in_float64(in, settings));
    fill_parameters(in, m);
    const Value q = numbers(Dims({3, 2, 4})), k = separate ? numbers(Dims({6, 2, 3}), 2) : numbers(Dims({6, 2, 4}), 2),
                v = separate ? numbers(Dims({6, 2, 5}), 3) : k;
    const Value padding = make(Dims({2, 6}), {0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}, DType::Bool);
    const Value with = call(m, {q, k, v, padding}), without = call(m, {q, k, v, padding, Value(false)});
    EXPECT_TRUE(part(without, 1).is_none());
    expect_near(part(without, 0), items(part(with, 0)), 1e-12);
    const Numbers weights = items(part(with, 1));
    ASSERT_EQ(weights.size(), 2U * 3 * 8);
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < 8; ++j) sum += weights[row * 8 + j];
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_EQ(weights[row * 8 + 1] == 0, row >= 3);
    }
    const Value each = call(m, {q, k, v, padding, Value(true), Value(), Value(false)});
    EXPECT_EQ(part(each, 1).as<Tensor>()->shape(), Dims({2, 2, 3, 8}));
  }
}

TEST_F(Attention, MultiheadAttentionOfEqualInputsIsUniform) {
  const Value m = layer("MultiheadAttention", {Value(2), Value(1)});
  for (const char* name : {"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"})
    tensor::fill_(*parameter(m, name).as<Tensor>(), 0.5);
  const Value x = make(Dims({4, 1, 2}), Numbers(8, 1));
  const Value made = call(m, {x, x, x});
  expect_near(part(made, 0), Numbers(8, 2), 1e-6);
  expect_near(part(made, 1), Numbers(16, 0.25), 1e-6);
  const Value hidden = make(Dims({4, 4}), {0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}, DType::Bool);
  const Value masked = part(call(m, {x, x, x, Value(), Value(true), hidden}), 1);
  expect_near(masked, {1, 0, 0, 0, 0.5, 0.5, 0, 0, 1 / 3.0, 1 / 3.0, 1 / 3.0, 0, 0.25, 0.25, 0.25, 0.25}, 1e-6);
  EXPECT_EQ(layer_error(m, {x, x, x, Value(), Value(true), make(Dims({2, 2}), Numbers(4, 0), DType::Bool)}),
            "RuntimeError: The shape of the 2D attn_mask is torch.Size([2, 2]), but should be (4, 4).");
}

TEST_F(Attention, AttentionWithBatchFirstIsTheTurnedOne) {
  const Value m = layer("MultiheadAttention", {Value(4), Value(2)}, in_float64(in));
  const Value turned =
      layer("MultiheadAttention", {Value(4), Value(2)}, in_float64(in, {{"batch_first", Value(true)}}));
  fill_parameters(in, m);
  fill_parameters(in, turned);
  const Value x = numbers(Dims({3, 2, 4}));
  const Value y(tensor::transpose(*x.as<Tensor>(), 0, 1));
  const Value made = part(call(turned, {y, y, y}), 0);
  expect_near(Value(tensor::transpose(*made.as<Tensor>(), 0, 1)), items(part(call(m, {x, x, x}), 0)), 1e-12);
}

}  // namespace
}  // namespace nns::nn::tests
