// The evaluator's loop: one instruction after the other, on values.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/object/builtin_operators.h"
#include "core/object/instance.h"
#include "core/object/iterators.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/object/range.h"
#include "core/object/slice.h"
#include "core/object/with_self.h"
#include "core/python/eval/coroutines.h"
#include "core/python/eval/machine.h"
#include "core/python/eval/quick_frames.h"
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
    exception.set_traceback(object::make<Traceback>(*classes.traceback, Ref<Code>(frame->code), frame->instruction(),
                                                    Ref<Dict>(frame->globals), next));
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
    const bool ends_iteration = frame->generator != nullptr && error.is(object::ErrorKind::StopIteration);
    if (ends_iteration || (frame->generator != nullptr && frame->generator->kind() == Generator::Kind::AsyncGenerator &&
                           error.is(object::ErrorKind::StopAsyncIteration))) {
      // Behaviour: PEP 479, and 525 for asynchronous ones.
      PyError outside = object::runtime_error(interpreter_, "{} raised {}", frame->generator->kind_name(),
                                              ends_iteration ? "StopIteration" : "StopAsyncIteration");
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

// Whether `hint` is of this class as it is now: then what was found out when it was written holds.
bool knows(const Class& cls, std::uint32_t hint) {
  return hint > Machine::kMostSlots && (hint ^ cls.derived_facts()) <= Machine::kMostSlots;
}

}  // namespace

// Instances of one class are mostly filled in one order; a large dict is not searched for it.
object::Dict::Entry* Machine::search_own(object::Object& one, Name name, Name method, const object::Object* plain,
                                         std::uint32_t& hint) {
  constexpr std::size_t kSearched = 32;
  if (one.kind() == object::ObjectKind::Class) return nullptr;
  const Class& cls = one.type();
  const Value* const own_way = cls.lookup(method);
  if (own_way == nullptr || own_way->object() != plain || cls.lookup(name) != nullptr) return nullptr;
  Dict* const own = one.instance_dict(false);
  std::size_t at = 0;
  while (own != nullptr && at < kSearched) {
    object::Dict::Entry* const entry = own->next(at);
    if (entry == nullptr) break;
    if (entry->key.object() != static_cast<const object::Object*>(&name.str())) continue;
    hint = stamp_of(one) | static_cast<std::uint32_t>(at - 1);
    return entry;
  }
  // It has none yet, or elsewhere: that the class has no say in it is worth to be known, too.
  hint = stamp_of(one) | kMostSlots;
  return nullptr;
}

const Value* Machine::search_method(const object::Object& one, Name name, std::uint32_t& hint) {
  if (one.kind() == object::ObjectKind::Class || &one.type() == classes.super) return nullptr;
  const Class& cls = one.type();
  const Value* const found = cls.lookup(name);
  if (found == nullptr || !found->is_object() || found->object()->descriptor_kind() != object::DescriptorKind::Method) {
    return nullptr;
  }
  const Value* const own_way = cls.lookup(interpreter_.names().dunder_getattribute);
  if (own_way == nullptr || own_way->object() != plain_getattribute_) return nullptr;
  hint = stamp_of(one);
  return found;
}

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

// A bound method as callee: its instance takes the free place in front of the arguments.
void unbind(Value& callee, Value& place) {
  if (!callee.is_object() || &callee.object()->type() != callee.object()->interpreter().builtins().method) return;
  auto* const method = static_cast<BoundMethod*>(callee.object());
  Value target = method->function();
  place = method->self();
  callee = std::move(target);
}

// The last arguments of a call with their names, in place when they are few.
class NamedArguments {
 public:
  NamedArguments(Interpreter& in, const Value* values, const Tuple& names) {
    Keyword* at = few_;
    if (names.size() > kInPlace) {
      many_.resize(names.size());
      at = many_.data();
    }
    all_ = {at, names.size()};
    for (std::size_t i = 0; i < names.size(); ++i) at[i] = {in.intern(*names[i].as<Str>()), values[i]};
  }
  NamedArguments(const NamedArguments&) = delete;
  NamedArguments& operator=(const NamedArguments&) = delete;
  std::span<const Keyword> all() const { return all_; }

