// Iterators and generators.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

bool Translator::items_of(Variable* given, std::vector<Variable*>& items) {
  Variable* value = real(given);
  if (value == nullptr) return false;
  if (value->kind == VariableKind::List || value->kind == VariableKind::Tuple || value->kind == VariableKind::Set) {
    items = value->items;
    return true;
  }
  Variable* walker = iterate(value);
  if (walker == nullptr) return false;
  while (Variable* item = next_of(walker)) {
    items.push_back(item);
    if (items.size() > 1000000) {
      unsupported("Infinite iterator", "", "Dynamo does not walk an iterator of more than a million items.", {});
      return false;
    }
  }
  return !has_failed();
}

// The next item; null without a failure: the end.
Variable* Translator::next_of(Variable* walker) {
  switch (walker->kind) {
    case VariableKind::Iterator:
      return walker->next();
    case VariableKind::Generator:
      return resume_generator(walker, constant(Value()));
    case VariableKind::Object: {
      Variable* item = call_method(walker, in_.names().dunder_next, {});
      if (item == nullptr && failure_.kind == Failure::Kind::Observed &&
          is_exception(*failure_.exception, object::ErrorKind::StopIteration))
        failure_ = {};
      return item;
    }
    default:
      return raise(object::type_error(in_, "'{}' object is not an iterator", type_of(*walker).name()));
  }
}

bool Translator::is_exception(const Variable& exception, object::ErrorKind kind) const {
  const auto& mro = exception.value.as<Class>()->mro();
  return std::find(mro.begin(), mro.end(), &in_.builtins().exception(kind)) != mro.end();
}

// The StopIteration that ends a generator, with what it returned.
Variable* Translator::raise_stop(Variable* walker) {
  Variable& stop = arena_->make(VariableKind::Exception);
  stop.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::StopIteration)));
  stop.is_new = true;
  if (walker->kind == VariableKind::Generator && walker->frame->result != nullptr && !walker->frame->result->is_none())
    stop.items.push_back(walker->frame->result);
  return raise(&stop);
}

Variable* Translator::iterate(Variable* given) {
  NNS_VARIABLE(value, real(given));
  switch (value->kind) {
    case VariableKind::Iterator:
    case VariableKind::Generator:
      return value;
    case VariableKind::List:  // is walked alive
    case VariableKind::Tuple: {
      auto at = std::make_shared<std::size_t>(0);
      Variable* made =
          iterator([value, at]() -> Variable* { return *at < value->items.size() ? value->items[(*at)++] : nullptr; });
      made->self = value;
      made->given = at;
      return made;
    }
    case VariableKind::Set: {
      auto at = std::make_shared<std::size_t>(0);
      const std::size_t size = value->items.size();
      return iterator([this, value, at, size]() -> Variable* {
        if (value->items.size() != size)
          return raise(object::ErrorKind::RuntimeError, "Set changed size during iteration");
        return *at < size ? value->items[(*at)++] : nullptr;
      });
    }
    case VariableKind::Dict:
      guard_keys(*value);
      return walk_dict(value, "keys");
    case VariableKind::DictView:
      return walk_dict(value->self, value->name);
    case VariableKind::AttributeDict: {
      bool is_known = false;
      NNS_VARIABLE(whole, call_dict_method(value, "copy", {}, {}, is_known));
      return iterate(whole);
    }
    case VariableKind::Tensor: {
      if (value->node->has_unknown_size) return unknown_size("iter");
      const auto& fake = value->node->example;
      if (fake->ndim() == 0) return raise(object::ErrorKind::TypeError, "iteration over a 0-d tensor");
      // How often it is walked is traced: the size is a constant for it.
      NNS_VARIABLE(size, size_of(value, 0));
      if (constant_value(size).is_absent()) return nullptr;
      std::vector<Variable*> items;
      for (std::int64_t i = 0; i < fake->shape()[0]; ++i) {
        NNS_VARIABLE(item, get_item(value, constant(Value(i))));
        items.push_back(item);
      }
      return iterator_over(std::move(items));
    }
    case VariableKind::NNModule:
      return unpack_children(value);
    case VariableKind::Object: {
      // An iterator of C++'s or a view of a dict that was made before: how far it is nobody can see.
      const Value* const walks = type_of(*value).lookup(in_.intern("__iter__"));
      if (!value->is_new && walks != nullptr && python::as_function(*walks) == nullptr &&
          type_of(*value).module() == "builtins")
        return unsupported_method(value, "__iter__");
      if (has_special(value, "__iter__")) {
        NNS_VARIABLE(given_iterator, call_method(value, in_.intern("__iter__"), {}));
        NNS_VARIABLE(made, real(given_iterator));
        const bool is_walker = made->kind == VariableKind::Iterator || made->kind == VariableKind::Generator ||
                               (made->kind == VariableKind::Object && has_special(made, "__next__"));
        if (is_walker) return made;
        return raise(object::type_error(in_, "iter() returned non-iterator of type '{}'", type_of(*made).name()));
      }
      if (!has_special(value, "__getitem__"))
        return raise(object::type_error(in_, "'{}' object is not iterable", type_of(*value).name()));
      // Items by their numbers, up to the first that is not there.
      auto at = std::make_shared<std::int64_t>(0);
      return iterator([this, value, at]() -> Variable* {
        Variable* item = get_item(value, constant(Value((*at)++)));
        if (item == nullptr && failure_.kind == Failure::Kind::Observed &&
            is_exception(*failure_.exception, object::ErrorKind::IndexError))
          failure_ = {};
        return item;
      });
    }
    case VariableKind::Class: {
      // The members of an enum.
      PyResult<std::vector<Value>> items = object::to_vector(in_, value->value);
      if (!items.ok()) return raise(items.error());
      std::vector<Variable*> made;
      for (const Value& item : items.value()) made.push_back(constant(item));
      return iterator_over(std::move(made));
    }
    case VariableKind::Constant: {
      if (const auto* range = value->value.as<object::Range>()) {
        auto at = std::make_shared<std::size_t>(0);
        const object::Range* held = range;
        Variable* made = iterator([this, held, at]() -> Variable* {
          return *at < held->size() ? constant(Value((*held)[(*at)++])) : nullptr;
        });
        made->self = value;
        made->given = at;
        return made;
      }
      PyResult<std::vector<Value>> items = object::to_vector(in_, value->value);
      if (!items.ok()) return raise(items.error());
      std::vector<Variable*> made;
      for (const Value& item : items.value()) made.push_back(constant(item));
      return iterator_over(std::move(made));
    }
    default:
      return raise(object::type_error(in_, "'{}' object is not iterable", type_of(*value).name()));
  }
}

