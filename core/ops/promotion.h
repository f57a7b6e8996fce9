#pragma once

#include "core/ops/op.h"
#include "core/tensor/promotion.h"

namespace nns::ops {

using tensor::promote_types;

/// Finds the dtype of a result from the operands: tensors with dimensions count first, then tensors without, then
/// numbers, and a later group changes the dtype only if its kind (bool, int, float, complex) is higher.
/// Behaviour: torch.result_type, aten/src/ATen/native/TypeProperties.cpp.
class TypePromotion {
 public:
  explicit TypePromotion(Interpreter& interpreter) : interpreter_(interpreter) {}
  PyResult<void> add(const Tensor& tensor);
  void add(const Number& number);
  /// A tensor, a number, or None, which counts for nothing.
  PyResult<void> add(const Value& value);
  PyResult<DType> dtype() const;

 private:
  Interpreter& interpreter_;
  std::optional<DType> with_dims_, without_dims_, numbers_;
};

/// The shape to which all of these broadcast.
/// Errors: RuntimeError  "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0".
PyResult<Dims> broadcast_shapes(Interpreter& interpreter, const Dims& a, const Dims& b);

/// The floating dtype in which an op that needs fractions computes integers: the default dtype.
DType floating_of(Interpreter& interpreter, DType dtype);

/// The name of an item's type in C++, as some messages have it: "float", "c10::Half".
std::string_view cpp_type_name(DType dtype);

}  // namespace nns::ops
