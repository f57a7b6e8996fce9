// str() and repr() of trackers.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

Variable* Translator::string_of(Variable* given, bool is_repr) {
  NNS_VARIABLE(value, real(given));
  const Value x = constant_value(value);
  if (!x.is_absent()) {
    PyResult<std::string> made = is_repr ? object::repr(in_, x) : object::str(in_, x);
    if (!made.ok()) return raise(made.error());
    return text(made.value());
  }
  if (value->kind == VariableKind::Tensor) return untraced_repr(*value);
  if (value->kind == VariableKind::Format && !is_repr) return value;
  const bool is_listed = value->kind == VariableKind::List || value->kind == VariableKind::Tuple;
  if ((is_listed || value->kind == VariableKind::Dict) && holds_tensor(value)) {
    const std::string shown_class =
        is_listed ? value->kind == VariableKind::List ? "ListVariable" : "TupleVariable" : "ConstDictVariable";
    return unsupported(
        is_listed ? "repr() on non-constant list-like" : "repr() on non-constant dict",
        fmt::format("repr() on {} with non-constant {}", shown_class, is_listed ? "elements" : "keys or values"),
        fmt::format("Dynamo could not safely evaluate repr() for this {} object because one or more {} "
                    "are not Python constants.",
                    is_listed ? "list-like" : "dict-like", is_listed ? "elements" : "keys or values"),
        {hints::kSupportable});
  }
  if (has_failed()) return nullptr;
  if (value->kind == VariableKind::Exception) return exception_text(value, is_repr);
  const bool has_class = value->kind == VariableKind::Tuple || value->kind == VariableKind::List;
  if (has_class && value->cls != nullptr) {
    const Value* written = value->cls->lookup(in_.intern("__repr__"));
    if (written != nullptr && python::as_function(*written) != nullptr)
      return inline_call(&function_of(*written), {&value, 1}, {});
  }
  if (value->kind == VariableKind::DictView) {
    std::vector<Variable*> items;
    if (!items_of(value, items)) return nullptr;
    NNS_VARIABLE(shown, string_of(list(std::move(items)), true));
    return text(fmt::format("{}({})", value->cls->name(), shown->value.as<object::Str>()->view()));
  }
  if (value->kind == VariableKind::Set) {
    const bool is_frozen = value->cls != nullptr;
    if (value->items.empty()) return text(is_frozen ? "frozenset()" : "set()");
    NNS_VARIABLE(shown, string_of(list(value->items), true));
    std::string inner(shown->value.as<object::Str>()->view());
    inner = fmt::format("{{{}}}", inner.substr(1, inner.size() - 2));
    return text(is_frozen ? fmt::format("frozenset({})", inner) : inner);
  }
  if (value->kind == VariableKind::AttributeDict) {
    bool is_known = false;
    NNS_VARIABLE(whole, call_dict_method(value, "copy", {}, {}, is_known));
    return string_of(whole, is_repr);
  }
  if (value->kind == VariableKind::Builtin || (value->kind == VariableKind::Function && !value->is_new)) {
    const PyResult<std::string> made = object::repr(in_, value->value);
    if (!made.ok()) return raise(made.error());
    return text(made.value());
  }
  if (value->kind == VariableKind::Object && value->value.as<nn::Module>() == nullptr) {
    const Value* found = type_of(*value).lookup(in_.intern(is_repr ? "__repr__" : "__str__"));
    if (found == nullptr || python::as_function(*found) == nullptr)
      found = type_of(*value).lookup(in_.intern("__repr__"));
    if (found != nullptr && python::as_function(*found) != nullptr) {
      Variable& function = function_of(*found);
      return inline_call(&function, {&value, 1}, {});
    }
    if (value->contents != nullptr) return string_of(value->contents, true);
  }
  if (value->kind == VariableKind::List || value->kind == VariableKind::Tuple || value->kind == VariableKind::Dict) {
    std::string made = value->kind == VariableKind::List ? "[" : value->kind == VariableKind::Tuple ? "(" : "{";
    for (std::size_t i = 0; i < value->items.size(); ++i) {
      if (i > 0) made += ", ";
      if (value->kind == VariableKind::Dict) {
        NNS_VARIABLE(key, string_of(value->keys[i], true));
        made += std::string(key->value.as<object::Str>()->view()) + ": ";
      }
      NNS_VARIABLE(item, string_of(value->items[i], true));
      made += item->value.as<object::Str>()->view();
    }
    if (value->kind == VariableKind::Tuple && value->items.size() == 1) made += ",";
    made += value->kind == VariableKind::List ? "]" : value->kind == VariableKind::Tuple ? ")" : "}";
    if (value->kind != VariableKind::Dict || value->cls == nullptr) return text(made);
    // A class of dicts shows itself.
    const std::string name(value->cls->name());
    if (name != "defaultdict") return text(value->keys.empty() ? name + "()" : fmt::format("{}({})", name, made));
    NNS_VARIABLE(factory, string_of(value->function == nullptr ? constant(Value()) : value->function, true));
    return text(fmt::format("{}({}, {})", name, factory->value.as<object::Str>()->view(), made));
  }
  return unsupported_builtin(is_repr ? "repr" : "str", {&value, 1}, false);
}

