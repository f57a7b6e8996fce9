#pragma once

#include "core/object/error.h"
#include "core/tensor/dtype.h"

namespace nns::tensor {

/// The kinds of numbers, each of which holds those before it.
enum class DTypeCategory : std::uint8_t { Bool, Integer, Floating, Complex };
DTypeCategory category_of(DType dtype);
/// The complex dtype with parts of this floating dtype.
DType complex_of(DType dtype);
/// The dtype of the parts of a complex one; any other as it is.
DType real_of(DType dtype);

/// The dtype that holds what both can hold.
/// Behaviour: torch.promote_types, c10/core/ScalarType.cpp.
/// Errors: RuntimeError  float8 and unsigned types wider than 8 bits promote with nothing else.
object::PyResult<DType> promote_types(object::Interpreter& interpreter, DType a, DType b);

}  // namespace nns::tensor
