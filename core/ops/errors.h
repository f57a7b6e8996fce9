#pragma once

#include <string_view>

#include "core/ops/op.h"

// Errors that several families of ops raise. Not for callers of ops.
namespace nns::ops {

/// NotImplementedError: "\"exp\" not implemented for 'Bool'". `kernel` is what PyTorch calls the function that lacks
/// it. Behaviour: ATen/Dispatch.h.
object::PyError not_implemented_for(Interpreter& interpreter, std::string_view kernel, DType dtype);

/// RuntimeError: "value cannot be converted to type float without overflow", of a complex number for a dtype without
/// room for it. Behaviour: c10/core/Scalar.h.
object::PyError no_conversion(Interpreter& interpreter, DType dtype);

/// RuntimeError: the value of a tensor of device meta was asked for. Behaviour: aten::_local_scalar_dense on Meta.
object::PyError no_item_of_meta(Interpreter& interpreter);
/// NotImplementedError: `op` cannot even tell a shape without the items. Behaviour: c10/core/dispatch/Dispatcher's
/// reportError for Meta.
object::PyError no_meta_kernel(Interpreter& interpreter, std::string_view op);

}  // namespace nns::ops
