#pragma once

#include "core/ops/op.h"

/// The protocol __torch_dispatch__: classes derived from Tensor, and modes, carry out ops in the place of our bodies,
/// below autograd. Python's half is torch/_dispatch.py. Behaviour: aten/src/ATen/core/PythonFallbackKernel.cpp;
/// torch/csrc/autograd/python_variable.cpp.
namespace nns::ops {

/// Whether somebody else carries out what is done with this tensor. Cost: nothing until there is somebody.
bool is_dispatched(const Tensor& tensor);
/// The same of an op with these arguments.
bool is_dispatched(const OpCall& call);

/// Whether objects of the class carry out ops.
bool has_dispatch(Interpreter& interpreter, const object::Class& cls);

/// Lets them carry out the op: what they give are its outputs, in place of the target that it has.
/// Errors: what they raise; TypeError  all gave NotImplemented.
PyResult<void> dispatch(OpCall& call);
/// The same for a function that is no op of ours; `place`: where it is called from (op_recorder.h).
PyResult<Value> dispatch(Interpreter& interpreter, std::string_view name,
                         std::span<const std::pair<std::string_view, Value>> arguments, std::string_view place = "");
inline PyResult<Value> dispatch(Interpreter& interpreter, std::string_view name,
                                std::initializer_list<std::pair<std::string_view, Value>> arguments) {
  return dispatch(interpreter, name, std::span(arguments.begin(), arguments.size()));
}
/// A function that makes a tensor (zeros, zeros_like, new_empty), or draws numbers into one: Absent, if it is none of
/// these or nobody carries it out.
PyResult<Value> dispatch_maker(Interpreter& interpreter, std::string_view name,
                               std::span<const object::Name> parameters, std::span<const Value> arguments);

/// tensor.detach() of ours; it stays of a class that carries out ops.
Ref<Tensor> same_items(const Tensor& tensor);

/// Before there is the first tensor of class `cls`: lets ops ask from now on, if it has __torch_dispatch__.
PyResult<void> begin_dispatching(Interpreter& interpreter, const object::Class& cls);

/// torch._C's part of it, and methods of Tensor that are no ops.
void add_dispatch(Interpreter& interpreter);

}  // namespace nns::ops
