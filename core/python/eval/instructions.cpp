// What the instructions do that is more than moving values.
#include <fmt/format.h>

#include <algorithm>

#include "core/object/format.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/python/eval/machine.h"

namespace nns::python {

using object::ErrorKind;
using object::List;
using object::Str;
using object::Tuple;

std::string callee_name(Interpreter& interpreter, const Value& callee) {
  const auto text_of = [&](std::string_view attribute) -> std::string {
    const PyResult<Value> found = object::getattr_or_absent(interpreter, callee, interpreter.intern(attribute));
    const Str* text = found.ok() ? found.value().as<Str>() : nullptr;
    return text == nullptr ? std::string() : std::string(text->view());
  };
  const std::string name = text_of("__qualname__");
  if (name.empty()) {
    PyResult<std::string> shown = object::repr(interpreter, callee);
    return shown.ok() ? std::move(shown).value() : std::string("object");
  }
  const std::string module = text_of("__module__");
  return module.empty() || module == "builtins" ? fmt::format("{}()", name) : fmt::format("{}.{}()", module, name);
}

// Builtins that are written in Python are loaded when a program names them.
PyResult<Value> Machine::late_builtin(Name name) {
  if (name.view() == "memoryview") {
    NNS_TRY_ASSIGN(const Value module, import_module("_memoryview", 0, nullptr));
    NNS_TRY_ASSIGN(Value found, object::getattr(interpreter_, module, name));
    builtins_->set(name, found);
    return found;
  }
  return with_name(object::error<ErrorKind::NameError>(interpreter_, "name '{}' is not defined", name.view()),
                   interpreter_, name.view());
}

PyResult<Value> Machine::load_global(Frame& frame, const Instruction& instruction, Name name) {
  // The hint is the slot in whichever of the two dicts has the name.
  const auto slot_in = [&](Dict& dict) {
    std::uint32_t slot = 0;
    std::size_t at = 0;
    while (Dict::Entry* entry = dict.next(at)) {
      if (entry->key.object() == static_cast<object::Object*>(&name.str())) {
        slot = static_cast<std::uint32_t>(at - 1);
        break;
      }
    }
    return slot;
  };
  if (const Value* found = frame.globals->find(name)) {
    instruction.hint = slot_in(*frame.globals);
    return *found;
  }
  if (const Value* found = builtins_->find(name)) {
    instruction.hint = slot_in(*builtins_);
    return *found;
  }
  return late_builtin(name);
}

PyResult<Value> Machine::load_name(Frame& frame, const Instruction& instruction, Name name) {
  if (frame.names) {
    if (const Value* known = frame.names->raw_at(instruction.hint, name);
        known != nullptr && !known->is_empty_container()) {
      return *known;
    }
    if (const Value* found = frame.names->find(name)) return *found;
  }
  if (const Value* found = frame.globals->find(name)) return *found;
  if (const Value* found = builtins_->find(name)) return *found;
  return late_builtin(name);
}

PyResult<Value> Machine::load_attribute(const Value& object, Name name) {
  if (object.is_object() && &object.object()->type() == classes.super) {
    const auto& super = static_cast<const Super&>(*object.object());
    NNS_TRY_ASSIGN(Value found, super_attribute(super, name));
    if (!found.is_absent()) return found;
    return object::attribute_error(interpreter_, "'super' object has no attribute '{}'", name.view());
  }
  return object::getattr(interpreter_, object, name);
}

PyError Machine::out_of_steps() {
  return object::runtime_error(interpreter_, "the program was stopped after {} steps", limits.steps);
}

PyError Machine::unbound(const Frame& frame, std::uint32_t slot, bool is_cell) {
  const Code& code = *frame.code;
  if (!is_cell) {
    return object::error<ErrorKind::UnboundLocalError>(
        interpreter_, "cannot access local variable '{}' where it is not associated with a value",
        code.locals[slot].view());
  }
  if (slot < code.cells.size()) {
    return object::error<ErrorKind::UnboundLocalError>(
        interpreter_, "cannot access local variable '{}' where it is not associated with a value",
        code.cells[slot].view());
  }
  return object::error<ErrorKind::NameError>(
      interpreter_, "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
      code.free[slot - code.cells.size()].view());
}

PyResult<Value> Machine::make_function(Frame& frame, std::uint32_t parts) {
  Value*& top = frame.top;
  const Ref<Code> code(static_cast<Code*>(top[-1].object()));
  *--top = Value();
  const Ref<Function> function = object::make<Function>(interpreter_, code, Ref<Dict>(frame.globals));
  Value defaults, keyword_defaults;
  if ((parts & kHasAnnotations) != 0) {
    function->annotate = top[-1];
    if (Function* annotate = as_function(top[-1])) annotate->names = frame.names;
    *--top = Value();
  }
  if ((parts & kHasKeywordDefaults) != 0) keyword_defaults = std::move(*--top);
  if ((parts & kHasDefaults) != 0) defaults = std::move(*--top);
  if (!defaults.is_none() || !keyword_defaults.is_none()) {
    function->set_defaults(std::move(defaults), std::move(keyword_defaults));
  }
  if ((parts & kHasClosure) != 0) {
    for (const Value& cell : top[-1].as<Tuple>()->items()) {
      function->closure.emplace_back(static_cast<Cell*>(cell.object()));
    }
    *--top = Value();
  }
  // __module__ is that of the globals.
  if (const Value* module = frame.globals->find(interpreter_.names().dunder_name)) {
    function->instance_dict(true)->set(interpreter_.names().dunder_module, *module);
  }
  return Value(function);
}

PyResult<void> Machine::unpack(const Value& iterable, std::uint32_t count, Frame& frame) {
  Interpreter& in = interpreter_;
  if (!object::can_iterate(in, iterable)) {
    return object::type_error(in, "cannot unpack non-iterable {} object", in.type_of(iterable).name());
  }
  NNS_TRY_ASSIGN(const Value iterator, object::iter(in, iterable));
  std::vector<Value> items;
  while (items.size() <= count) {
    NNS_TRY_ASSIGN(Value item, object::next(in, iterator));
    if (item.is_absent()) break;
    items.push_back(std::move(item));
  }
  if (items.size() < count) {
    return object::value_error(in, "not enough values to unpack (expected {}, got {})", count, items.size());
  }
  if (items.size() > count) {
    // Behaviour: Python 3.14 tells how many there are where it can know.
    const bool is_sized =
        iterable.as<List>() != nullptr || iterable.as<Tuple>() != nullptr || iterable.as<Dict>() != nullptr;
    if (is_sized) {
      NNS_TRY_ASSIGN(const std::int64_t length, object::length(in, iterable));
      return object::value_error(in, "too many values to unpack (expected {}, got {})", count, length);
    }
    return object::value_error(in, "too many values to unpack (expected {})", count);
  }
  for (std::uint32_t i = count; i-- > 0;) *frame.top++ = std::move(items[i]);
  return {};
}

PyResult<void> Machine::unpack_star(const Value& iterable, std::uint32_t before, std::uint32_t after, Frame& frame) {
  Interpreter& in = interpreter_;
  if (!object::can_iterate(in, iterable)) {
    return object::type_error(in, "cannot unpack non-iterable {} object", in.type_of(iterable).name());
  }
  NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, iterable));
  if (items.size() < before + after) {
    return object::value_error(in, "not enough values to unpack (expected at least {}, got {})", before + after,
                               items.size());
  }
  const std::size_t behind = items.size() - after;
  for (std::size_t i = items.size(); i-- > behind;) *frame.top++ = items[i];
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(before);
  *frame.top++ = in.list(std::vector<Value>(first, items.begin() + static_cast<std::ptrdiff_t>(behind)));
  for (std::size_t i = before; i-- > 0;) *frame.top++ = items[i];
  return {};
}

