#pragma once

#include "core/object/interpreter.h"

namespace nns::object {

/// type.__new__(metaclass, name, bases, namespace, **keywords): a class with its slots, after __set_name__ of its
/// attributes and __init_subclass__ of its bases. A cell under "__classcell__" is told the class before these run.
/// Behaviour: CPython Objects/typeobject.c, type_new.
/// Errors: TypeError, ValueError in Python's words; what the called methods raise.
PyResult<Value> new_class(Interpreter& interpreter, Class& metaclass, const Value& name, const Value& bases,
                          const Value& names, std::span<const Keyword> keywords);

/// isinstance(value, cls): a class, a tuple of them, or whatever has __instancecheck__.
/// Errors: TypeError  the second argument is none of these; what __instancecheck__ raises.
PyResult<bool> is_instance(Interpreter& interpreter, const Value& value, const Value& cls);
/// issubclass(derived, cls). Errors: TypeError; what __subclasscheck__ raises.
PyResult<bool> is_subclass(Interpreter& interpreter, const Value& derived, const Value& cls);

}  // namespace nns::object
