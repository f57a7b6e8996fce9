// Builtins that ask objects of the program: int(), hash(), vars(), copy.copy() and their like.
// Behaviour: torch/_dynamo/variables/object_protocol.py, builtin.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

// Whether a text is an expression of numbers and literals alone: no name, no call.
bool is_literal_expression(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool is_in_number = i > 0 && ((text[i - 1] >= '0' && text[i - 1] <= '9') || text[i - 1] == '.');
    if (is_letter && !is_in_number) {
      std::size_t end = i;
      while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || (text[end] >= 'A' && text[end] <= 'Z')))
        ++end;
      const std::string_view word = text.substr(i, end - i);
      if (word != "True" && word != "False" && word != "None") return false;
      i = end - 1;
    }
    if (c == '(' && i > 0) {
      const char before = text[i - 1];
      if (before == ')' || before == ']' || before == '"' || before == '\'') return false;
    }
  }
  return quote == 0;
}

}  // namespace

// Null without a failure and is_known false: it is none of these.
Variable* Translator::call_protocol_builtin(std::string_view name, Arguments args, Keywords keywords, bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  struct Row {
    std::string_view name, method;
    std::size_t least, most;
  };
  constexpr Row kMethods[] = {
      {"int", "__int__", 1, 1},     {"float", "__float__", 1, 1}, {"complex", "__complex__", 1, 1},
      {"abs", "__abs__", 1, 1},     {"round", "__round__", 1, 2}, {"hash", "__hash__", 1, 1},
      {"trunc", "__trunc__", 1, 1}, {"floor", "__floor__", 1, 1}, {"ceil", "__ceil__", 1, 1},
      {"bytes", "__bytes__", 1, 1}, {"dir", "__dir__", 1, 1}};
  for (const Row& row : kMethods) {
    if (row.name != name || count < row.least || count > row.most || !keywords.empty()) continue;
    NNS_VARIABLE(self, real(args[0]));
    if (self->kind != VariableKind::Object) break;
    for (const std::string_view method : {row.method, std::string_view("__index__")}) {
      if (method == "__index__" && name != "int" && name != "float" && name != "complex") break;
      const Value* found = type_of(*self).lookup(in_.intern(method));
      if (found != nullptr && python::as_function(*found) != nullptr)
        return call_method(self, in_.intern(method), args.subspan(1));
    }
    break;
  }
  if (name == "divmod" && count == 2) {
    NNS_VARIABLE(a, real(args[0]));
    NNS_VARIABLE(b, real(args[1]));
    Variable* made = try_operator(a, b, in_.intern("__divmod__"));
    if (made == nullptr && !has_failed()) made = try_operator(b, a, in_.intern("__rdivmod__"));
    if (made != nullptr || has_failed()) return made;
  }
  if (name == "pow" && count == 2 && keywords.empty())
    return binary(object::BinaryOperator::Pow, args[0], args[1], false);
  if (name == "format" && (count == 1 || count == 2) && keywords.empty())
    return format_value(args[0], count == 2 ? args[1] : nullptr);
  if (name == "vars" && count == 1) {
    Variable* made = load_attribute(args[0], in_.intern("__dict__"));
    if (made == nullptr && failure_.kind == Failure::Kind::Observed) {
      failure_ = {};
      return raise(object::ErrorKind::TypeError, "vars() argument must have __dict__ attribute");
    }
    return made;
  }
  if ((name == "locals" || name == "vars") && count == 0) return local_names(*frame_);
  if (name == "eval" && count == 1 && keywords.empty()) {
    const Value source = constant_value(args[0]);
    const auto* text = source.as<object::Str>();
    if (text != nullptr && is_literal_expression(text->view())) {
      PyResult<Value> made = in_.call(engine_.builtin("eval"), {source, Value(in_.dict())});
      return made.ok() ? build(made.value(), nullptr) : raise(made.error());
    }
  }
  is_known = false;
  return nullptr;
}