PyResult<Value> Machine::format_value(const Value& value, std::uint32_t conversion, const Value* specification) {
  Interpreter& in = interpreter_;
  if (value.is_int() && specification == nullptr) {
    // Whatever the conversion: its digits.
    const fmt::format_int digits(value.as_int());
    return in.text({digits.data(), digits.size()});
  }
  Value converted = value;
  if (conversion == 's') {
    NNS_TRY_ASSIGN(const std::string text, object::str(in, value));
    converted = in.text(text);
  } else if (conversion == 'r') {
    NNS_TRY_ASSIGN(const std::string text, object::repr(in, value));
    converted = in.text(text);
  } else if (conversion == 'a') {
    NNS_TRY_ASSIGN(converted, in.call(*builtins_->find("ascii"), {value}));
  }
  const std::string_view spec = specification == nullptr ? std::string_view() : specification->as<Str>()->view();
  if (spec.empty() && converted.as<Str>() != nullptr && &converted.object()->type() == in.builtins().str)
    return converted;
  NNS_TRY_ASSIGN(const std::string text, object::format(in, converted, spec));
  return in.text(text);
}

PyResult<void> Machine::merge_keywords(const Value& function, Dict& into, const Value& mapping) {
  Interpreter& in = interpreter_;
  const auto add = [&](const Value& key, const Value& value) -> PyResult<void> {
    Str* name = key.as<Str>();
    if (name == nullptr) return object::type_error(in, "keywords must be strings");
    if (into.contains(key)) {
      return object::type_error(in, "{} got multiple values for keyword argument '{}'", callee_name(in, function),
                                name->view());
    }
    into.set(in.intern(*name), value);
    return {};
  };
  if (Dict* dict = mapping.as<Dict>(); dict != nullptr && &dict->type() == in.builtins().dict) {
    for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) NNS_TRY(add(entry->key, entry->value));
    return {};
  }
  if (in.type_of(mapping).lookup(in.names().keys) == nullptr) {
    return object::type_error(in, "{} argument after ** must be a mapping, not {}", callee_name(in, function),
                              in.type_of(mapping).name());
  }
  NNS_TRY_ASSIGN(const Value keys, in.call_method(mapping, in.names().keys));
  return object::for_each(in, keys, [&](const Value& key) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value value, object::getitem(in, mapping, key));
    return add(key, value);
  });
}

