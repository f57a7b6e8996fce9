// Equality, order, identity; finding keys.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

using object::BinaryOperator;

// What the program's own __eq__ says; null without a failure: neither has one that answers.
Variable* Translator::user_equal(Variable* a, Variable* b) {
  const Name method = in_.names().operators[static_cast<std::size_t>(BinaryOperator::Eq)].method;
  for (const auto& [self, other] : {std::pair{a, b}, std::pair{b, a}}) {
    Variable* result = try_operator(self, other, method);
    if (result != nullptr || has_failed()) return result;
  }
  return nullptr;
}

// a == b as containers ask for it: the same is equal, and the answer is known while tracing.
Variable* Translator::equal(Variable* given_a, Variable* given_b) {
  NNS_VARIABLE(a, real(given_a));
  NNS_VARIABLE(b, real(given_b));
  if (a == b) return constant(Value(true));
  if (Variable* own = user_equal(a, b); own != nullptr || has_failed()) {
    if (own == nullptr) return nullptr;
    const int answer = truth(own);
    if (answer < 0) return nullptr;
    return answer == 2 ? unknown_comparison() : constant(Value(answer == 1));
  }
  return plain_equal(a, b);
}

Variable* Translator::unknown_comparison() {
  return unsupported("list_richcompare_nonconst", "element comparison produced TensorVariable",
                     "Cannot determine list/tuple comparison at compile time when element comparison produces a "
                     "non-constant result.",
                     {hints::kSupportable});
}

// The same where no method of the program is asked.
Variable* Translator::plain_equal(Variable* a, Variable* b) {
  for (Variable** one : {&a, &b}) {
    if ((*one)->kind != VariableKind::AttributeDict) continue;
    bool is_known = false;
    *one = call_dict_method(*one, "copy", {}, {}, is_known);
    if (*one == nullptr) return nullptr;
  }
  a = plain_of(a, {in_.names().operators[static_cast<std::size_t>(BinaryOperator::Eq)].method});
  b = plain_of(b, {in_.names().operators[static_cast<std::size_t>(BinaryOperator::Eq)].method});
  if (a->kind == VariableKind::Number || b->kind == VariableKind::Number) {
    Variable* args[] = {a, b};
    Variable* same = number_operation(engine_.operator_function("eq"), "eq", args);
    const int answer = same == nullptr ? -1 : truth(same);
    if (answer == 0 || answer == 1) return constant(Value(answer == 1));
    if (has_failed()) return nullptr;
  }
  if (a->kind == VariableKind::Format || b->kind == VariableKind::Format) {
    return unsupported("Missing richcompare_impl override", "richcompare_impl StringFormatVariable() __eq__",
                       "StringFormatVariable does not implement richcompare_impl. Add a richcompare_impl override to "
                       "StringFormatVariable.",
                       {hints::kDynamoBug});
  }
  if (tuple_of_numbers(*a)) b = tuple_of_constants(b);
  if (tuple_of_numbers(*b)) a = tuple_of_constants(a);
  const Value x = tuple_of_numbers(*a) ? Value::absent() : constant_value(a);
  const Value y = tuple_of_numbers(*b) ? Value::absent() : constant_value(b);
  if (!x.is_absent() && !y.is_absent()) {
    const PyResult<bool> same = object::equal(in_, x, y);
    if (!same.ok()) return raise(same.error());
    return constant(Value(same.value()));
  }
  // Methods are equal where their instances are the same and their functions equal.
  const auto is_method = [](const Variable& one) {
    return one.kind == VariableKind::Method || one.kind == VariableKind::BoundBuiltin;
  };
  if (a != b && is_method(*a) && is_method(*b)) {
    NNS_VARIABLE(self, real(a->self));
    NNS_VARIABLE(other_self, real(b->self));
    const auto function_of_method = [](const Variable& one) {
      const Value& held = one.function != nullptr ? one.function->value : one.value;
      const auto* bound = held.as<object::BoundMethod>();
      return bound != nullptr ? bound->function() : held;
    };
    const Value x_function = function_of_method(*a), y_function = function_of_method(*b);
    const bool has_same_self = self == other_self || (self->value.is_object() && self->value.is(other_self->value));
    const bool has_values = x_function.is_object() && y_function.is_object();
    if (has_same_self && has_values) {
      const PyResult<bool> same = object::equal(in_, x_function, y_function);
      return same.ok() ? constant(Value(same.value())) : raise(same.error());
    }
    return constant(Value(false));
  }
  const bool are_builtins = a->kind == VariableKind::Builtin && b->kind == VariableKind::Builtin;
  if (are_builtins && a->value.is_object() && b->value.is_object()) {
    const PyResult<bool> same = object::equal(in_, a->value, b->value);
    return same.ok() ? constant(Value(same.value())) : raise(same.error());
  }
  const bool are_sequences = a->kind == b->kind && (a->kind == VariableKind::List || a->kind == VariableKind::Tuple);
  if (are_sequences) {
    if (a->items.size() != b->items.size()) return constant(Value(false));
    for (std::size_t i = 0; i < a->items.size(); ++i) {
      NNS_VARIABLE(one, real(a->items[i]));
      NNS_VARIABLE(other, real(b->items[i]));
      if (one->kind == VariableKind::Tensor || other->kind == VariableKind::Tensor) {
        NNS_VARIABLE(same, identical(one, other));
        if (!same->value.as_bool()) return unknown_comparison();
        continue;
      }
      NNS_VARIABLE(same, equal(one, other));
      if (!same->value.as_bool()) return same;
    }
    return constant(Value(true));
  }
  if (a->kind == VariableKind::Dict && b->kind == VariableKind::Dict) {
    NNS_VARIABLE(n, length(a));
    NNS_VARIABLE(m, length(b));
    if (!n->value.is(m->value)) return constant(Value(false));
    for (std::size_t i = 0; i < a->keys.size(); ++i) {
      if (a->keys[i] == nullptr) continue;
      const std::ptrdiff_t at = find_key(*b, *a->keys[i]);
      if (at < 0) return constant(Value(false));
      NNS_VARIABLE(one, real(a->items[i]));
      NNS_VARIABLE(other, real(b->items[static_cast<std::size_t>(at)]));
      NNS_VARIABLE(same, equal(one, other));
      if (!same->value.as_bool()) return same;
    }
    return constant(Value(true));
  }
  Variable* const x_set = as_set(a);
  Variable* const y_set = has_failed() ? nullptr : as_set(b);
  if (has_failed()) return nullptr;
  if (x_set != nullptr && y_set != nullptr) return compare_sets(BinaryOperator::Eq, x_set, y_set);
  return identical(a, b);
}

