#pragma once

#include <span>
#include <string_view>

#include "core/ops/python_signature.h"

// out=: tensors of the caller's that a function writes its results into.
// Behaviour: aten/src/ATen/native/Resize.cpp, resize_output; torch/csrc/autograd/utils/error_messages.h.
namespace nns::ops {

/// The parameter; `is_several`: one tensor for each of several results.
PythonParameter out_parameter(Interpreter& interpreter, bool is_several);

/// Errors: RuntimeError  a gradient is asked of an argument or of `out`.
PyResult<void> check_no_gradient(Interpreter& interpreter, std::string_view name, std::span<const Value> args,
                                 const Value& out);

/// Writes `made`, one tensor or a tuple of them, into `out`, which takes the shape of the result, and gives what the
/// call returns. `fields`: the names of several results.
/// Errors: RuntimeError  a result's dtype cannot be cast to the one that is there.
/// Whether PyTorch refuses an out= that shares memory with an argument of this function.
bool is_read_after_written(std::string_view name);
PyResult<Value> written_to(Interpreter& interpreter, std::string_view name, std::string_view fields, const Value& made,
                           const Value& out);

/// Gives out= to the functions of torch that are no ops. Called when they all are there.
void add_outputs(Interpreter& interpreter);

}  // namespace nns::ops