 private:
  static constexpr std::size_t kInPlace = 4;
  Keyword few_[kInPlace];
  std::vector<Keyword> many_;
  std::span<const Keyword> all_;
};

// Whether it is of class list itself.
bool is_list(Interpreter& in, const Value& value) {
  return value.is_object() && &value.object()->type() == in.builtins().list;
}

// The same for class str.
bool is_text(Interpreter& in, const Value& value) {
  return value.is_object() && &value.object()->type() == in.builtins().str;
}

// Exchanges the attribute with `value`, where it is known that the class has no say in it. False: nothing was done.
bool write_known(object::Object& one, Name name, Value& value, std::uint32_t hint) {
  if (!knows(one.type(), hint)) return false;
  Dict* const own = one.instance_dict(true);
  if (own == nullptr) return false;
  std::size_t at = hint & Machine::kMostSlots;
  if (own->raw_at(at, name) != nullptr && !own->is_watched()) [[likely]]
    own->next(at)->value.swap(value);
  else
    // A new name of the instance, or one that stands elsewhere in this one; or somebody counts.
    own->set(name, std::move(value));
  return true;
}

// The texts behind each other; small ones without an allocation of their own.
Value joined_text(Interpreter& in, std::span<const Value> parts) {
  constexpr std::size_t kSmall = 256;
  std::size_t size = 0;
  for (const Value& part : parts) size += part.as<Str>()->view().size();
  if (char small[kSmall]; size <= kSmall) {
    char* end = small;
    for (const Value& part : parts) {
      const std::string_view text = part.as<Str>()->view();
      end = std::copy(text.begin(), text.end(), end);
    }
    return in.text({small, size});
  }
  std::string text;
  text.reserve(size);
  for (const Value& part : parts) text += part.as<Str>()->view();
  return in.text(text);
}