Variable* Translator::identical(Variable* given_a, Variable* given_b) {
  NNS_VARIABLE(a, real(given_a));
  NNS_VARIABLE(b, real(given_b));
  if (a == b) return constant(Value(true));
  const bool both_constant = a->kind == VariableKind::Constant && b->kind == VariableKind::Constant;
  if (both_constant) return constant(Value(a->value.is(b->value)));
  // What works in place gives the same tensor under another node.
  if (a->kind == VariableKind::Tensor && b->kind == VariableKind::Tensor)
    return constant(Value(a->node->example == b->node->example));
  const bool both_classes =
      a->kind == b->kind &&
      (a->kind == VariableKind::Class || a->kind == VariableKind::Builtin || a->kind == VariableKind::PythonModule ||
       a->kind == VariableKind::Function || a->kind == VariableKind::Object || a->kind == VariableKind::NNModule);
  return constant(Value(both_classes && a->value.is_object() && a->value.is(b->value)));
}

Variable* Translator::compare(std::uint32_t op, Variable* a, Variable* b) {
  switch (static_cast<python::CompareOp>(op)) {
    case python::CompareOp::Is:
      return identical(a, b);
    case python::CompareOp::IsNot: {
      NNS_VARIABLE(same, identical(a, b));
      return constant(Value(!same->value.as_bool()));
    }
    case python::CompareOp::In:
      return contains(b, a);
    case python::CompareOp::NotIn: {
      NNS_VARIABLE(has, contains(b, a));
      if (!has->is_constant()) return unsupported_builtin("not_in", {}, false);
      return constant(Value(!has->value.as_bool()));
    }
    default:
      break;
  }
  auto compared = static_cast<BinaryOperator>(static_cast<std::uint32_t>(BinaryOperator::Eq) + op);
  NNS_VARIABLE(left, real(a));
  NNS_VARIABLE(right, real(b));
  // A constant gives way to what the graph computes, whose own comparison is the other way round.
  const bool is_computed =
      right->kind == VariableKind::Tensor || (right->kind == VariableKind::Number && right->expression == nullptr);
  if (!left->is_constant() || !is_computed) return binary(compared, left, right, false);
  switch (compared) {
    case BinaryOperator::Lt:
      compared = BinaryOperator::Gt;
      break;
    case BinaryOperator::Le:
      compared = BinaryOperator::Ge;
      break;
    case BinaryOperator::Gt:
      compared = BinaryOperator::Lt;
      break;
    case BinaryOperator::Ge:
      compared = BinaryOperator::Le;
      break;
    default:
      break;
  }
  return binary(compared, right, left, false);
}