// locals() of the frame that runs: a dict of its own.
Variable* Translator::local_names(const TracedFrame& frame) {
  const Code& code = *frame.code;
  Variable* made = dict();
  const auto add = [&](Name name, Variable* value) {
    if (value == nullptr || name.view().starts_with(".")) return;
    made->keys.push_back(constant(name.value()));
    made->items.push_back(value);
  };
  for (std::size_t i = 0; i < code.locals.size(); ++i) {
    bool is_cell = false;
    for (std::size_t k = 0; k < code.cells.size(); ++k)
      is_cell = is_cell || code.cell_parameters[k] == static_cast<std::int32_t>(i);
    if (!is_cell) add(code.locals[i], frame.slots[i]);
  }
  for (std::size_t i = code.locals.size(); i < frame.slots.size(); ++i) {
    const std::size_t at = i - code.locals.size();
    add(at < code.cells.size() ? code.cells[at] : code.free[at - code.cells.size()], frame.slots[i]->function);
  }
  return made;
}

Value Translator::dict_of_constants(Variable* dict) {
  const Ref<Dict> made = in_.dict();
  for (std::size_t i = 0; i < dict->keys.size(); ++i) {
    Value key = constant_value(dict->keys[i]), value = constant_value(dict->items[i]);
    if (key.is_absent() || value.is_absent()) return Value::absent();
    made->set(std::move(key), std::move(value));
  }
  return made;
}

// A constant, or a list, tuple, set or dict of them as it is now; Absent: it is none.
Value Translator::folded_value(Variable* given) {
  Value value = constant_value(given);
  if (!value.is_absent() || has_failed()) return value;
  Variable* one = real(given);
  if (one->kind == VariableKind::Dict && one->cls == nullptr) return dict_of_constants(one);
  const bool is_sequence = one->kind == VariableKind::List || one->kind == VariableKind::Tuple;
  if ((!is_sequence && one->kind != VariableKind::Set) || one->cls != nullptr) return Value::absent();
  std::vector<Value> items;
  for (Variable* item : one->items) {
    items.push_back(folded_value(item));
    if (items.back().is_absent()) return items.back();
  }
  if (one->kind == VariableKind::Tuple) return in_.tuple(std::move(items));
  if (one->kind == VariableKind::List) return in_.list(std::move(items));
  const Ref<object::Set> made = in_.set();
  for (Value& item : items) made->add(std::move(item));
  return made;
}

// dict.fromkeys() and that of OrderedDict. Behaviour: torch/_dynamo/variables/builtin.py, call_custom_dict_fromkeys.
Variable* Translator::dict_from_keys(Variable& cls, Arguments args) {
  const Class& wanted = *cls.value.as<Class>();
  const auto& builtins = in_.builtins();
  if (&wanted != builtins.dict && &wanted != builtins.ordered_dict && wanted.name() != "defaultdict") {
    return unsupported("Unsupported dict type for fromkeys()", fmt::format("{}.fromkeys()", wanted.name()),
                       fmt::format("Failed to call {0}.fromkeys() because {0} is not any type of dict, OrderedDict, or "
                                   "defaultdict",
                                   wanted.name()),
                       {fmt::format("Ensure {} is a type of dict, OrderedDict, or defaultdict.", wanted.name())});
  }
  std::vector<Variable*> keys;
  if (!items_of(args[0], keys)) return nullptr;
  Variable* made = dict();
  if (&wanted != builtins.dict) made->cls = cls.value.as<Class>();
  for (Variable* key : keys) {
    if (!set_item(made, key, args.size() == 2 ? args[1] : constant(Value()))) return nullptr;
  }
  return made;
}

// sys.exc_info() and sys.exception(): what the frame, or one around it, handles.
Variable* Translator::handled_exception(std::string_view name) {
  Variable* handled = nullptr;
  for (const TracedFrame* frame = frame_; frame != nullptr && handled == nullptr; frame = frame->back) {
    if (!frame->handled.empty()) handled = frame->handled.back();
  }
  Variable* none = constant(Value());
  if (name == "exception") return handled == nullptr ? none : handled;
  if (handled == nullptr) return tuple({none, none, none});
  Variable& cls = arena_->make(VariableKind::Class);
  cls.value = handled->value;
  return tuple({&cls, handled, none});
}

