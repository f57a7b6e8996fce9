#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/engine.h"
#include "core/nn/functional.h"
#include "core/object/operations.h"
#include "tests/nn/layer_support.h"

// What tests of forward share: tensors of plain numbers, calls, and their items.
namespace nns::nn::tests {

using tensor::Dims;
using tensor::DType;
using Numbers = std::vector<double>;

/// Item `i` of a tuple.
inline Value part(const Value& tuple, std::size_t i) { return (*tuple.as<object::Tuple>())[i]; }
/// The parameter with this path.
inline Value parameter(const Value& module, std::string_view name) {
  return Value(as_module(module)->get_parameter(name).value());
}
/// All parameters become sin of their place, so that no two are alike.
inline void fill_parameters(Interpreter& in, const Value& module) {
  int seed = 1;
  const Value parameters = in.call_method(module, in.intern("parameters")).value();
  const auto filled = object::for_each(in, parameters, [&](const Value& one) -> PyResult<void> {
    Tensor& weight = *one.as<Tensor>();
    Numbers values;
    for (std::int64_t i = 0; i < weight.numel(); ++i) values.push_back(std::sin(static_cast<double>(++seed)) * 0.8);
    return tensor::copy_items(weight, *tensor::from_values(in, weight.shape(), values, DType::Float64));
  });
  ASSERT_TRUE(filled.ok());
}
/// dtype=torch.float64 among these keywords.
inline Keywords in_float64(Interpreter& in, Keywords more = {}) {
  more.emplace_back("dtype", tensor::TensorLibrary::of(in).dtype_value(DType::Float64));
  return more;
}

class Forward : public testing::Test {
 public:
  Value make(const Dims& shape, const Numbers& values, DType dtype = DType::Float32) {
    return Value(tensor::from_values(in, shape, values, dtype));
  }
  /// Numbers between -2 and 2 in no order.
  Value numbers(const Dims& shape, int seed = 1, DType dtype = DType::Float64) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i)
      values.push_back(std::sin(static_cast<double>(i * 37 + seed * 11)) * 2);
    return make(shape, values, dtype);
  }
  Value whole(const Dims& shape, const Numbers& values) { return make(shape, values, DType::Int64); }

  /// layer(*args), or None with a failure.
  Value call(const Value& layer, std::vector<Value> args) {
    auto result = in.call(layer, args);
    EXPECT_TRUE(result.ok()) << result.error().type() << ": " << result.error().message();
    return result.ok() ? result.value() : Value();
  }
  Value function(std::string_view name, std::vector<Value> args, const Keywords& keywords = {}) {
    auto result = tried(name, std::move(args), keywords);
    EXPECT_TRUE(result.ok()) << name << ": " << result.error().type() << ": " << result.error().message();
    return result.ok() ? result.value() : Value();
  }
  /// "ValueError: text" of a call that must fail.
  std::string error(std::string_view name, std::vector<Value> args, const Keywords& keywords = {}) {
    auto result = tried(name, std::move(args), keywords);
    EXPECT_FALSE(result.ok()) << name;
    return result.ok() ? "" : std::string(result.error().type()) + ": " + result.error().message();
  }
  std::string layer_error(const Value& layer, std::vector<Value> args) {
    auto result = in.call(layer, args);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : std::string(result.error().type()) + ": " + result.error().message();
  }
  Value layer(std::string_view name, std::vector<Value> positional = {}, const Keywords& keywords = {}) {
    auto made = make_layer(in, name, std::move(positional), keywords);
    EXPECT_TRUE(made.ok()) << name;
    return Value(made.value());
  }
  Tensor& attribute(const Value& object, std::string_view name) {
    const Value found = object::getattr(in, object, in.intern(name)).value();
    return *found.as<Tensor>();
  }

  static Numbers items(const Value& value) {
    Numbers found;
    const Tensor* const tensor = value.as<Tensor>();
    if (tensor == nullptr) return found;
    tensor::for_each_place(*tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(*tensor, place)); });
    return found;
  }
  static void expect_near(const Value& got, const Numbers& wanted, double tolerance, const std::string& what = "") {
    const Numbers found = items(got);
    ASSERT_EQ(found.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(found[i], wanted[i], tolerance * (1 + std::abs(wanted[i]))) << what << ", item " << i;
  }
  Interpreter in;

 private:
  PyResult<Value> tried(std::string_view name, std::vector<Value> args, const Keywords& keywords) {
    std::vector<Keyword> named;
    for (const auto& [key, value] : keywords) named.push_back({in.intern(key), value});
    return call_functional(in, name, args, named);
  }
};

}  // namespace nns::nn::tests
