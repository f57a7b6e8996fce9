#pragma once

#include "core/object/interpreter.h"
#include "core/python/syntax/tree.h"

namespace nns::python {

/// The value of a literal. `text`: the digits without underscores, or the characters.
/// Errors: ValueError  an int of more digits than Python reads.
object::PyResult<object::Value> literal(object::Interpreter& interpreter, ConstantKind kind, std::string_view text);

}  // namespace nns::python
