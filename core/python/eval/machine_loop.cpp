// The evaluator's loop: one instruction after the other, on values.
#include <algorithm>

#include "core/nn/arguments.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/python/eval/machine.h"

namespace nns::python {

using object::BoundMethod;
using object::Keyword;
using object::List;
using object::Object;
using object::Set;
using object::Str;
using object::Tuple;

namespace {

// Truth of a value whose class need not be asked; anything else goes the long way.
PyResult<bool> truth_of(Interpreter& in, const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_none()) return false;
  if (value.is_int()) return value.as_int() != 0;
  return object::truth(in, value);
}

// Comparisons of two ints; Absent for others.
Value compare_ints(std::uint32_t op, const Value& a, const Value& b) {
  if (!a.is_int() || !b.is_int()) return Value::absent();
  const std::int64_t x = a.as_int(), y = b.as_int();
  switch (static_cast<CompareOp>(op)) {
    case CompareOp::Eq:
      return Value(x == y);
    case CompareOp::Ne:
      return Value(x != y);
    case CompareOp::Lt:
      return Value(x < y);
    case CompareOp::Le:
      return Value(x <= y);
    case CompareOp::Gt:
      return Value(x > y);
    case CompareOp::Ge:
      return Value(x >= y);
    default:
      return Value::absent();
  }
}

// Sums and products of two ints that fit, and of floats; Absent for others.
Value quick_binary(std::uint32_t op, const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) {
    std::int64_t result = 0;
    switch (static_cast<BinaryOp>(op)) {
      case BinaryOp::Add:
        if (!__builtin_add_overflow(a.as_int(), b.as_int(), &result)) return Value(result);
        break;
      case BinaryOp::Sub:
        if (!__builtin_sub_overflow(a.as_int(), b.as_int(), &result)) return Value(result);
        break;
      case BinaryOp::Mul:
        if (!__builtin_mul_overflow(a.as_int(), b.as_int(), &result)) return Value(result);
        break;
      default:
        break;
    }
  } else if (a.is_float() && b.is_float()) {
    switch (static_cast<BinaryOp>(op)) {
      case BinaryOp::Add:
        return Value(a.as_float() + b.as_float());
      case BinaryOp::Sub:
        return Value(a.as_float() - b.as_float());
      case BinaryOp::Mul:
        return Value(a.as_float() * b.as_float());
      default:
        break;
    }
  }
  return Value::absent();
}

}  // namespace

bool Machine::handle(PyError& error, Frame*& frame, const Frame* base) {
  object::Exception& exception = error.exception();
  while (true) {
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
      frame = frame_;
      return is_last ? false : handle(error, frame, base);
    }
    leave();
    if (is_last) return false;
    frame = frame_;
  }
}

namespace {

// Attributes that lie in an instance's own dict and that its class has no say in.
struct OwnAttributes {
  explicit OwnAttributes(Interpreter& interpreter)
      : get(interpreter.names().dunder_getattribute),
        set(interpreter.names().dunder_setattr),
        reader{get, interpreter.builtins().object->lookup(get)->object()},
        writer{set, interpreter.builtins().object->lookup(set)->object()} {}

  // How a class without ways of its own reads or writes.
  struct Way {
    Name method;
    const object::Object* plain;
  };

  // The entry of `name`, or null: then the long way is to be taken. `hint`: where it stood the last time.
  object::Dict::Entry* find(const Value& holder, Name name, const Way& way, std::uint32_t& hint) const {
    if (!holder.is_object()) return nullptr;
    object::Object& one = *holder.object();
    if (one.kind() == object::ObjectKind::Class) return nullptr;
    const Class& cls = one.type();
    const Value* const own_way = cls.lookup(way.method);
    if (own_way == nullptr || own_way->object() != way.plain || cls.lookup(name) != nullptr) return nullptr;
    Dict* const own = one.instance_dict(false);
    if (own == nullptr) return nullptr;
    if (own->raw_at(hint, name) == nullptr) {
      // Instances of one class are mostly filled in one order; a large dict is not searched for it.
      std::size_t at = 0;
      bool is_found = false;
      while (at < kSearched && !is_found) {
        const object::Dict::Entry* const entry = own->next(at);
        if (entry == nullptr) return nullptr;
        is_found = entry->key.object() == static_cast<const object::Object*>(&name.str());
      }
      if (!is_found) return nullptr;
      hint = static_cast<std::uint32_t>(at - 1);
    }
    std::size_t at = hint;
    return own->next(at);
  }

  static constexpr std::size_t kSearched = 16;
  Name get, set;
  Way reader, writer;
};

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one case an instruction.
PyResult<Value> Machine::run(Frame* const base, const PyError* thrown) {
  Interpreter& in = interpreter_;
  Frame* frame = frame_;
  Value* top = frame->top;
  const Instruction* next = frame->next;
  std::optional<PyError> failure;
  const OwnAttributes own_attributes(in);

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

  if (thrown != nullptr) failure.emplace(*thrown);
  while (true) {
    if (failure) {
      if (!handle(*failure, frame, base)) {
        PyError error = *std::move(failure);
        return error;
      }
      failure.reset();
      NNS_LOAD();
    }
    while (true) {
      const Instruction& instruction = *next++;
      const std::uint32_t arg = instruction.arg;
      switch (instruction.op) {
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
#undef NNS_SAVE
#undef NNS_LOAD
#undef NNS_RAISE
#undef NNS_CHECK
#undef NNS_CHECK_VOID
}

}  // namespace nns::python
