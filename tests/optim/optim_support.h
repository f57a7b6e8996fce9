#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/optim/optimizer.h"

namespace nns::optim::tests {

using ops::OpId;
using tensor::Dims;
using tensor::DType;
using Numbers = std::vector<double>;
using Keywords = std::vector<std::pair<std::string_view, Value>>;

/// An interpreter and the few things that programs about optimisers do with it.
class OptimTest : public testing::Test {
 protected:
  Ref<Tensor> parameter(const Numbers& values, DType dtype = DType::Float64) {
    return parameter(Dims({static_cast<std::int64_t>(values.size())}), values, dtype);
  }
  Ref<Tensor> parameter(const Dims& shape, const Numbers& values, DType dtype = DType::Float64) {
    return tensor::make_parameter(in, *tensor::from_values(in, shape, values, dtype)).value();
  }
  void set_grad(const Ref<Tensor>& param, const Numbers& values) {
    param->set_grad(tensor::from_values(in, param->shape(), values, param->dtype()));
  }
  /// The gradient of sum(param ** 2).
  void set_square_grad(const Ref<Tensor>& param) {
    Numbers doubled = items(*param);
    for (double& number : doubled) number *= 2;
    set_grad(param, doubled);
  }
  Value list(std::vector<Value> items) { return Value(in.list(std::move(items))); }
  Value dict(const Keywords& entries) {
    const Ref<Dict> made = in.dict();
    for (const auto& [key, value] : entries) made->set(in.intern(key), value);
    return Value(made);
  }
  PyResult<Ref<Optimizer>> try_make(std::string_view name, const Value& params, const Keywords& keywords = {}) {
    return make_optimizer(in, name, params, keywords);
  }
  Ref<Optimizer> make(std::string_view name, const Value& params, const Keywords& keywords = {}) {
    auto made = try_make(name, params, keywords);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? made.value() : Ref<Optimizer>();
  }
  Ref<Optimizer> make(std::string_view name, const Ref<Tensor>& param, const Keywords& keywords = {}) {
    return make(name, list({Value(param)}), keywords);
  }
  void step(Optimizer& optimizer) {
    const auto result = optimizer.step();
    EXPECT_TRUE(result.ok()) << result.error().message();
  }
  Dict& group(Optimizer& optimizer, std::size_t at = 0) {
    return *optimizer.param_groups().value()->items()[at].as<Dict>();
  }
  Value option(Optimizer& optimizer, std::string_view name, std::size_t at = 0) {
    return *group(optimizer, at).find(name);
  }
  Dict& state(Optimizer& optimizer, const Ref<Tensor>& param) {
    return *optimizer.state().value()->find(Value(param))->as<Dict>();
  }
  Tensor& state(Optimizer& optimizer, const Ref<Tensor>& param, std::string_view name) {
    return *state(optimizer, param).find(name)->as<Tensor>();
  }
  std::string keys(Dict& of) {
    std::string text;
    for (const Value& key : of.keys()) {
      if (!text.empty()) text += ' ';
      text += object::str(in, key).value();
    }
    return text;
  }
  std::string repr(const Value& value) { return object::repr(in, value).value(); }
  /// "ValueError: text", or "ok".
  template <class T>
  static std::string outcome(const PyResult<T>& result) {
    if (result.ok()) return "ok";
    return std::string(result.error().type()) + ": " + result.error().message();
  }
  static Numbers items(const Tensor& tensor) {
    Numbers found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(tensor, place)); });
    return found;
  }
  /// "[0.900000, -1.900000]", as the recorded programs print tensors.
  static std::string shown(const Tensor& tensor, int digits = 6) {
    std::string text = "[";
    for (const double number : items(tensor)) {
      if (text.size() > 1) text += ", ";
      text += fmt::format("{:.{}f}", number, digits);
    }
    return text + "]";
  }
  Value function(std::string_view signature, object::NativeBody body) {
    return Value(in.function(signature, std::move(body)));
  }

  Interpreter in;
};

}  // namespace nns::optim::tests