// str() and repr() of an exception.
Variable* Translator::exception_text(Variable* value, bool is_repr) {
  for (const char* name : {is_repr ? "__repr__" : "__str__"}) {
    const Value* written = type_of(*value).lookup(in_.intern(name));
    if (written != nullptr && python::as_function(*written) != nullptr)
      return inline_call(&function_of(*written), {&value, 1}, {});
  }
  if (is_repr) {
    NNS_VARIABLE(args, string_of(tuple(value->items), true));
    std::string shown(args->value.as<object::Str>()->view());
    if (value->items.size() == 1) shown = shown.substr(0, shown.size() - 2) + ")";
    return text(std::string(type_of(*value).name()) + shown);
  }
  if (value->items.empty()) return text("");
  if (value->items.size() == 1) return string_of(value->items[0], is_exception(*value, object::ErrorKind::KeyError));
  return string_of(tuple(value->items), true);
}

// format(value, specification).
Variable* Translator::format_value(Variable* given, Variable* specification) {
  NNS_VARIABLE(value, real(given));
  if (value->kind == VariableKind::Object && has_special(value, "__format__")) {
    const Value* written = type_of(*value).lookup(in_.intern("__format__"));
    if (python::as_function(*written) != nullptr) {
      Variable* args[] = {specification == nullptr ? text("") : specification};
      return call_method(value, in_.intern("__format__"), args);
    }
  }
  if (specification == nullptr) return string_of(value, false);
  const Value x = constant_value(value), how = constant_value(specification);
  if (has_failed()) return nullptr;
  if (x.is_absent() || how.is_absent()) return unsupported_builtin("format", {&value, 1}, false);
  PyResult<Value> made = in_.call(*machine_.builtins().find("format"), {x, how});
  return made.ok() ? constant(made.value()) : raise(made.error());
}

// text % values, of which some are no constants: those are shown first.
Variable* Translator::format_percent(Variable* self, Variable* values) {
  std::string format(self->value.as<object::Str>()->view());
  std::vector<std::size_t> letters;
  if (values->kind == VariableKind::Dict) {
    const Value whole = dict_of_constants(values);
    if (whole.is_absent()) return has_failed() ? nullptr : unsupported_builtin("mod", {&values, 1}, false);
    PyResult<Value> shown = object::binary(in_, object::BinaryOperator::Mod, self->value, whole);
    return shown.ok() ? constant(shown.value()) : raise(shown.error());
  }
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    const std::size_t end = format.find_first_not_of("#0- +123456789.hlL", i + 1);
    if (end == std::string::npos) break;
    // A star or a name takes more than the value itself.
    if (format[end] == '*' || format[end] == '(') return unsupported_builtin("mod", {&values, 1}, false);
    if (format[end] != '%') letters.push_back(end);
    i = end;
  }
  std::vector<Variable*> items = {values};
  if (values->kind == VariableKind::Tuple) items = values->items;
  if (items.size() != letters.size()) {
    return raise(object::ErrorKind::TypeError, items.size() < letters.size()
                                                   ? "not enough arguments for format string"
                                                   : "not all arguments converted during string formatting");
  }
  std::vector<Value> shown;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value value = constant_value(items[i]);
    if (has_failed()) return nullptr;
    if (value.is_absent()) {
      char& letter = format[letters[i]];
      if (letter != 's' && letter != 'r') return unsupported_builtin("mod", {&items[i], 1}, false);
      NNS_VARIABLE(text, string_of(items[i], letter == 'r'));
      letter = 's';
      value = text->value;
    }
    shown.push_back(std::move(value));
  }
  PyResult<Value> made =
      object::binary(in_, object::BinaryOperator::Mod, in_.text(format), Value(in_.tuple(std::move(shown))));
  return made.ok() ? constant(made.value()) : raise(made.error());
}

// str.format(): what is no constant is shown first, where the text asks for no more than that.
Variable* Translator::format_text(Variable* self, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  const auto shown = [&](Variable* given) -> Value {
    Value value = constant_value(given);
    if (!value.is_absent() || has_failed()) return value;
    const Variable* text = format_value(given, nullptr);
    return text == nullptr ? Value::absent() : text->value;
  };
  for (Variable* arg : args) {
    positional.push_back(shown(arg));
    if (has_failed()) return nullptr;
  }
  for (const KeywordArgument& keyword : keywords) {
    named.push_back({keyword.name, shown(keyword.value)});
    if (has_failed()) return nullptr;
  }
  PyResult<Value> format = object::getattr(in_, self->value, in_.intern("format"));
  if (!format.ok()) return raise(format.error());
  PyResult<Value> made = in_.call(format.value(), positional, named);
  return made.ok() ? constant(made.value()) : raise(made.error());
}

}  // namespace nns::dynamo
