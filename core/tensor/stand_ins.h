#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// Objects of a program that functions of torch take for a number or a tensor: instances of classes derived from int,
/// float and complex, and those whose class says what they are by a method __torch_number__() or __torch_tensor__(), as
/// numpy's scalars and arrays do. Behaviour: torch/csrc/utils/tensor_numpy.cpp, is_numpy_scalar.

/// Whether plain_operand() makes a number of it.
bool stands_for_number(Interpreter& interpreter, const Value& value);
/// The number or the tensor that `value` stands for; any other value as it is.
/// Errors: what the methods raise; TypeError  they give something else.
PyResult<Value> plain_operand(Interpreter& interpreter, const Value& value);

}  // namespace nns::tensor
