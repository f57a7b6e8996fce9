#pragma once

#include <unordered_map>

#include "core/object/interpreter.h"

namespace nns::object {

/// copy.copy(value): a new object with the same contents. Classes, functions, texts and numbers stay what they are.
PyResult<Value> shallow_copy(Interpreter& interpreter, const Value& value);

/// copy.deepcopy(value): copies all that is reached, each object once.
/// Behaviour: Lib/copy.py; __deepcopy__, __getstate__ and __setstate__ of a class are obeyed.
PyResult<Value> deep_copy(Interpreter& interpreter, const Value& value);

}  // namespace nns::object
