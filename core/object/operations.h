#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::object {

/// The operations of the language on any value. Each asks the value's class for the special method, as Python does.

// Attributes.
/// value.name. Errors: AttributeError, and whatever a descriptor or __getattr__ raises.
PyResult<Value> getattr(Interpreter& interpreter, const Value& value, Name name);
/// The same, with Absent in place of AttributeError.
PyResult<Value> getattr_or_absent(Interpreter& interpreter, const Value& value, Name name);
/// hasattr(value, name): an AttributeError means no, other errors pass.
PyResult<bool> hasattr(Interpreter& interpreter, const Value& value, Name name);
/// value.name = new_value.
PyResult<void> setattr(Interpreter& interpreter, const Value& value, Name name, const Value& new_value);
/// del value.name.
PyResult<void> delattr(Interpreter& interpreter, const Value& value, Name name);
/// dir(value), sorted.
PyResult<Value> dir(Interpreter& interpreter, const Value& value);

/// What object.__getattribute__, __setattr__, __delattr__ and __dir__ do, without asking the class for its own.
/// Absent: not found (an error of a descriptor is passed on).
PyResult<Value> generic_getattr(Interpreter& interpreter, const Value& value, Name name);
PyResult<void> generic_setattr(Interpreter& interpreter, const Value& value, Name name, const Value& new_value);
PyResult<void> generic_delattr(Interpreter& interpreter, const Value& value, Name name);
std::vector<std::string> generic_dir(Interpreter& interpreter, const Value& value);

// Classes.
bool isinstance(Interpreter& interpreter, const Value& value, const Class& cls);
/// The method `name` of the value's class, but null where it is only that of `object`.
const Value* own_special(Interpreter& interpreter, const Value& value, Name name);

// Texts.
/// repr(value). Errors: RecursionError, and what a __repr__ raises.
PyResult<std::string> repr(Interpreter& interpreter, const Value& value);
/// The text of a value whose class has no __repr__ of its own.
PyResult<std::string> default_repr(Interpreter& interpreter, const Value& value);
/// str(value).
PyResult<std::string> str(Interpreter& interpreter, const Value& value);
/// What object.__str__ gives: the text of a str or an exception, else repr(value).
PyResult<std::string> default_str(Interpreter& interpreter, const Value& value);
/// The shortest text that reads back as the same number: "0.1", "1e+16", "inf".
std::string float_repr(double number);
/// 'text' with Python's choice of quotes and escapes.
std::string str_repr(std::string_view text);
/// "<class 'torch.nn.modules.linear.Linear'>".
std::string class_repr(const Class& cls);
/// "torch.nn.modules.linear.Linear", "len", "int": torch.typename for what is no tensor.
std::string type_name_of(Interpreter& interpreter, const Value& value);

// Truth, equality, size, items.
/// Whether the value is of a built-in class itself, so that no class of a program has a say in what it does.
inline bool is_exact(const Value& value) { return !value.is_object() || value.object()->type().is_immutable(); }
PyResult<bool> truth(Interpreter& interpreter, const Value& value);
PyResult<bool> equal(Interpreter& interpreter, const Value& a, const Value& b);
PyResult<std::int64_t> length(Interpreter& interpreter, const Value& value);
PyResult<Value> getitem(Interpreter& interpreter, const Value& container, const Value& key);
PyResult<void> setitem(Interpreter& interpreter, const Value& container, const Value& key, const Value& value);
PyResult<void> delitem(Interpreter& interpreter, const Value& container, const Value& key);
PyResult<bool> contains(Interpreter& interpreter, const Value& container, const Value& item);
/// The same as the built-in classes define them, whatever classes derived from them say: bodies of their methods.
PyResult<Value> builtin_getitem(Interpreter& interpreter, const Value& container, const Value& key);
PyResult<void> builtin_setitem(Interpreter& interpreter, const Value& container, const Value& key, const Value& value);
PyResult<void> builtin_delitem(Interpreter& interpreter, const Value& container, const Value& key);
PyResult<bool> builtin_contains(Interpreter& interpreter, const Value& container, const Value& item);
/// len() of a built-in container; none: it is no such thing.
std::optional<std::int64_t> builtin_length(const Value& value);
/// iter() of one; Absent: it is no such thing.
Value builtin_iter(Interpreter& interpreter, const Value& value);
/// operator.index(value). Errors: TypeError  "'str' object cannot be interpreted as an integer".
PyResult<std::int64_t> index(Interpreter& interpreter, const Value& value);
/// The same for ints of any size, as a Value of kind Int or a BigInt.
PyResult<Value> index_value(Interpreter& interpreter, const Value& value);
/// hash(value), equal for equal numbers; of texts and identities it differs from CPython's (which are random), of
/// numbers, tuples, frozensets of numbers and None it is the same. Errors: TypeError  "unhashable type: 'list'".
PyResult<std::int64_t> hash(Interpreter& interpreter, const Value& value);
/// Errors: TypeError  "unhashable type: 'list'".
PyResult<void> require_hashable(Interpreter& interpreter, const Value& value);
/// dict.update(source): a dict, anything with keys(), or an iterable of pairs.
PyResult<void> update_dict(Interpreter& interpreter, Dict& dict, const Value& source);

// Iteration.
/// iter(value). Errors: TypeError  "'int' object is not iterable".
PyResult<Value> iter(Interpreter& interpreter, const Value& value);
/// next(iterator); Absent at the end.
PyResult<Value> next(Interpreter& interpreter, const Value& iterator);
/// Hands each item to `use` until the end or an error.
PyResult<void> for_each(Interpreter& interpreter, const Value& iterable,
                        const std::function<PyResult<void>(const Value&)>& use);
/// list(iterable).
PyResult<std::vector<Value>> to_vector(Interpreter& interpreter, const Value& iterable);
/// Whether collections.abc.Iterable, Mapping would say yes.
bool is_iterable(Interpreter& interpreter, const Value& value);
/// Whether iter() takes it: what is_iterable() names, and whatever has __getitem__.
bool can_iterate(Interpreter& interpreter, const Value& value);
bool is_mapping(const Value& value);

}  // namespace nns::object