// container[key] for tuples, dicts and texts themselves, where that is there and needs no more than to be looked up.
const Value* quick_item(Interpreter& in, const Value& container, const Value& key) {
  if (!container.is_object()) return nullptr;
  Object& one = *container.object();
  if (&one.type() == in.builtins().dict) {
    if (!key.is_int() && !is_text(in, key)) return nullptr;
    return static_cast<Dict&>(one).find(key);
  }
  if (&one.type() == in.builtins().tuple && key.is_int()) {
    const auto& tuple = static_cast<const Tuple&>(one);
    const auto size = static_cast<std::int64_t>(tuple.size());
    const std::int64_t at = key.as_int() < 0 ? key.as_int() + size : key.as_int();
    return at >= 0 && at < size ? &tuple[static_cast<std::size_t>(at)] : nullptr;
  }
  return nullptr;
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

// The first look was for an instance of a class that was met here before.
const Value* Machine::read_quickly(object::Object& one, Name name, std::uint32_t& hint) {
  if (knows(one.type(), hint)) {
    Dict* const own = one.instance_dict(false);
    if (own == nullptr) return nullptr;
    const Value* const found = own->raw_at(hint & kMostSlots, name);
    if (found != nullptr && !found->is_empty_container()) return found;
  }
  const object::Dict::Entry* const entry =
      search_own(one, name, interpreter_.names().dunder_getattribute, plain_getattribute_, hint);
  return entry == nullptr || entry->value.is_empty_container() ? nullptr : &entry->value;
}

Value* Machine::place_to_write(object::Object& one, Name name, std::uint32_t& hint) {
  if (const Dict* const own = one.instance_dict(false); own != nullptr && own->is_watched()) return nullptr;
  object::Dict::Entry* const entry = search_own(one, name, interpreter_.names().dunder_setattr, plain_setattr_, hint);
  return entry == nullptr ? nullptr : &entry->value;
}

Function* Machine::quick_getter(object::Object& one, Name name) {
  if (one.kind() != object::ObjectKind::Other || frame_compiler != nullptr) return nullptr;
  const Class& cls = one.type();
  const Value* const found = cls.lookup(name);
  if (found == nullptr || !found->is_object() || &found->object()->type() != interpreter_.builtins().property) {
    return nullptr;
  }
  // What an AttributeError of the getter means is the general way's business.
  const object::Names& all = interpreter_.names();
  const Value* const own_way = cls.lookup(all.dunder_getattribute);
  if (own_way == nullptr || own_way->object() != plain_getattribute_ || cls.lookup(all.dunder_getattr) != nullptr) {
    return nullptr;
  }
  Function* const getter = as_function(static_cast<const object::Property&>(*found->object()).getter());
  return getter == nullptr || !takes_quickly(*getter, 1) ? nullptr : getter;
}

Function* Machine::quick_init(const Class& cls) const {
  if (frame_compiler != nullptr) return nullptr;
  const object::Builtins& b = interpreter_.builtins();
  const object::Names& all = interpreter_.names();
  const Value* const init = cls.lookup(all.dunder_init);
  Function* const function = init == nullptr ? nullptr : as_function(*init);
  if (function == nullptr || function->code().is_generator || cls.make_instance() == nullptr) return nullptr;
  // A metaclass may say what calling its classes does; so may __new__, and an abstract class refuses.
  const Value* const maker = cls.lookup(all.dunder_new);
  const bool is_plain = &cls.type() == b.type && maker != nullptr && maker->object() == plain_new_ &&
                        !cls.attributes().contains(names.dunder_abstractmethods);
  return is_plain ? function : nullptr;
}

PyResult<Value> Machine::enter_named(Function& function, std::span<const Value> arguments, const Tuple& named) {
  const Value* const values = arguments.data() + arguments.size();
  const Code& code = function.code();
  const bool is_plain = !code.is_generator && !code.has_var_positional && !code.has_var_keyword &&
                        arguments.size() <= code.positional_count && frame_compiler == nullptr;
  if (is_plain && depth_ < limits.depth) {
    Frame* const frame = push_frame(Ref<Function>(&function), 0);
    if (function.bind_named(arguments, named, values, frame->slots)) {
      if (observer_ != nullptr) [[unlikely]]
        observer_->on_enter(*frame);
      if (code.has_cells) make_cells(*frame);
      return Value::absent();
    }
    // Something does not fit: the general way says what.
    drop_quietly(frame);
  }
  const NamedArguments keywords(interpreter_, values, named);
  return enter_function(function, arguments, keywords.all());
}

void Machine::raise_again(PyError again, Frame& frame, std::optional<PyError>& failure) {
  object::Exception& exception = again.exception();
  const Value before = exception.traceback();
  if (const auto* entry = before.as<Traceback>(); entry != nullptr && entry->code.get() == frame.code) {
    exception.set_traceback(entry->next);
    frame.next = frame.code->instructions.data() + entry->instruction + 1;
  }
  failure.emplace(std::move(again));
}

// NOLINTNEXTLINE(readability-function-size): one case an instruction.
PyResult<Value> Machine::run(Frame* const base, const PyError* thrown) {
  Interpreter& in = interpreter_;
  Frame* frame = frame_;
  Value* top = frame->top;
  const Instruction* next = frame->next;
  std::optional<PyError> failure;

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
  observer_->on_attribute(top[-1], frame->code->names[arg], instruction->hint& kMostSlots)
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
      // What was warned of before, which would not have let it come that far if it is an exception.
      if (PyResult<void> told = pass_on_warnings(); !told.ok()) [[unlikely]]
        failure.emplace(std::move(told).error());
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
