#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ops/samples.h"

namespace nns::tests {

/// Calls ops and shows what they give.
class OpFixture : public testing::Test {
 public:
  using Numbers = std::vector<double>;

  Ref<Tensor> make(const Dims& shape, const Numbers& values, DType dtype = DType::Float32) {
    return tensor::from_values(in, shape, values, dtype);
  }
  /// Small whole numbers in no order: sums of their products are exact in every dtype that holds them.
  Ref<Tensor> whole_numbers(const Dims& shape, int seed, DType dtype = DType::Float32) {
    Numbers values;
    std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761U + 12345U;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
      state = state * 1664525U + 1013904223U;
      const int number = static_cast<int>(state >> 28U) % 7 - 3;
      values.push_back(dtype == DType::UInt8 ? number + 3 : number);
    }
    return make(shape, values, dtype);
  }
  Ref<Tensor> meta(const Dims& shape, DType dtype = DType::Float32) {
    return tensor::empty(in, shape, dtype, tensor::Device::Meta);
  }
  /// The same items, but every second of a larger tensor, its dimensions stored in the opposite order.
  Ref<Tensor> scattered(const Tensor& tensor) {
    const std::size_t ndim = tensor.ndim();
    Dims turned(ndim, 0);
    for (std::size_t i = 0; i < ndim; ++i) turned[i] = tensor.shape()[ndim - 1 - i] * (i + 1 == ndim ? 2 : 1);
    const Ref<Tensor> wide = tensor::zeros(in, turned, tensor.dtype());
    Dims strides(ndim, 0);
    for (std::size_t i = 0; i < ndim; ++i) strides[i] = wide->strides()[ndim - 1 - i] * (i == 0 ? 2 : 1);
    Ref<Tensor> made = tensor::as_strided(*wide, tensor.shape(), strides, 0);
    EXPECT_TRUE(tensor::copy_items(*made, tensor).ok());
    return made;
  }

  static Numbers items(const Tensor& tensor) {
    Numbers found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(tensor, place)); });
    return found;
  }
  Value called(OpId id, const Arguments& args) {
    const auto made = ops::call_op(in, id, args);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? made.value() : Value();
  }
  Ref<Tensor> made(OpId id, const Arguments& args) { return Ref<Tensor>(called(id, args).as<Tensor>()); }
  Numbers items(OpId id, const Arguments& args) {
    const Ref<Tensor> result = made(id, args);
    return result ? items(*result) : Numbers();
  }
  std::string error(OpId id, const Arguments& args) {
    const auto result = ops::call_op(in, id, args);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : std::string(result.error().type()) + ": " + result.error().message();
  }
  Value ints(std::initializer_list<std::int64_t> sizes) { return ops::dims_value(in, Dims(sizes)); }
  Value ints(const Dims& sizes) { return ops::dims_value(in, sizes); }
  Value text(std::string_view word) { return in.text(word); }

  Interpreter in;
};

}  // namespace nns::tests
