#include "core/ops/autocast.h"
#include "core/ops/dispatch.h"
#include "core/ops/made_functions.h"
#include "core/ops/outputs.h"
#include "core/ops/python_function.h"
#include "core/ops/thread_functions.h"

namespace nns::ops {

void add_all_bindings(Interpreter& interpreter) {
  add_overrides(interpreter);
  add_dispatch(interpreter);
  add_op_bindings(interpreter);
  add_tensor_operators(interpreter);
  add_subscripts(interpreter);
  add_creation_functions(interpreter);
  add_random_functions(interpreter);
  add_conversions(interpreter);
  add_shape_functions(interpreter);
  add_selection_functions(interpreter);
  add_einsum(interpreter);
  add_unique_functions(interpreter);
  add_sequence_functions(interpreter);
  add_tensor_queries(interpreter);
  add_thread_functions(interpreter);
  add_autocast_functions(interpreter);
  add_series_functions(interpreter);
  add_product_functions(interpreter);
  add_lu_functions(interpreter);
  add_in_place_functions(interpreter);
  add_outputs(interpreter);
  add_deprecated_functions(interpreter);
}

}  // namespace nns::ops
