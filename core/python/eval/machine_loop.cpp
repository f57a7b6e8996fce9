// The evaluator's loop: one instruction after the other, on values.
#include <fmt/format.h>

#include <algorithm>

#include "core/nn/arguments.h"
#include "core/object/builtin_operators.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/object/range.h"
#include "core/object/slice.h"
#include "core/python/eval/machine.h"
#include "core/python/eval/quick_operators.h"

namespace nns::python {

using object::BoundMethod;
using object::Keyword;
using object::List;
using object::Object;
using object::Set;
using object::Str;
using object::Tuple;

bool Machine::handle(PyError& error, const Frame* base) {
  Frame* frame = frame_;
  object::Exception& exception = error.exception();
  while (true) {
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_raise(*frame, error);
    const Value next = exception.traceback();
    exception.set_traceback(
        object::make<Traceback>(*classes.traceback, frame->code, frame->instruction(), frame->globals, next));
    if (exception.context().is_none() && handled_.is_object() && handled_.object() != &exception) {
      exception.set_context(handled_);
    }
    if (!frame->handlers.empty()) {
      const Frame::Handler handler = frame->handlers.back();
      frame->handlers.pop_back();
      Value* const bottom = frame->stack() + handler.depth;
      while (frame->top > bottom) *--frame->top = Value();
      // An instruction that raises may have taken what the handler still counts.
      while (frame->top < bottom) *frame->top++ = Value();
      *frame->top++ = Value(&exception);
      frame->next = frame->code->instructions.data() + handler.target;
      return true;
    }
    const bool is_last = frame == base;
    if (frame->generator != nullptr && error.is(object::ErrorKind::StopIteration)) {
      // Behaviour: PEP 479.
      PyError outside = object::runtime_error(interpreter_, "generator raised StopIteration");
      outside.exception().set_cause(Value(&exception));
      outside.exception().set_context(Value(&exception));
      error = std::move(outside);
      leave();
      return is_last ? false : handle(error, base);
    }
    leave();
    if (is_last) return false;
    frame = frame_;
  }
}

namespace {

// Attributes that lie in an instance's own dict and that its class has no say in.
struct OwnAttributes {
  explicit OwnAttributes(Machine& of)
      : machine(of),
        get(of.interpreter().names().dunder_getattribute),
        set(of.interpreter().names().dunder_setattr),
        reader{get, of.interpreter().builtins().object->lookup(get)->object()},
        writer{set, of.interpreter().builtins().object->lookup(set)->object()} {}

  // How a class without ways of its own reads or writes.
  struct Way {
    Name method;
    const object::Object* plain;
  };

  // Whether `hint` is of this class as it is now: then what was found out when it was written holds.
  static bool knows(const Class& cls, std::uint32_t hint) {
    return hint > Machine::kMostSlots && (hint ^ cls.derived_facts()) <= Machine::kMostSlots;
  }

  // The value of `name` as it lies in the dict of its own, or null: then the long way is to be taken.
  // `hint`: the stamp of the class, and where the name stood the last time.
  const Value* read(const Value& holder, Name name, std::uint32_t& hint) const {
    if (!holder.is_object()) return nullptr;
    object::Object& one = *holder.object();
    if (knows(one.type(), hint)) [[likely]] {
      Dict* const own = one.instance_dict(false);
      if (own == nullptr) return nullptr;
      if (const Value* found = own->raw_at(hint & Machine::kMostSlots, name); found != nullptr) [[likely]]
        return found;
    }
    const object::Dict::Entry* const entry = search(one, name, reader, hint);
    return entry == nullptr ? nullptr : &entry->value;
  }

  // The same for writing.
  object::Dict::Entry* find(const Value& holder, Name name, std::uint32_t& hint) const {
    if (!holder.is_object()) return nullptr;
    object::Object& one = *holder.object();
    if (knows(one.type(), hint)) [[likely]] {
      Dict* const own = one.instance_dict(false);
      if (own == nullptr) return nullptr;
      std::size_t at = hint & Machine::kMostSlots;
      if (own->raw_at(at, name) != nullptr) [[likely]]
        return own->next(at);
    }
    return search(one, name, writer, hint);
  }

