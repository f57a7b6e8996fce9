#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/object/operations.h"
#include "core/object/operators.h"

namespace nns::object {

/// repr of a result, or "Type: message" of its error.
inline std::string shown(Interpreter& in, const PyResult<Value>& result) {
  if (!result.ok()) return std::string(result.error().type()) + ": " + result.error().message();
  const auto text = repr(in, *result);
  return text.ok() ? *text : std::string(text.error().type()) + ": " + text.error().message();
}
inline std::string shown(const PyResult<std::string>& result) {
  return result.ok() ? *result : std::string(result.error().type()) + ": " + result.error().message();
}

/// self.name(*arguments).
inline PyResult<Value> method(Interpreter& in, const Value& self, std::string_view name,
                              std::initializer_list<Value> arguments = {}) {
  return in.call_method(self, in.intern(name), arguments);
}

/// a <symbol> b, shown.
inline std::string operation(Interpreter& in, const Value& a, std::string_view symbol, const Value& b) {
  return shown(in, binary(in, operator_of(symbol), a, b));
}

/// The class itself as a value.
inline Value class_value(Class* cls) { return Value(static_cast<Object*>(cls)); }

}  // namespace nns::object
