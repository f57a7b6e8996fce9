#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/quoted_text.h"
#include "core/object/bytes.h"
#include "core/object/characters.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/range.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

PyResult<std::string> joined(Interpreter& interpreter, std::span<const Value> items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    NNS_TRY_ASSIGN(const std::string one, repr(interpreter, items[i]));
    text.append(i > 0 ? ", " : "").append(one);
  }
  return text;
}

PyResult<std::string> dict_text(Interpreter& interpreter, Dict& dict) {
  std::string text = "{";
  for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) {
    const Value key = entry->key, value = entry->value;
    NNS_TRY_ASSIGN(const std::string key_text, repr(interpreter, key));
    NNS_TRY_ASSIGN(const std::string value_text, repr(interpreter, value));
    text.append(text.size() > 1 ? ", " : "").append(key_text).append(": ").append(value_text);
  }
  return text + "}";
}

PyResult<std::string> view_text(Interpreter& interpreter, const DictView& view) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(interpreter, Value(const_cast<DictView*>(&view))));
  NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, items));
  return fmt::format("{}([{}])", view.type().name(), inner);
}

// Marks a container as being shown, for as long as it lives.
class Shown {
 public:
  Shown(Interpreter& interpreter, const Object& object) : all_(interpreter.shown_now()) {
    is_again_ = std::find(all_.begin(), all_.end(), &object) != all_.end();
    all_.push_back(&object);
  }
  ~Shown() { all_.pop_back(); }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  /// Whether it is inside itself.
  bool is_again() const { return is_again_; }

 private:
  std::vector<const Object*>& all_;
  bool is_again_;
};

PyResult<std::string> container_text(Interpreter& interpreter, const Value& value) {
  // A level of containers takes as much of the stack of C++ as two calls: 1 MB, a web page's, has to do.
  const Interpreter::Depth depth(interpreter);
  if (depth.too_deep()) return interpreter.recursion_error();
  const Shown shown(interpreter, *value.object());
  if (const Tuple* tuple = value.as<Tuple>()) {
    if (shown.is_again()) return std::string("(...)");
    NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, tuple->items()));
    return "(" + inner + (tuple->size() == 1 ? ",)" : ")");
  }
  if (const List* list = value.as<List>()) {
    if (shown.is_again()) return std::string("[...]");
    const std::vector<Value> items = list->items();
    NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, items));
    return "[" + inner + "]";
  }
  const std::string_view name = value.object()->type().name();
  if (Dict* dict = value.as<Dict>()) {
    const bool ordered = dict->type().is_subclass_of(*interpreter.builtins().ordered_dict);
    if (shown.is_again()) return std::string(ordered ? "..." : "{...}");
    if (ordered && dict->empty()) return fmt::format("{}()", name);
    NNS_TRY_ASSIGN(const std::string inner, dict_text(interpreter, *dict));
    return ordered ? fmt::format("{}({})", name, inner) : inner;
  }
  const Set& set = *value.as<Set>();
  if (shown.is_again()) return fmt::format("{}(...)", name);
  if (set.size() == 0) return fmt::format("{}()", name);
  NNS_TRY_ASSIGN(const std::string inner, joined(interpreter, set.keys().keys()));
  const bool plain = &set.type() == interpreter.builtins().set;
  return plain ? "{" + inner + "}" : fmt::format("{}({{{}}})", name, inner);
}

PyResult<std::string> method_text(Interpreter& interpreter, const BoundMethod& method) {
  NNS_TRY_ASSIGN(const Value name,
                 getattr_or_absent(interpreter, method.function(), interpreter.names().dunder_qualname));
  const Str* text = name.as<Str>();
  const std::string_view shown = text == nullptr ? "?" : text->view();
  // Of a class of the program it is a class method; of ours, one of C++.
  const auto* const cls = method.self().as<Class>();
  if (is_exact(method.self()) && method.self().is_object() && (cls == nullptr || cls->is_immutable())) {
    return fmt::format("<built-in method {} of {} object at {}>", shown.substr(shown.rfind('.') + 1),
                       interpreter.type_of(method.self()).name(), fmt::ptr(method.self().object()));
  }
  NNS_TRY_ASSIGN(const std::string self, repr(interpreter, method.self()));
  return fmt::format("<bound method {} of {}>", shown, self);
}

PyResult<std::string> slice_text(Interpreter& interpreter, const Slice& slice) {
  NNS_TRY_ASSIGN(const std::string start, repr(interpreter, slice.start()));
  NNS_TRY_ASSIGN(const std::string stop, repr(interpreter, slice.stop()));
  NNS_TRY_ASSIGN(const std::string step, repr(interpreter, slice.step()));
  return fmt::format("slice({}, {}, {})", start, stop, step);
}

}  // namespace

