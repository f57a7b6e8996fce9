#pragma once

#include <vector>

#include "core/object/sequence.h"
#include "core/ops/python_function.h"
#include "core/tensor/tensor.h"

namespace nns::ops {

/// Calls a function that looks at the numbers of its tensors on the processor: of tensors on a GPU it gets copies, and
/// what it gives goes back there. Without gradients.
template <class Body>
PyResult<Value> call_on_host(Interpreter& interpreter, std::span<const Value> args, Body body) {
  std::vector<Value> there;
  bool is_moved = false;
  for (const Value& one : args) {
    const tensor::Tensor* const tensor = one.as<tensor::Tensor>();
    if (tensor == nullptr || !tensor->is_cuda()) {
      there.push_back(one);
      continue;
    }
    NNS_TRY_ASSIGN(Ref<tensor::Tensor> copy, tensor::on_host(*tensor));
    there.emplace_back(std::move(copy));
    is_moved = true;
  }
  if (!is_moved) return body(interpreter, args);
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