  // Instances of one class are mostly filled in one order; a large dict is not searched for it.
  object::Dict::Entry* search(object::Object& one, Name name, const Way& way, std::uint32_t& hint) const {
    if (one.kind() == object::ObjectKind::Class) return nullptr;
    const Class& cls = one.type();
    const Value* const own_way = cls.lookup(way.method);
    if (own_way == nullptr || own_way->object() != way.plain || cls.lookup(name) != nullptr) return nullptr;
    Dict* const own = one.instance_dict(false);
    if (own == nullptr) return nullptr;
    if (own->raw_at(hint & Machine::kMostSlots, name) != nullptr) {
      std::size_t same = hint & Machine::kMostSlots;
      hint = machine.stamp_of(one) | static_cast<std::uint32_t>(same);
      return own->next(same);
    }
    std::size_t at = 0;
    while (at < kSearched) {
      object::Dict::Entry* const entry = own->next(at);
      if (entry == nullptr) return nullptr;
      if (entry->key.object() != static_cast<const object::Object*>(&name.str())) continue;
      hint = machine.stamp_of(one) | static_cast<std::uint32_t>(at - 1);
      return entry;
    }
    return nullptr;
  }

  // What the class has under `name`, if it is a method that instances hide by an entry of their own only; else null.
  const Value* method(const object::Object& one, Name name, std::uint32_t& hint) const {
    if (one.kind() == object::ObjectKind::Class || &one.type() == machine.classes.super) return nullptr;
    const Class& cls = one.type();
    const Value* const found = cls.lookup(name);
    if (found == nullptr || !found->is_object() ||
        found->object()->descriptor_kind() != object::DescriptorKind::Method) {
      return nullptr;
    }
    const Value* const own_way = cls.lookup(reader.method);
    if (own_way == nullptr || own_way->object() != reader.plain) return nullptr;
    hint = machine.stamp_of(one);
    return found;
  }

