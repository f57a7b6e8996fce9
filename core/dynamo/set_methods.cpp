// Methods and operators of sets. Behaviour: torch/_dynamo/variables/sets.py, SetVariable.
#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using object::BinaryOperator;

std::ptrdiff_t Translator::find_in_set(Variable& set, Variable* item) {
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (is_same_key(*set.items[i], *item)) return static_cast<std::ptrdiff_t>(i);
    if (has_failed()) return -1;
  }
  return -1;
}

bool Translator::add_to_set(Variable& set, Variable* given) {
  Variable* item = real(given);
  if (item == nullptr || !check_hashable(item, true)) return false;
  if (find_in_set(set, item) >= 0) return true;
  if (has_failed()) return false;
  mutate(set);
  set.items.push_back(item);
  return true;
}

// a op b of two sets; in place, the items of a become those.
Variable* Translator::set_operation(BinaryOperator op, Variable* a, Variable* b, bool in_place) {
  std::vector<Variable*> items;
  for (Variable* item : a->items) {
    const bool in_b = op != BinaryOperator::Or && find_in_set(*b, item) >= 0;
    if (has_failed()) return nullptr;
    if (op == BinaryOperator::Or || in_b == (op == BinaryOperator::And)) items.push_back(item);
  }
  if (op == BinaryOperator::Or || op == BinaryOperator::Xor) {
    for (Variable* item : b->items) {
      const bool in_a = find_in_set(*a, item) >= 0;
      if (has_failed()) return nullptr;
      if (!in_a) items.push_back(item);
    }
  }
  const bool is_frozen = a->cls == in_.builtins().frozen_set;
  if (in_place && !is_frozen) {
    mutate(*a);
    a->items = std::move(items);
    return a;
  }
  Variable& made = arena_->make(VariableKind::Set);
  made.is_new = true;
  if (is_frozen) made.cls = a->cls;
  made.items = std::move(items);
  return &made;
}

// <, <=, ==, != and their opposites of two sets.
Variable* Translator::compare_sets(BinaryOperator op, Variable* a, Variable* b) {
  const auto is_subset = [&](Variable* small, Variable* large) {
    return std::all_of(small->items.begin(), small->items.end(),
                       [&](Variable* item) { return find_in_set(*large, item) >= 0; });
  };
  const std::size_t n = a->items.size(), m = b->items.size();
  bool answer = false;
  switch (op) {
    case BinaryOperator::Eq:
    case BinaryOperator::Ne:
      answer = (n == m && is_subset(a, b)) == (op == BinaryOperator::Eq);
      break;
    case BinaryOperator::Lt:
      answer = n < m && is_subset(a, b);
      break;
    case BinaryOperator::Le:
      answer = n <= m && is_subset(a, b);
      break;
    case BinaryOperator::Gt:
      answer = m < n && is_subset(b, a);
      break;
    default:
      answer = m <= n && is_subset(b, a);
      break;
  }
  return has_failed() ? nullptr : constant(Value(answer));
}

Variable* Translator::call_set_method(Variable* self, std::string_view name, Arguments args, bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  Variable* none = constant(Value());
  const bool is_frozen = self->cls == in_.builtins().frozen_set;
  // The arguments, each as a set.
  const auto others = [&](std::vector<Variable*>& sets) {
    for (Variable* arg : args) {
      Variable* one = real(arg);
      one = one == nullptr ? nullptr : as_set(one, true);
      if (one == nullptr) return false;
      sets.push_back(one);
    }
    return true;
  };
  struct Row {
    std::string_view name;
    BinaryOperator op;
    bool in_place;
    std::size_t most;
  };
  constexpr std::size_t kAny = 1000;
  constexpr Row kOperations[] = {{"union", BinaryOperator::Or, false, kAny},
                                 {"update", BinaryOperator::Or, true, kAny},
                                 {"intersection", BinaryOperator::And, false, kAny},
                                 {"intersection_update", BinaryOperator::And, true, kAny},
                                 {"difference", BinaryOperator::Sub, false, kAny},
                                 {"difference_update", BinaryOperator::Sub, true, kAny},
                                 {"symmetric_difference", BinaryOperator::Xor, false, 1},
                                 {"symmetric_difference_update", BinaryOperator::Xor, true, 1}};
  for (const Row& row : kOperations) {
    if (row.name != name || count > row.most || (row.most == 1 && count != 1)) continue;
    if (row.in_place && is_frozen) break;
    std::vector<Variable*> sets;
    if (!others(sets)) return nullptr;
    // What is the same in the end is changed nevertheless.
    Variable* result = self;
    if (!row.in_place) {
      result = &arena_->make(VariableKind::Set);
      result->is_new = true;
      result->items = self->items;
      if (is_frozen) result->cls = self->cls;
    }
    for (Variable* one : sets) {
      result = set_operation(row.op, result, one, row.in_place);
      if (result == nullptr) return nullptr;
    }
    return row.in_place ? none : result;
  }
  if (count == 1 && (name == "issubset" || name == "issuperset" || name == "isdisjoint")) {
    std::vector<Variable*> sets;
    if (!others(sets)) return nullptr;
    if (name == "issubset") return compare_sets(BinaryOperator::Le, self, sets[0]);
    if (name == "issuperset") return compare_sets(BinaryOperator::Ge, self, sets[0]);
    NNS_VARIABLE(both, set_operation(BinaryOperator::And, self, sets[0], false));
    return constant(Value(both->items.empty()));
  }
  if (name == "copy" && count == 0) {
    if (is_frozen) return self;
    Variable& made = arena_->make(VariableKind::Set);
    made.is_new = true;
    made.items = self->items;
    return &made;
  }
  if (is_frozen) {
    is_known = false;
    return nullptr;
  }
  if (name == "add" && count == 1) return add_to_set(*self, args[0]) ? none : nullptr;
  if ((name == "remove" || name == "discard") && count == 1) {
    NNS_VARIABLE(item, real(args[0]));
    if (!check_hashable(item, true)) return nullptr;
    const std::ptrdiff_t at = find_in_set(*self, item);
    if (has_failed()) return nullptr;
    if (self->source != nullptr && !self->is_mutated && is_constant(item)) {
      guard_key(at < 0 ? GuardKind::SetNotContains : GuardKind::SetContains, self->source, constant_value(item));
    }
    if (at < 0) return name == "discard" ? none : raise_key_error(item);
    mutate(*self);
    self->items.erase(self->items.begin() + at);
    return none;
  }
  if (name == "pop" && count == 0) {
    if (self->items.empty()) return raise(object::ErrorKind::KeyError, "pop from an empty set");
    // Which one it is follows from how the set is built.
    std::vector<Value> keys;
    for (Variable* item : self->items) keys.push_back(key_of(*item));
    const Ref<object::Set> whole = in_.set();
    for (const Value& key : keys) whole->add(key);
    PyResult<Value> taken = in_.call_method(Value(whole), in_.intern("pop"));
    if (!taken.ok()) return raise(taken.error());
    mutate(*self);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!object::equal_keys(keys[i], taken.value())) continue;
      Variable* item = self->items[i];
      self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(i));
      return item;
    }
    return unsupported_builtin(name, args, false);
  }
  if (name == "clear" && count == 0) {
    mutate(*self);
    self->items.clear();
    return none;
  }
  is_known = false;
  return nullptr;
}

}  // namespace nns::dynamo
