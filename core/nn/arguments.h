#pragma once

#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::nn {

/// Reading what a program passed to a method of ours.
inline Module& self_of(Args a) { return *a[0].as<Module>(); }

inline PyResult<std::string> text_of(Interpreter& in, const Value& value) {
  if (const object::Str* text = value.as<object::Str>()) return std::string(text->view());
  return object::type_error(in, "expected str, not {}", in.type_of(value).name());
}

/// The same where anything but a text means none.
inline std::string_view text_of(const Value& value) {
  const object::Str* text = value.as<object::Str>();
  return text == nullptr ? std::string_view() : text->view();
}

inline PyResult<Name> name_of(Interpreter& in, const Value& value) {
  if (object::Str* text = value.as<object::Str>()) return in.intern(*text);
  return object::type_error(in, "attribute name must be string, not '{}'", in.type_of(value).name());
}

/// A value's class as messages tell it. Behaviour: torch.typename.
inline std::string shown_type(Interpreter& in, const Value& value) {
  if (const Tensor* tensor = value.as<Tensor>()) return tensor->type_string();
  return object::type_name_of(in, value);
}

inline object::PyError assertion(Interpreter& in, std::string_view text) {
  return object::make_error(in, object::ErrorKind::AssertionError, text);
}

/// Wraps what a method of Module returns.
inline PyResult<Value> value_of(PyResult<Ref<RemovableHandle>> handle) {
  NNS_TRY_ASSIGN(Ref<RemovableHandle> made, std::move(handle));
  return Value(made);
}

}  // namespace nns::nn
