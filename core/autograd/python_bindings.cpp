#include "core/autograd/python_api.h"

namespace nns::autograd {

void add_python_bindings(Interpreter& interpreter) {
  add_tensor_methods(interpreter);
  add_tensor_hook_methods(interpreter);
  add_node_hook_methods(interpreter);
  add_gradient_functions(interpreter);
  add_grad_modes(interpreter);
  add_function_class(interpreter);
  add_saved_tensors_hooks(interpreter);
  add_forward_mode(interpreter);
  add_engine_queries(interpreter);
}

}  // namespace nns::autograd
