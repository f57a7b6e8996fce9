#include "core/dynamo/guard_program.h"

#include <algorithm>
#include <bit>

#include "core/dynamo/guard.h"
#include "core/object/operations.h"

namespace nns::dynamo {
namespace {

void sources_of(const Expression& expression, std::vector<const Source*>& found) {
  if (expression.source != nullptr) found.push_back(expression.source);
  for (const auto& one : expression.operands) sources_of(*one, found);
}

}  // namespace

GuardProgram::GuardProgram(Interpreter& interpreter, const std::deque<Guard>& guards) : interpreter_(interpreter) {
  // What is read, in the order of sources: each stands behind what it is read from, and what else a guard asks for
  // stands before the guard is checked.
  std::vector<const Source*> needed;
  const auto need = [&](const Source* source) {
    for (const Source* at = &source->bare(); at != nullptr; at = at->base == nullptr ? nullptr : &at->base->bare()) {
      if (places_.size() <= at->number) places_.resize(at->number + 1, -1);
      if (places_[at->number] >= 0) break;
      places_[at->number] = 0;
      needed.push_back(at);
    }
  };
  struct Placed {
    const Guard* guard;
    /// The last of the sources that it reads.
    std::size_t number;
  };
  std::vector<Placed> placed;
  for (const Guard& guard : guards) {
    if (guard.is_silent) continue;
    std::vector<const Source*> others;
    if (guard.expression) sources_of(*guard.expression, others);
    if (guard.other != nullptr) others.push_back(guard.other);
    std::size_t last = guard.source->bare().number;
    need(guard.source);
    for (const Source* other : others) {
      need(other);
      last = std::max(last, other->bare().number);
    }
    placed.push_back({&guard, last});
  }
  std::sort(needed.begin(), needed.end(), [](const Source* a, const Source* b) { return a->number < b->number; });
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.number < b.number; });
  reads_.reserve(needed.size());
  checks_.reserve(placed.size());
  auto next = placed.begin();
  for (const Source* source : needed) {
    places_[source->number] = static_cast<std::int32_t>(reads_.size());
    Read read{.source = source, .begin = static_cast<std::uint32_t>(checks_.size())};
    if (source->base != nullptr) read.base = place_of(*source->base);
    if (const auto* text = source->key.as<object::Str>(); text != nullptr && source->kind == SourceKind::DictGetItem)
      read.name = interpreter.intern(text->view());
    for (; next != placed.end() && next->number == source->number; ++next) {
      const Guard& guard = *next->guard;
      Check check{.guard = &guard, .place = place_of(*guard.source)};
      if (guard.kind == GuardKind::NotPresent) check.name = interpreter.intern(guard.value.as<object::Str>()->view());
      if (guard.kind == GuardKind::TensorMatch) tensors_.push_back(check.place);
      checks_.push_back(check);
    }
    read.end = static_cast<std::uint32_t>(checks_.size());
    reads_.push_back(read);
  }
}

std::uint32_t GuardProgram::place_of(const Source& source) const {
  return static_cast<std::uint32_t>(places_[source.bare().number]);
}

Value GuardProgram::value_of(const Read& read, Scope scope, const std::vector<Value>& values) const {
  if (read.source->base == nullptr) return value_of_root(*read.source, scope);
  const Value& base = values[read.base];
  if (base.is_absent()) return base;
  if (read.name) {
    if (auto* dict = base.as<Dict>()) {
      const Value* found = dict->find(read.name);
      return found == nullptr ? Value::absent() : *found;
    }
  }
  return value_behind(interpreter_, *read.source, base);
}

bool GuardProgram::passes(const Check& check, const std::vector<Value>& values) const {
  const Guard& guard = *check.guard;
  const Value& value = values[check.place];
  if (value.is_absent()) return guard.kind == GuardKind::HasAttr && !guard.expects;
  switch (guard.kind) {
    case GuardKind::TypeMatch:
      return &interpreter_.type_of(value) == guard.type;
    case GuardKind::NotPresent: {
      Dict* const own = value.is_object() ? value.object()->instance_dict(false) : nullptr;
      return own == nullptr || !own->contains(check.name);
    }
    case GuardKind::DuplicateInput:
      return values[place_of(*guard.other)].is(value);
    case GuardKind::ShapeEnv:
      return dynamo::holds(interpreter_, guard, value, [&](const Source& one) { return values[place_of(one)]; });
    default:
      return dynamo::holds(interpreter_, guard, value, {});
  }
}

bool GuardProgram::has_aliases(const std::vector<Value>& values) const {
  std::vector<const object::Object*> seen(std::bit_ceil(2 * tensors_.size() + 1));
  const std::size_t mask = seen.size() - 1;
  for (const std::uint32_t place : tensors_) {
    if (!values[place].is_object()) continue;
    const object::Object* const one = values[place].object();
    std::size_t at = (reinterpret_cast<std::uintptr_t>(one) >> 4U) * 0x9E3779B97F4A7C15U >> 20U & mask;
    while (seen[at] != nullptr) {
      if (seen[at] == one) return true;
      at = (at + 1) & mask;
    }
    seen[at] = one;
  }
  return false;
}

bool GuardProgram::holds(Scope scope) const {
  std::vector<Value> values;
  values.reserve(reads_.size());
  for (const Read& read : reads_) {
    values.push_back(value_of(read, scope, values));
    for (std::uint32_t i = read.begin; i < read.end; ++i) {
      if (!passes(checks_[i], values)) return false;
    }
  }
  return !has_aliases(values);
}

}  // namespace nns::dynamo