PyResult<Value> Machine::compare(std::uint32_t op, const Value& a, const Value& b) {
  Interpreter& in = interpreter_;
  switch (static_cast<CompareOp>(op)) {
    case CompareOp::Eq:
      return object::binary(in, object::BinaryOperator::Eq, a, b);
    case CompareOp::Ne:
      return object::binary(in, object::BinaryOperator::Ne, a, b);
    case CompareOp::Lt:
      return object::binary(in, object::BinaryOperator::Lt, a, b);
    case CompareOp::Le:
      return object::binary(in, object::BinaryOperator::Le, a, b);
    case CompareOp::Gt:
      return object::binary(in, object::BinaryOperator::Gt, a, b);
    case CompareOp::Ge:
      return object::binary(in, object::BinaryOperator::Ge, a, b);
    case CompareOp::Is:
      return Value(a.is(b));
    case CompareOp::IsNot:
      return Value(!a.is(b));
    case CompareOp::In:
    case CompareOp::NotIn: {
      NNS_TRY_ASSIGN(const bool is_in, object::contains(in, b, a));
      return Value(is_in == (static_cast<CompareOp>(op) == CompareOp::In));
    }
  }
  return Value();
}

PyResult<Ref<object::Exception>> Machine::exception_of(const Value& given) {
  Interpreter& in = interpreter_;
  Class& base = in.builtins().exception(ErrorKind::BaseException);
  Value made = given;
  if (Class* cls = given.as<Class>(); cls != nullptr && cls->is_subclass_of(base)) {
    NNS_TRY_ASSIGN(made, in.call(given, std::initializer_list<Value>{}));
    if (!made.is_object() || !made.object()->type().is_subclass_of(base)) {
      return object::type_error(in, "calling {} should have returned an instance of BaseException, not {}",
                                object::class_repr(*cls), object::class_repr(in.type_of(made)));
    }
  }
  auto* exception = made.as<object::Exception>();
  if (exception == nullptr) return object::type_error(in, "exceptions must derive from BaseException");
  return Ref<object::Exception>(exception);
}

PyError Machine::raised(std::uint32_t count, Value* top) {
  Interpreter& in = interpreter_;
  if (count == 0) {
    auto* again = handled_.as<object::Exception>();
    if (again == nullptr) return object::runtime_error(in, "No active exception to reraise");
    return PyError(Ref<object::Exception>(again));
  }
  NNS_TRY_ASSIGN(const Ref<object::Exception> exception, exception_of(top[-static_cast<std::ptrdiff_t>(count)]));
  if (count == 2) {
    const Value& given = top[-1];
    if (given.is_none()) {
      exception->set_cause(Value());
    } else {
      const bool fits = given.as<object::Exception>() != nullptr ||
                        (given.as<Class>() != nullptr &&
                         given.as<Class>()->is_subclass_of(in.builtins().exception(ErrorKind::BaseException)));
      if (!fits) return object::type_error(in, "exception causes must derive from BaseException");
      NNS_TRY_ASSIGN(const Ref<object::Exception> cause, exception_of(given));
      exception->set_cause(cause);
    }
  }
  if (handled_.is_object() && handled_.object() != exception.get()) exception->set_context(handled_);
  return PyError(exception);
}

PyResult<bool> Machine::catches(const Value& exception, const Value& type) {
  Interpreter& in = interpreter_;
  Class& base = in.builtins().exception(ErrorKind::BaseException);
  const auto fits = [&](const Value& one) -> PyResult<bool> {
    const Class* cls = one.as<Class>();
    if (cls == nullptr || !cls->is_subclass_of(base)) {
      return object::type_error(in, "catching classes that do not inherit from BaseException is not allowed");
    }
    return exception.object()->type().is_subclass_of(*cls);
  };
  if (const auto* several = type.as<Tuple>()) {
    bool caught = false;
    for (const Value& one : several->items()) {
      NNS_TRY_ASSIGN(const bool this_one, fits(one));
      caught |= this_one;
    }
    return caught;
  }
  return fits(type);
}

