#include "tests/ops/samples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nns::tests {

Ref<Tensor> numbers(Interpreter& in, const Dims& shape, int seed, double scale, double shift) {
  std::vector<double> values;
  const std::int64_t count = tensor::element_count(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t shuffled = (i * 7 + seed * 3) % std::max<std::int64_t>(count, 1);
    values.push_back(
        (0.2 + 0.7 * (static_cast<double>(shuffled) + 0.13 * seed) / static_cast<double>(count + 1)) * scale + shift);
  }
  return tensor::from_values(in, shape, values, DType::Float64);
}

Value input(Interpreter& in, const Dims& shape, int seed, double scale, double shift) {
  Ref<Tensor> made = numbers(in, shape, seed, scale, shift);
  EXPECT_TRUE(made->set_requires_grad(true).ok());
  return made;
}

Value dims(Interpreter& in, std::initializer_list<std::int64_t> items) { return ops::dims_value(in, Dims(items)); }

Value places(Interpreter& in, const Dims& shape, std::initializer_list<double> items) {
  return tensor::from_values(in, shape, std::vector<double>(items), DType::Int64);
}

Value mask(Interpreter& in, const Dims& shape) {
  std::vector<double> items;
  for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) items.push_back(i % 3 == 0 ? 1 : 0);
  return tensor::from_values(in, shape, items, DType::Bool);
}

}  // namespace nns::tests
