#pragma once

#include <algorithm>
#include <vector>

#include "core/object/sequence.h"
#include "core/ops/python_function.h"
#include "core/tensor/tensor.h"

namespace nns::ops {

/// A value with copies on the processor in the place of tensors on a GPU, those in tuples too.
inline PyResult<Value> value_on_host(Interpreter& interpreter, const Value& value) {
  if (const auto* const one = value.as<tensor::Tensor>(); one != nullptr && one->is_cuda()) {
    NNS_TRY_ASSIGN(Ref<tensor::Tensor> copy, tensor::on_host(*one));
    return Value(std::move(copy));
  }
  const auto* const tuple = value.as<object::Tuple>();
  if (tuple == nullptr) return value;
  std::vector<Value> items;
  for (const Value& item : tuple->items()) {
    NNS_TRY_ASSIGN(Value there, value_on_host(interpreter, item));
    items.push_back(std::move(there));
  }
  return Value(interpreter.tuple(std::move(items)));
}

/// Calls a function that looks at the numbers of its tensors on the processor: of tensors on a GPU it gets copies, and
/// what it gives goes back there. Without gradients.
template <class Body>
PyResult<Value> call_on_host(Interpreter& interpreter, std::span<const Value> args, Body body) {
  const bool is_on_gpu = std::any_of(args.begin(), args.end(), [](const Value& one) {
    const auto* const tensor = one.as<tensor::Tensor>();
    return tensor != nullptr && tensor->is_cuda();
  });
  if (!is_on_gpu) return body(interpreter, args);
  std::vector<Value> there;
  for (const Value& one : args) {
    NNS_TRY_ASSIGN(Value copy, value_on_host(interpreter, one));
    there.push_back(std::move(copy));
  }
  const auto back = [](const Value& value) -> PyResult<Value> {
    tensor::Tensor* const one = value.as<tensor::Tensor>();
    if (one == nullptr) return value;
    NNS_TRY_ASSIGN(Ref<tensor::Tensor> moved, tensor::to(*one, one->dtype(), tensor::Device::Cuda));
    return Value(std::move(moved));
  };
  NNS_TRY_ASSIGN(const Value given, body(interpreter, std::span<const Value>(there)));
  const auto* const several = given.as<object::Tuple>();
  if (several == nullptr) return back(given);
  std::vector<Value> items;
  for (const Value& one : several->items()) {
    NNS_TRY_ASSIGN(Value moved, back(one));
    items.push_back(std::move(moved));
  }
  return Value(interpreter.tuple(std::move(items)));
}

}  // namespace nns::ops