PyResult<Value> Machine::with_enter(Value& context) {
  Interpreter& in = interpreter_;
  Class& cls = in.type_of(context);
  const auto bound = [&](Name name) -> PyResult<Value> {
    const Value* found = cls.lookup(name);
    if (found == nullptr) return Value::absent();
    const Value keep = *found;
    if (!keep.is_object()) return keep;
    return keep.object()->bind(context, cls);
  };
  const auto missing = [&](std::string_view method) {
    return object::type_error(in, "'{}' object does not support the context manager protocol{}", cls.full_name(),
                              method == "__exit__" ? " (missed __exit__ method)" : "");
  };
  NNS_TRY_ASSIGN(const Value enter, bound(in.names().dunder_enter));
  if (enter.is_absent()) return missing("__enter__");
  NNS_TRY_ASSIGN(Value exit, bound(in.names().dunder_exit));
  if (exit.is_absent()) return missing("__exit__");
  if (enter.is_object() && &enter.object()->type() == in.builtins().method) {
    const auto& method = static_cast<const object::BoundMethod&>(*enter.object());
    if (Function* const function = as_function(method.function())) {
      // Its frame runs next, and what it returns comes onto this one's stack.
      const Value self = method.self();
      context = std::move(exit);
      return enter_function(*function, {&self, 1}, {});
    }
  }
  NNS_TRY_ASSIGN(Value entered, in.call(enter, std::initializer_list<Value>{}));
  context = std::move(exit);
  return entered;
}

PyResult<Value> Machine::match_keys(const Value& subject, const Tuple& keys) {
  Interpreter& in = interpreter_;
  std::vector<Value> values;
  for (const Value& key : keys.items()) {
    // get() with a value of our own: reading must not add to a defaultdict.
    const Value missing = in.not_implemented();
    NNS_TRY_ASSIGN(Value found, in.call_method(subject, names.get, {key, missing}));
    if (found.is(missing)) return Value();
    values.push_back(std::move(found));
  }
  return Value(in.tuple(std::move(values)));
}

PyResult<Value> Machine::match_class(const Value& subject, const Value& cls, const Tuple& named, std::uint32_t count) {
  Interpreter& in = interpreter_;
  const Class* matched = cls.as<Class>();
  if (matched == nullptr) return object::type_error(in, "called match pattern must be a class");
  if (!object::isinstance(in, subject, *matched)) return Value();
  std::vector<Value> values;
  std::vector<Name> seen;
  const auto read = [&](Name name) -> PyResult<bool> {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return object::type_error(in, "{}() got multiple sub-patterns for attribute '{}'", matched->name(), name.view());
    }
    seen.push_back(name);
    NNS_TRY_ASSIGN(Value found, object::getattr_or_absent(in, subject, name));
    if (found.is_absent()) return false;
    values.push_back(std::move(found));
    return true;
  };
  if (count > 0) {
    const Value* match_args = matched->lookup(names.dunder_match_args);
    const object::Builtins& b = in.builtins();
    const Class* own[] = {b.boolean, b.dict, b.floating, b.integer, b.list, b.set, b.str, b.tuple};
    const bool is_self =
        std::any_of(std::begin(own), std::end(own), [&](const Class* one) { return matched->is_subclass_of(*one); });
    const auto* listed = match_args != nullptr ? match_args->as<Tuple>() : nullptr;
    const std::size_t allowed = listed != nullptr ? listed->size() : is_self ? 1 : 0;
    if (count > allowed) {
      return object::type_error(in, "{}() accepts {} positional sub-pattern{} ({} given)", matched->name(), allowed,
                                allowed == 1 ? "" : "s", count);
    }
    if (listed == nullptr) {
      values.push_back(subject);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        Str* name = (*listed)[i].as<Str>();
        if (name == nullptr) {
          return object::type_error(in, "__match_args__ elements must be strings (got {})",
                                    in.type_of((*listed)[i]).name());
        }
        NNS_TRY_ASSIGN(const bool found, read(in.intern(*name)));
        if (!found) return Value();
      }
    }
  }
  for (const Value& one : named.items()) {
    NNS_TRY_ASSIGN(const bool found, read(in.intern(*one.as<Str>())));
    if (!found) return Value();
  }
  return Value(in.tuple(std::move(values)));
}

PyResult<Value> Machine::call_value(const Value& callee, std::span<const Value> positional,
                                    std::span<const object::Keyword> keywords) {
  // super() finds its class and instance in the frame that calls it.
  if (positional.empty() && callee.object() == classes.super) return current_super();
  if (observer_ == nullptr) [[likely]]
    return interpreter_.call(callee, positional, keywords);
  PyResult<Value> result = interpreter_.call(callee, positional, keywords);
  if (observer_ != nullptr) observer_->on_native_call(callee, positional, keywords);
  return result;
}

}  // namespace nns::python