// <, <=, > and >= of two lists or tuples: of their first items that differ.
Variable* Translator::compare_sequences(BinaryOperator op, Variable* a, Variable* b) {
  const std::size_t both = std::min(a->items.size(), b->items.size());
  for (std::size_t i = 0; i < both; ++i) {
    NNS_VARIABLE(one, real(a->items[i]));
    NNS_VARIABLE(other, real(b->items[i]));
    if (one == other) continue;
    if (one->kind == VariableKind::Tensor || other->kind == VariableKind::Tensor) return unknown_comparison();
    NNS_VARIABLE(same, equal(one, other));
    if (!same->value.as_bool()) return binary(op, one, other, false);
  }
  PyResult<Value> answer = object::binary(in_, op, Value(static_cast<std::int64_t>(a->items.size())),
                                          Value(static_cast<std::int64_t>(b->items.size())));
  if (!answer.ok()) return raise(answer.error());
  return constant(answer.value());
}

// Whether it may be a key. Fails with what the program would see.
bool Translator::check_hashable(Variable* key, bool is_of_set) {
  const bool is_frozen = key->cls != nullptr && key->cls == in_.builtins().frozen_set;
  bool is_hashable = true;
  if (key->kind == VariableKind::List || key->kind == VariableKind::Dict || key->kind == VariableKind::DictView ||
      (key->kind == VariableKind::Set && !is_frozen)) {
    is_hashable = false;
  } else if (key->kind == VariableKind::Object) {
    const Value* method = type_of(*key).lookup(in_.intern("__hash__"));
    is_hashable = method != nullptr && !method->is_none();
  } else if (key->kind == VariableKind::Tuple) {
    for (Variable* item : key->items) {
      if (real(item) == nullptr || !check_hashable(real(item), is_of_set)) return false;
    }
  }
  if (is_hashable) return true;
  const std::string_view name = type_of(*key).name();
  raise(object::type_error(in_, "cannot use '{0}' as a {1} (unhashable type: '{0}')", name,
                           is_of_set ? "set element" : "dict key"));
  return false;
}

// Whether a dict takes both for the same key: as the program's __eq__ says where there is one.
bool Translator::is_same_key(Variable& given_a, Variable& given_b) {
  Variable* a = real(&given_a);
  Variable* b = real(&given_b);
  if (a == nullptr || b == nullptr) return false;
  if (a == b) return true;
  if (a->kind == VariableKind::Object || b->kind == VariableKind::Object) {
    const Variable* same = equal(a, b);
    return same != nullptr && same->value.is_bool() && same->value.as_bool();
  }
  return object::equal_keys(key_of(*a), key_of(*b));
}

std::ptrdiff_t Translator::find_key(Variable& dict, Variable& key) {
  const bool is_of_program = real(&key)->kind == VariableKind::Object;
  const Value wanted = is_of_program ? Value() : key_of(key);
  for (std::size_t i = 0; i < dict.keys.size(); ++i) {
    if (dict.keys[i] == nullptr) continue;
    const bool is_object = is_of_program || real(dict.keys[i])->kind == VariableKind::Object;
    if (is_object ? is_same_key(*dict.keys[i], key) : object::equal_keys(key_of(*dict.keys[i]), wanted))
      return static_cast<std::ptrdiff_t>(i);
    if (has_failed()) return -1;
  }
  return -1;
}

}  // namespace nns::dynamo