PyResult<std::string> default_repr(Interpreter& interpreter, const Value& value) {
  if (!value.is_object()) return repr(interpreter, value);
  const Object& object = *value.object();
  switch (object.kind()) {
    case ObjectKind::Str:
      return str_repr(value.as<Str>()->view());
    case ObjectKind::Tuple:
    case ObjectKind::List:
    case ObjectKind::Dict:
    case ObjectKind::Set:
      return container_text(interpreter, value);
    case ObjectKind::Class:
      return class_repr(*value.as<Class>());
    case ObjectKind::NativeFunction: {
      const NativeFunction& function = *value.as<NativeFunction>();
      if (&function.type() == interpreter.builtins().builtin_function) {
        return fmt::format("<built-in function {}>", function.name());
      }
      return fmt::format("<function {} at {}>", function.qualified_name(), fmt::ptr(&function));
    }
    case ObjectKind::BigInt:
      return integer_repr(interpreter, value);
    case ObjectKind::Number:
      return repr(interpreter, plain_number(value));
    case ObjectKind::Complex:
      return complex_repr(value.as<Complex>()->number());
    case ObjectKind::Bytes: {
      const Bytes& bytes = *value.as<Bytes>();
      const std::string text = bytes_repr(bytes.view());
      return bytes.is_array() ? fmt::format("{}({})", bytes.type().name(), text) : text;
    }
    case ObjectKind::Range: {
      const Range& range = *value.as<Range>();
      return range.step() == 1 ? fmt::format("range({}, {})", range.start(), range.stop())
                               : fmt::format("range({}, {}, {})", range.start(), range.stop(), range.step());
    }
    default:
      break;
  }
  if (const DictView* view = value.as<DictView>()) return view_text(interpreter, *view);
  if (const Slice* slice = value.as<Slice>()) return slice_text(interpreter, *slice);
  if (const BoundMethod* method = value.as<BoundMethod>()) return method_text(interpreter, *method);
  if (const Member* member = value.as<Member>()) {
    return fmt::format("<member '{}' of '{}' objects>", member->name().view(), member->owner_name());
  }
  if (const Exception* exception = value.as<Exception>()) {
    const auto arguments = exception->arguments();
    NNS_TRY_ASSIGN(const std::string inner,
                   joined(interpreter, arguments ? arguments->items() : std::span<const Value>()));
    return fmt::format("{}({})", exception->type().name(), inner);
  }
  return fmt::format("<{} object at {}>", object.type().full_name(), fmt::ptr(&object));
}

// Behaviour: CPython Objects/floatobject.c, float_repr: repr style 'r', exponent from 1e16 on and below 1e-4.
std::string float_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string str_repr(std::string_view text) { return base::quoted_text(text, is_printable); }

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
  if (is_exact(value) && value.object()->kind() != ObjectKind::Class) {
    // Classes of our own with a text of their own have a method for it.
    if (own_special(interpreter, value, interpreter.names().dunder_repr) == nullptr ||
        value.object()->kind() != ObjectKind::Other) {
      return default_repr(interpreter, value);
    }
  }
  if (own_special(interpreter, value, interpreter.names().dunder_repr) == nullptr) {
    return default_repr(interpreter, value);
  }
  NNS_TRY_ASSIGN(const Value text, interpreter.call_special(value, interpreter.names().dunder_repr));
  if (const Str* answer = text.as<Str>()) return std::string(answer->view());
  return type_error(interpreter, "__repr__ returned non-string (type {})", interpreter.type_of(text).name());
}

PyResult<std::string> default_str(Interpreter& interpreter, const Value& value) {
  if (const Str* text = value.as<Str>()) return std::string(text->view());
  if (const Exception* exception = value.as<Exception>()) return exception->text();
  return repr(interpreter, value);
}

PyResult<std::string> str(Interpreter& interpreter, const Value& value) {
  if (!value.is_object()) return repr(interpreter, value);
  if (is_exact(value) && value.as<Str>() != nullptr) return std::string(value.as<Str>()->view());
  if (own_special(interpreter, value, interpreter.names().dunder_str) != nullptr) {
    NNS_TRY_ASSIGN(const Value text, interpreter.call_special(value, interpreter.names().dunder_str));
    if (const Str* answer = text.as<Str>()) return std::string(answer->view());
    return type_error(interpreter, "__str__ returned non-string (type {})", interpreter.type_of(text).name());
  }
  return default_str(interpreter, value);
}

}  // namespace nns::object