  static constexpr std::size_t kSearched = 32;
  Machine& machine;
  Name get, set;
  Way reader, writer;
};

}  // namespace

std::uint32_t Machine::stamp_of(const object::Object& instance) {
  // Of modules' classes these facts are somebody else's, who asks whether there are any.
  if (instance.kind() == object::ObjectKind::Module) return 0;
  const Class& cls = instance.type();
  if (cls.derived_facts() <= kMostSlots && last_stamp_ < UINT32_MAX - kMostSlots) {
    last_stamp_ += kMostSlots + 1;
    cls.remember_facts(cls.derived_facts() | last_stamp_);
  }
  return cls.derived_facts() & ~kMostSlots;
}

namespace {

// Whether it is of class list itself.
bool is_list(Interpreter& in, const Value& value) {
  return value.is_object() && &value.object()->type() == in.builtins().list;
}

// The same for class str.
bool is_text(Interpreter& in, const Value& value) {
  return value.is_object() && &value.object()->type() == in.builtins().str;
}

// range(int), range(int, int) and str(int), str(str), which loops are full of; Absent: anything else.
Value construct_quickly(Interpreter& in, const Object* callee, std::span<const Value> arguments) {
  if (callee == in.builtins().range) {
    if (arguments.size() == 1 && arguments[0].is_int()) {
      return object::make<object::Range>(in, 0, arguments[0].as_int(), 1);
    }
    if (arguments.size() == 2 && arguments[0].is_int() && arguments[1].is_int()) {
      return object::make<object::Range>(in, arguments[0].as_int(), arguments[1].as_int(), 1);
    }
  } else if (callee == in.builtins().str && arguments.size() == 1) {
    const Value& given = arguments[0];
    if (given.is_int()) {
      const fmt::format_int digits(given.as_int());
      return in.text({digits.data(), digits.size()});
    }
    if (given.is_object() && &given.object()->type() == in.builtins().str) return given;
  }
  return Value::absent();
}

// A function of the program, by itself or bound to an instance; null: it is something else.
std::pair<Function*, Value> function_and_self(Interpreter& in, const Value& callee) {
  if (!callee.is_object() || &callee.object()->type() != in.builtins().method) {
    return {as_function(callee), Value::absent()};
  }
  const auto& method = static_cast<const BoundMethod&>(*callee.object());
  return {as_function(method.function()), method.self()};
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one case an instruction.
PyResult<Value> Machine::run(Frame* const base, const PyError* thrown) {
  Interpreter& in = interpreter_;
  Frame* frame = frame_;
  Value* top = frame->top;
  const Instruction* next = frame->next;
  std::optional<PyError> failure;
  const OwnAttributes own_attributes(*this);
  const Class* const range_iterator = &object::iterator_class(in, object::IteratorKind::Range);

// What stands at `top` and above holds no object: a value that is put there drops none. Nothing may take the address of
// `top`, `next` and `frame`, so that they stay in registers.
#define NNS_PUSH(pushed) (std::construct_at(top, pushed), ++top)
#define NNS_DROP() drop(*--top)
// An instruction ends with `continue`, or, where no local object of C++ has to be destroyed, with NNS_NEXT: each place
// of it has a jump of its own, so that the processor learns which instruction follows which.
#define NNS_CASE(name)    \
  case Opcode::name: /**/ \
    at_##name:
#define NNS_NEXT()                                            \
  do {                                                        \
    instruction = next++;                                     \
    arg = instruction->arg;                                   \
    goto* kPlaces[static_cast<std::size_t>(instruction->op)]; \
  } while (false)
// Tells who looks that an instruction wrote into that value.
#define NNS_WROTE(holder)                \
  if (observer_ != nullptr) [[unlikely]] \
  observer_->on_write(holder)
#define NNS_WROTE_ATTRIBUTE()            \
  if (observer_ != nullptr) [[unlikely]] \
  observer_->on_attribute(top[-1], frame->code->names[arg])
#define NNS_WROTE_ITEM()                 \
  if (observer_ != nullptr) [[unlikely]] \
  observer_->on_item(top[-2], top[-1])
#define NNS_NAMED(dict)                  \
  if (observer_ != nullptr) [[unlikely]] \
  observer_->on_name(*frame, *(dict), frame->code->names[arg])
// The frame's own copies are brought up to date before anything that may look at them.
#define NNS_SAVE() (frame->top = top, frame->next = next)
#define NNS_LOAD() (frame = frame_, top = frame->top, next = frame->next)
#define NNS_RAISE(error_value)    \
  do {                            \
    failure.emplace(error_value); \
    goto raise;                   \
  } while (false)
#define NNS_CHECK(declaration, call_value)                        \
  auto NNS_CONCAT(checked_, __LINE__) = (call_value);             \
  if (!NNS_CONCAT(checked_, __LINE__).ok()) [[unlikely]]          \
    NNS_RAISE(std::move(NNS_CONCAT(checked_, __LINE__)).error()); \
  declaration std::move(NNS_CONCAT(checked_, __LINE__)).value()
#define NNS_CHECK_VOID(call_value)                             \
  if (auto checked = (call_value); !checked.ok()) [[unlikely]] \
  NNS_RAISE(std::move(checked).error())

  static const void* const kPlaces[] = {
#define NNS_OPCODE(name) &&at_##name,
#include "core/python/eval/opcodes.def"
#undef NNS_OPCODE
  };
  if (thrown != nullptr) failure.emplace(*thrown);
  while (true) {
    if (failure) {
      if (!handle(*failure, base)) {
        PyError error = *std::move(failure);
        return error;
      }
      failure.reset();
      NNS_LOAD();
    }
    const Instruction* instruction = nullptr;
    std::uint32_t arg = 0;
    while (true) {
      instruction = next++;
      arg = instruction->arg;
      switch (instruction->op) {
#include "core/python/eval/loop_attributes_and_operators.inc"
#include "core/python/eval/loop_calls.inc"
#include "core/python/eval/loop_containers.inc"
#include "core/python/eval/loop_exceptions.inc"
#include "core/python/eval/loop_flow.inc"
#include "core/python/eval/loop_imports_and_patterns.inc"
#include "core/python/eval/loop_names.inc"
      }
    }
  raise:;
  }
#undef NNS_CASE
#undef NNS_NEXT
#undef NNS_PUSH
#undef NNS_DROP
#undef NNS_WROTE
#undef NNS_NAMED
#undef NNS_WROTE_ATTRIBUTE
#undef NNS_WROTE_ITEM
#undef NNS_SAVE
#undef NNS_LOAD
#undef NNS_RAISE
#undef NNS_CHECK
#undef NNS_CHECK_VOID
}

}  // namespace nns::python