// copy.copy() of a container or a constant; null without a failure: what it is copies itself in other ways.
Variable* Translator::copy_of(Variable* given, bool is_deep, std::map<const Variable*, Variable*>& done) {
  NNS_VARIABLE(value, real(given));
  if (const auto known = done.find(value); known != done.end()) return known->second;
  const auto inner = [&](Variable* item) { return is_deep ? copy_of(item, true, done) : item; };
  switch (value->kind) {
    case VariableKind::Constant:
    case VariableKind::Class:
    case VariableKind::Function:
    case VariableKind::Builtin:
    case VariableKind::PythonModule:
      return value;
    case VariableKind::Tuple:
      if (!is_deep) return value;
      [[fallthrough]];
    case VariableKind::List:
    case VariableKind::Set:
    case VariableKind::Dict: {
      if (value->kind == VariableKind::Set && value->cls != nullptr && !is_deep) return value;
      Variable& made = arena_->make(value->kind);
      made.is_new = true;
      made.cls = value->cls;
      made.function = value->function;
      done[value] = &made;
      if (value->kind == VariableKind::Dict) guard_keys(*value);
      for (Variable* key : value->keys) {
        NNS_VARIABLE(one, inner(key));
        made.keys.push_back(one);
      }
      for (Variable* item : value->items) {
        NNS_VARIABLE(one, inner(item));
        made.items.push_back(one);
      }
      return &made;
    }
    case VariableKind::Object: {
      Class& cls = type_of(*value);
      const Name own = in_.intern(is_deep ? "__deepcopy__" : "__copy__");
      if (has_special(value, own.view())) {
        Variable* memo[] = {dict()};
        return call_method(value, own, std::span<Variable* const>(memo, is_deep ? 1 : 0));
      }
      for (const char* special : {"__reduce_ex__", "__reduce__", "__getstate__", "__setstate__"}) {
        const Value* found = cls.lookup(in_.intern(special));
        if (found != nullptr && python::as_function(*found) != nullptr) return nullptr;
      }
      if (is_module(*value) || cls.is_immutable() || value->contents != nullptr) return nullptr;
      NNS_VARIABLE(made, allocate(cls, {}));
      done[value] = made;
      bool is_found = false;
      NNS_VARIABLE(attributes, own_attribute(value, in_.intern("__dict__"), is_found));
      bool is_known = false;
      NNS_VARIABLE(held, call_dict_method(attributes, "copy", {}, {}, is_known));
      for (std::size_t i = 0; i < held->keys.size(); ++i) {
        NNS_VARIABLE(one, inner(held->items[i]));
        NNS_VARIABLE(stored, real(one));
        if (!plain_store(made, in_.intern(key_of(*held->keys[i]).as<object::Str>()->view()), stored)) return nullptr;
      }
      return made;
    }
    default:
      return nullptr;
  }
}

// collections.namedtuple() with constants makes the class.
Variable* Translator::call_named_tuple(const Value& function, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  for (Variable* arg : args) {
    Value value = constant_value(arg);
    std::vector<Variable*> items;
    if (value.is_absent() && !has_failed() && real(arg)->kind == VariableKind::List && items_of(arg, items)) {
      std::vector<Value> values;
      for (Variable* item : items) values.push_back(constant_value(item));
      const bool is_whole =
          std::none_of(values.begin(), values.end(), [](const Value& one) { return one.is_absent(); });
      if (is_whole) value = in_.list(std::move(values));
    }
    if (value.is_absent()) return has_failed() ? nullptr : unsupported_builtin("namedtuple", args, !keywords.empty());
    positional.push_back(std::move(value));
  }
  for (const KeywordArgument& keyword : keywords) {
    Value value = constant_value(keyword.value);
    std::vector<Variable*> items;
    if (value.is_absent() && !has_failed() && items_of(keyword.value, items)) {
      std::vector<Value> values;
      for (Variable* item : items) values.push_back(constant_value(item));
      value = in_.list(std::move(values));
    }
    if (has_failed()) return nullptr;
    named.push_back({keyword.name, std::move(value)});
  }
  named.push_back({in_.intern("module"), in_.text("__main__")});
  PyResult<Value> made = in_.call(function, positional, named);
  return made.ok() ? build(made.value(), nullptr) : raise(made.error());
}

}  // namespace nns::dynamo
