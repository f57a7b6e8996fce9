#include <fmt/format.h>

#include <cmath>

#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

PyResult<std::string> joined(Interpreter& interpreter, std::span<const Value> items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Value item = items[i];
    NNS_TRY_ASSIGN(const std::string one, repr(interpreter, item));
    text += (i > 0 ? ", " : "") + one;
  }
  return text;
}

PyResult<std::string> dict_text(Interpreter& interpreter, Dict& dict) {
  std::string text = "{";
  for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) {
    const Value key = entry->key, value = entry->value;
    NNS_TRY_ASSIGN(const std::string key_text, repr(interpreter, key));
    NNS_TRY_ASSIGN(const std::string value_text, repr(interpreter, value));
    text += (text.size() > 1 ? ", " : "") + key_text + ": " + value_text;
  }
  return text + "}";
}

PyResult<std::string> view_text(Interpreter& interpreter, const DictView& view) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(interpreter, Value(const_cast<DictView*>(&view))));
  NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, items));
  return fmt::format("{}([{}])", view.type().name(), inner);
}

}  // namespace

PyResult<std::string> default_repr(Interpreter& interpreter, const Value& value) {
  if (const Str* text = value.as<Str>()) return str_repr(text->view());
  if (const Tuple* tuple = value.as<Tuple>()) {
    NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, tuple->items()));
    return "(" + inner + (tuple->size() == 1 ? ",)" : ")");
  }
  if (const List* list = value.as<List>()) {
    const std::vector<Value> items = list->items();
    NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, items));
    return "[" + inner + "]";
  }
  if (Dict* dict = value.as<Dict>()) {
    const bool ordered = dict->type().is_subclass_of(*interpreter.builtins().ordered_dict);
    if (ordered && dict->empty()) return fmt::format("{}()", dict->type().name());
    NNS_TRY_ASSIGN(const std::string inner, dict_text(interpreter, *dict));
    return ordered ? fmt::format("{}({})", dict->type().name(), inner) : inner;
  }
  if (const Set* set = value.as<Set>()) {
    if (set->size() == 0) return std::string("set()");
    NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, set->keys().keys()));
    return "{" + inner + "}";
  }
  if (const Class* cls = value.as<Class>()) return class_repr(*cls);
  if (const NativeFunction* function = value.as<NativeFunction>()) {
    return fmt::format("<function {} at {}>", function->qualified_name(), fmt::ptr(function));
  }
  if (const DictView* view = value.as<DictView>()) return view_text(interpreter, *view);
  if (const Slice* slice = value.as<Slice>()) return slice->text();
  if (const Exception* exception = value.as<Exception>()) {
    const auto arguments = exception->arguments();
    NNS_TRY_ASSIGN(const std::string inner,
                   joined(interpreter, arguments ? arguments->items() : std::span<const Value>()));
    return fmt::format("{}({})", exception->type().name(), inner);
  }
  return fmt::format("<{} object at {}>", value.object()->type().full_name(), fmt::ptr(value.object()));
}

// Behaviour: CPython Objects/floatobject.c, float_repr: repr style 'r', exponent from 1e16 on and below 1e-4.
std::string float_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Behaviour: CPython Objects/unicodeobject.c, unicode_repr.
std::string str_repr(std::string_view text) {
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string class_repr(const Class& cls) { return fmt::format("<class '{}'>", cls.full_name()); }

PyResult<std::string> repr(Interpreter& interpreter, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Absent:
    case Value::Kind::None:
      return std::string("None");
    case Value::Kind::Bool:
      return std::string(value.as_bool() ? "True" : "False");
    case Value::Kind::Int:
      return fmt::format("{}", value.as_int());
    case Value::Kind::Float:
      return float_repr(value.as_float());
    case Value::Kind::Empty:
      return repr(interpreter, interpreter.make_empty(value.as_empty_kind()));
    case Value::Kind::Object:
      break;
  }
  const Interpreter::Depth depth(interpreter);
  if (depth.too_deep()) return interpreter.recursion_error();
  Class& cls = value.object()->type();
  const Value* method = cls.lookup(interpreter.names().dunder_repr);
  if (value.as<Class>() != nullptr || method == nullptr ||
      method->is(*interpreter.builtins().object->lookup(interpreter.names().dunder_repr))) {
    return default_repr(interpreter, value);
  }
  NNS_TRY_ASSIGN(const Value text, interpreter.call_special(value, interpreter.names().dunder_repr));
  if (const Str* answer = text.as<Str>()) return std::string(answer->view());
  return type_error(interpreter, "__repr__ returned non-string (type {})", interpreter.type_of(text).name());
}

PyResult<std::string> str(Interpreter& interpreter, const Value& value) {
  if (const Str* text = value.as<Str>()) return std::string(text->view());
  if (value.is_object() && value.as<Class>() == nullptr) {
    if (interpreter.type_of(value).lookup(interpreter.names().dunder_str) != nullptr) {
      NNS_TRY_ASSIGN(const Value text, interpreter.call_special(value, interpreter.names().dunder_str));
      if (const Str* answer = text.as<Str>()) return std::string(answer->view());
      return type_error(interpreter, "__str__ returned non-string (type {})", interpreter.type_of(text).name());
    }
    if (const Exception* exception = value.as<Exception>()) return exception->text();
  }
  return repr(interpreter, value);
}

}  // namespace nns::object
