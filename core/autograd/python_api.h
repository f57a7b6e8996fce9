#pragma once

#include "core/autograd/engine.h"
#include "core/autograd/removable_handle.h"
#include "core/ops/python_function.h"

namespace nns::autograd {

/// Adds what Python sees of autograd: the methods of Tensor, torch.autograd, the grad modes, hooks, custom functions.
/// Needs ops::add_python_bindings. Called once for an interpreter. In a file of its own, as ops::op_bodies().
void add_python_bindings(Interpreter& interpreter);

/// The parts of it, one a file.
void add_tensor_methods(Interpreter& interpreter);
void add_tensor_hook_methods(Interpreter& interpreter);
void add_node_hook_methods(Interpreter& interpreter);
void add_gradient_functions(Interpreter& interpreter);
void add_grad_modes(Interpreter& interpreter);
void add_function_class(Interpreter& interpreter);
void add_saved_tensors_hooks(Interpreter& interpreter);
void add_forward_mode(Interpreter& interpreter);
void add_engine_queries(Interpreter& interpreter);

/// A class in a module of Python: torch.autograd.Function.
object::Class& add_python_class(Interpreter& interpreter, std::string_view module, std::string_view name,
                                std::vector<object::Class*> bases = {});
/// A function in it with Python's way of matching arguments.
void add_python_function(Interpreter& interpreter, std::string_view module, std::string_view signature,
                         object::NativeBody body);

/// The tensors of one tensor or of a sequence of them.
/// Errors: TypeError  something else.
PyResult<std::vector<Ref<Tensor>>> tensors_of(Interpreter& interpreter, const Value& value, std::string_view what);

}  // namespace nns::autograd