// Behaviour: torch/_dynamo/variables/functions.py, LocalGeneratorObjectVariable.
Variable* Translator::resume_generator(Variable* generator, Variable* sent) {
  TracedFrame& frame = *generator->frame;
  if (frame.is_finished) {
    frame.result = nullptr;
    return nullptr;
  }
  if (frame.is_running) return raise(object::ErrorKind::ValueError, "generator already executing");
  if (!frame.is_started && !sent->is_none())
    return raise(object::ErrorKind::TypeError, "can't send non-None value to a just-started generator");
  if (frame.is_started) push(frame, sent);
  frame.is_started = true;
  return run_generator(frame);
}

Variable* Translator::run_generator(TracedFrame& frame) {
  ++depth_;
  frame.is_running = true;
  const Step result = run_frame(frame);
  frame.is_running = false;
  --depth_;
  if (result == Step::Yielded) return frame.result;
  frame.is_finished = true;
  if (result == Step::Failed) {
    frame.result = nullptr;
    if (failure_.kind == Failure::Kind::Observed &&
        is_exception(*failure_.exception, object::ErrorKind::StopIteration)) {
      failure_ = {};
      return raise(object::ErrorKind::RuntimeError, "generator raised StopIteration");
    }
  }
  return nullptr;
}

// generator.throw(): the exception goes into the frame where it waits.
Variable* Translator::throw_into(Variable* generator, Variable* exception) {
  TracedFrame& frame = *generator->frame;
  if (frame.is_running) return raise(object::ErrorKind::ValueError, "generator already executing");
  if (!frame.is_started || frame.is_finished) {
    frame.is_finished = true;
    frame.result = nullptr;
    return raise(exception);
  }
  // A generator that it waits for gets it first.
  Variable* const inner = frame.stack.empty() ? nullptr : frame.stack.back();
  const bool is_delegating = frame.code->instructions[frame.pc].op == Opcode::YieldFrom;
  if (is_delegating && inner != nullptr && inner->kind == VariableKind::Generator && !inner->frame->is_finished) {
    Variable* item = throw_into(inner, exception);
    if (item != nullptr) {
      frame.result = item;
      return item;
    }
    if (!has_failed()) {
      frame.stack.back() = inner->frame->result != nullptr ? inner->frame->result : constant(Value());
      ++frame.pc;
      return run_generator(frame);
    }
    if (failure_.kind != Failure::Kind::Observed) return nullptr;
    exception = failure_.exception;
    failure_ = {};
  }
  TracedFrame* const before = frame_;
  frame.back = before;
  frame_ = &frame;
  raise(exception);
  const bool is_handled = failure_.kind == Failure::Kind::Observed && handle_exception(frame);
  frame_ = before;
  if (is_handled) return run_generator(frame);
  frame.is_finished = true;
  frame.result = nullptr;
  return nullptr;
}

// generator.close(). False with a failure.
bool Translator::close_generator(Variable* generator) {
  TracedFrame& frame = *generator->frame;
  if (frame.is_finished || !frame.is_started) {
    frame.is_finished = true;
    frame.result = nullptr;
    return true;
  }
  Variable& exit = arena_->make(VariableKind::Exception);
  exit.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::GeneratorExit)));
  exit.is_new = true;
  const Variable* item = throw_into(generator, &exit);
  if (item != nullptr) {
    raise(object::ErrorKind::RuntimeError, "generator ignored GeneratorExit");
    return false;
  }
  if (failure_.kind == Failure::Kind::Observed &&
      (is_exception(*failure_.exception, object::ErrorKind::GeneratorExit) ||
       is_exception(*failure_.exception, object::ErrorKind::StopIteration)))
    failure_ = {};
  return !has_failed();
}

}  // namespace nns::dynamo
