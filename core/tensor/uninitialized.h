#pragma once

#include <optional>

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// The classes of parameters and buffers whose shape is still unknown.
/// Behaviour: torch/nn/parameter.py, UninitializedTensorMixin, UninitializedParameter, UninitializedBuffer.
struct UninitializedClasses {
  object::Class *mixin, *parameter, *buffer;
};
/// Makes them. Called once for an interpreter.
UninitializedClasses add_uninitialized_classes(Interpreter& interpreter);

/// A tensor without items of such a class: `cls(requires_grad, device, dtype)`.
/// Errors: RuntimeError  a dtype that has no gradients.
PyResult<Ref<Tensor>> make_uninitialized(object::Class& cls, DType dtype, Device device, bool requires_grad);

/// Reading its shape. Errors: always RuntimeError.
object::PyError no_shape_yet(Interpreter& interpreter);
/// Using it in `function`, as Python shows that: "<built-in function linear>". Errors: always ValueError.
object::PyError no_values_yet(const Tensor& self, std::string_view function);

}  // namespace nns::tensor
