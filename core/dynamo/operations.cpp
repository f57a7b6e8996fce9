// Operators, items, truth and iteration on trackers.
#include "core/object/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/range.h"

namespace nns::dynamo {

using object::BinaryOperator;

namespace {

constexpr std::array<std::string_view, 19> kOperatorNames = {
    "add",  "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift",
    "and_", "or_", "xor", "eq",     "ne",      "lt",       "le",  "gt",  "ge"};

}  // namespace

Variable* Translator::binary(BinaryOperator op, Variable* given_a, Variable* given_b, bool in_place) {
  NNS_VARIABLE(whole_a, real(given_a));
  NNS_VARIABLE(whole_b, real(given_b));
  const std::size_t index = static_cast<std::size_t>(op);
  // An instance of a class of dict or list without such an operator of its own is what it holds.
  const auto& methods = in_.names().operators[index];
  Variable* const a = plain_of(whole_a, {methods.method, in_place ? methods.in_place : Name()});
  Variable* const b = plain_of(whole_b, {methods.method, methods.reflected});
  if (a != whole_a && in_place) {
    Variable* const result = binary(op, a, b, true);
    return result == a ? whole_a : result;
  }
  if (a->kind == VariableKind::Tensor || b->kind == VariableKind::Tensor) {
    const bool is_in_place = in_place && a->kind == VariableKind::Tensor;
    std::string name(kOperatorNames[index]);
    if (is_in_place) name = fmt::format("i{}", name.ends_with('_') ? name.substr(0, name.size() - 1) : name);
    Variable* args[] = {a, b};
    const bool is_lone = a->kind != VariableKind::Tensor && a->kind != VariableKind::Constant;
    if (is_lone && a->kind == VariableKind::Object) {
      // The object's own operator goes first.
    } else {
      return call_torch(engine_.operator_function(name), "operator." + name, name, args, {});
    }
  }
  if (a->kind == VariableKind::Number || b->kind == VariableKind::Number) {
    const std::string name(kOperatorNames[index]);
    Variable* args[] = {a, b};
    Variable* made = number_operation(engine_.operator_function(name), name, args);
    if (made != nullptr || has_failed()) return made;
  }
  const Value x = tuple_of_numbers(*a) ? Value::absent() : constant_value(a);
  const Value y = tuple_of_numbers(*b) ? Value::absent() : constant_value(b);
  if (has_failed()) return nullptr;
  if (!x.is_absent() && !y.is_absent()) {
    PyResult<Value> result = in_place ? object::in_place(in_, op, x, y) : object::binary(in_, op, x, y);
    if (!result.ok()) return raise(result.error());
    return build(result.value(), nullptr);
  }
  // A constant beside a tuple that is none is one of trackers, too.
  if (a->kind == VariableKind::Tuple && b->kind == VariableKind::Constant && b->value.as<object::Tuple>() != nullptr)
    return binary(op, a, tuple_of_constants(b), in_place);
  if (b->kind == VariableKind::Tuple && a->kind == VariableKind::Constant && a->value.as<object::Tuple>() != nullptr)
    return binary(op, tuple_of_constants(a), b, in_place);
  // Methods of classes of the program.
  const auto& names = in_.names().operators[index];
  const auto try_method = [&](Variable* self, Variable* other, Name method) -> Variable* {
    if (self->kind != VariableKind::Object || !method) return nullptr;
    std::int64_t depth = 0;
    Variable* library = nullptr;
    const Value* found = class_lookup(type_of(*self), method, depth, &library);
    if (found == nullptr || (library == nullptr && python::as_function(*found) == nullptr)) return nullptr;
    Variable* args[] = {other};
    Variable* result = call_method(self, method, args);
    if (result != nullptr && result->is_constant() && result->value.is(in_.not_implemented())) return nullptr;
    return result;
  };
  if (in_place) {
    if (Variable* result = try_method(a, b, names.in_place); result != nullptr || has_failed()) return result;
  }
  if (Variable* result = try_method(a, b, names.method); result != nullptr || has_failed()) return result;
  if (Variable* result = try_method(b, a, names.reflected); result != nullptr || has_failed()) return result;
  const bool both_lists = a->kind == VariableKind::List && (b->kind == VariableKind::List || in_place);
  const bool both_tuples = a->kind == VariableKind::Tuple && b->kind == VariableKind::Tuple;
  if (op == BinaryOperator::Add && (both_lists || both_tuples)) {
    std::vector<Variable*> more;
    if (!items_of(b, more)) return nullptr;
    if (in_place && both_lists) {
      mutate(*a);
      a->items.insert(a->items.end(), more.begin(), more.end());
      return a;
    }
    std::vector<Variable*> items = a->items;
    items.insert(items.end(), more.begin(), more.end());
    return both_lists ? list(std::move(items)) : tuple(std::move(items));
  }
  if (op == BinaryOperator::Mul && (a->kind == VariableKind::List || a->kind == VariableKind::Tuple) && y.is_int()) {
    std::vector<Variable*> items;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(y.as_int(), 100000); ++i)
      items.insert(items.end(), a->items.begin(), a->items.end());
    return a->kind == VariableKind::List ? list(std::move(items)) : tuple(std::move(items));
  }
  if (op == BinaryOperator::Or && a->kind == VariableKind::Dict && b->kind == VariableKind::Dict) {
    Variable* made = in_place ? a : dict();
    if (in_place) mutate(*a);
    for (Variable* from : {a, b}) {
      if (from == made) continue;
      for (std::size_t i = 0; i < from->keys.size(); ++i) {
        if (from->keys[i] != nullptr && !set_item(made, from->keys[i], from->items[i])) return nullptr;
      }
    }
    return made;
  }
  const bool is_set = a->kind == VariableKind::Set && b->kind == VariableKind::Set;
  if (is_set) {
    Variable& made = arena_->make(VariableKind::Set);
    made.is_new = true;
    const auto has = [&](Variable* set, Variable* item) {
      return std::any_of(set->items.begin(), set->items.end(),
                         [&](Variable* one) { return object::equal_keys(key_of(*one), key_of(*item)); });
    };
    for (Variable* item : a->items) {
      const bool in_b = has(b, item);
      if (op == BinaryOperator::Or || (op == BinaryOperator::And && in_b) ||
          ((op == BinaryOperator::Sub || op == BinaryOperator::Xor) && !in_b))
        made.items.push_back(item);
    }
    for (Variable* item : b->items) {
      if ((op == BinaryOperator::Or || op == BinaryOperator::Xor) && !has(a, item)) made.items.push_back(item);
    }
    return &made;
  }
  if (op == BinaryOperator::Mod && x.as<object::Str>() != nullptr) {
    return unsupported("String formatting of unsupported value", "", "Dynamo cannot format this value.", {});
  }
  if (op >= BinaryOperator::Eq) {
    if (op == BinaryOperator::Eq || op == BinaryOperator::Ne) {
      NNS_VARIABLE(same, equal(a, b));
      if (op == BinaryOperator::Eq || !same->is_constant()) return same;
      return constant(Value(!same->value.as_bool()));
    }
    if ((both_lists || both_tuples) && !a->items.empty()) {
      return unsupported("Failed to trace builtin operator", "", "Dynamo does not compare these sequences.", {});
    }
  }
  Variable* args[] = {a, b};
  return unsupported_builtin(kOperatorNames[index], args, false);
}

bool Translator::tuple_of_numbers(const Variable& variable) {
  return variable.kind == VariableKind::Tuple && holds_number(variable);
}

Variable* Translator::tuple_of_constants(Variable* variable) {
  const auto* held = variable->kind == VariableKind::Constant ? variable->value.as<object::Tuple>() : nullptr;
  if (held == nullptr) return variable;
  std::vector<Variable*> items;
  for (const Value& item : held->items()) items.push_back(constant(item));
  Variable* made = tuple(std::move(items));
  if (&held->type() != in_.builtins().tuple) made->cls = &variable->value.object()->type();
  return made;
}

Variable* Translator::equal(Variable* a, Variable* b) {
  if (a == b) return constant(Value(true));
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
  const bool are_sequences = a->kind == b->kind && (a->kind == VariableKind::List || a->kind == VariableKind::Tuple);
  if (are_sequences) {
    if (a->items.size() != b->items.size()) return constant(Value(false));
    for (std::size_t i = 0; i < a->items.size(); ++i) {
      NNS_VARIABLE(one, real(a->items[i]));
      NNS_VARIABLE(other, real(b->items[i]));
      if (one->kind == VariableKind::Tensor || other->kind == VariableKind::Tensor) {
        NNS_VARIABLE(same, identical(one, other));
        if (same->value.as_bool()) continue;
        return unsupported("list_richcompare_nonconst", "element comparison produced TensorVariable",
                           "Cannot determine list/tuple comparison at compile time when element comparison produces a "
                           "non-constant result.",
                           {hints::kSupportable});
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
  return constant(Value(key_of(*a).is(key_of(*b))));
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

Variable* Translator::unary(std::uint32_t op, Variable* given) {
  NNS_VARIABLE(a, real(given));
  constexpr std::array<std::string_view, 3> kNames = {"neg", "pos", "invert"};
  if (a->kind == VariableKind::Tensor) {
    Variable* args[] = {a};
    const std::string name(kNames[op]);
    return call_torch(engine_.operator_function(name), "operator." + name, name, args, {});
  }
  if (a->kind == VariableKind::Number) {
    const std::string name(kNames[op]);
    Variable* made = number_operation(engine_.operator_function(name), name, {&a, 1});
    if (made != nullptr || has_failed()) return made;
  }
  const Value value = constant_value(a);
  if (has_failed()) return nullptr;
  if (!value.is_absent()) {
    PyResult<Value> result = object::unary(in_, static_cast<object::UnaryOperator>(op), value);
    if (!result.ok()) return raise(result.error());
    return constant(result.value());
  }
  const std::string special = fmt::format("__{}__", kNames[op]);
  return call_method(a, in_.intern(special), {});
}

std::ptrdiff_t Translator::find_key(Variable& dict, Variable& key) {
  const Value wanted = key_of(key);
  for (std::size_t i = 0; i < dict.keys.size(); ++i) {
    if (dict.keys[i] != nullptr && object::equal_keys(key_of(*dict.keys[i]), wanted))
      return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

void Translator::note_mutated(Variable& variable) {
  if (variable.is_mutated) return;
  variable.is_mutated = true;
  mutated_.push_back(&variable);
  if (variable.kind == VariableKind::Dict && variable.source != nullptr && !variable.is_hooks_dict)
    guard_keys(variable);
}

Variable* Translator::length(Variable* given) {
  NNS_VARIABLE(value, real(given));
  switch (value->kind) {
    case VariableKind::List:
    case VariableKind::Tuple:
    case VariableKind::Set:
      return constant(Value(static_cast<std::int64_t>(value->items.size())));
    case VariableKind::Dict: {
      guard_keys(*value);
      return constant(Value(static_cast<std::int64_t>(value->keys.size())));
    }
    case VariableKind::Tensor: {
      if (value->node->has_unknown_size) return unknown_size("len");
      if (value->node->example->ndim() == 0) return raise(object::ErrorKind::TypeError, "len() of a 0-d tensor");
      return size_of(value, 0);
    }
    case VariableKind::NNModule: {
      const PyResult<std::int64_t> size = object::length(in_, value->value);
      if (!size.ok()) return raise(size.error());
      return constant(Value(size.value()));
    }
    case VariableKind::Object:
      return call_method(value, in_.intern("__len__"), {});
    default: {
      const Value x = constant_value(value);
      if (x.is_absent()) return unsupported_builtin("len", {&value, 1}, false);
      const PyResult<std::int64_t> size = object::length(in_, x);
      if (!size.ok()) return raise(size.error());
      return constant(Value(size.value()));
    }
  }
}

int Translator::truth(Variable* given) {
  Variable* value = real(given);
  if (value == nullptr) return -1;
  switch (value->kind) {
    case VariableKind::Tensor:
      return 2;
    case VariableKind::Number: {
      if (value->expression == nullptr) return 2;
      const PyResult<bool> is_true = object::truth(in_, value->value);
      if (!is_true.ok()) return raise(is_true.error()), -1;
      if (value->value.is_bool()) {
        guard_expression(value->expression, value->value);
        if (has_failed()) return -1;
        return is_true.value() ? 1 : 0;
      }
      // Of other numbers it counts whether they are zero.
      Variable* args[] = {value, constant(Value(std::int64_t{0}))};
      Variable* answer = number_operation(engine_.operator_function("ne"), "ne", args);
      return answer == nullptr ? -1 : truth(answer);
    }
    case VariableKind::Constant: {
      const PyResult<bool> is_true = object::truth(in_, value->value);
      if (!is_true.ok()) return raise(is_true.error()), -1;
      return is_true.value() ? 1 : 0;
    }
    case VariableKind::List:
    case VariableKind::Tuple:
    case VariableKind::Set:
      return value->items.empty() ? 0 : 1;
    case VariableKind::Dict:
      if (value->source != nullptr && !value->is_new && !value->is_mutated)
        guard_length(value->source, value->keys.size(), Value());
      return value->keys.empty() ? 0 : 1;
    case VariableKind::Object:
    case VariableKind::NNModule: {
      std::int64_t depth = 0;
      for (const char* name : {"__bool__", "__len__"}) {
        Variable* library = nullptr;
        if (class_lookup(type_of(*value), in_.intern(name), depth, &library) == nullptr) continue;
        Variable* answer =
            std::string_view(name) == "__len__" ? length(value) : call_method(value, in_.intern(name), {});
        return answer == nullptr ? -1 : truth(answer);
      }
      return 1;
    }
    default:
      return 1;
  }
}

bool Translator::items_of(Variable* given, std::vector<Variable*>& items) {
  Variable* value = real(given);
  if (value == nullptr) return false;
  if (value->kind == VariableKind::List || value->kind == VariableKind::Tuple || value->kind == VariableKind::Set) {
    items = value->items;
    return true;
  }
  Variable* walker = iterate(value);
  if (walker == nullptr) return false;
  while (Variable* item =
             walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next()) {
    items.push_back(item);
    if (items.size() > 1000000) {
      unsupported("Infinite iterator", "", "Dynamo does not walk an iterator of more than a million items.", {});
      return false;
    }
  }
  return !has_failed();
}

Variable* Translator::iterate_until(Variable* callable, Variable* sentinel) {
  return iterator([this, callable, sentinel]() -> Variable* {
    NNS_VARIABLE(item, call(callable, {}, {}));
    NNS_VARIABLE(is_last, equal(item, sentinel));
    const int answer = truth(is_last);
    Variable* const given[] = {callable, sentinel};
    if (answer == 2) return unsupported_builtin("iter", given, false);
    return answer == 0 ? item : nullptr;
  });
}

Variable* Translator::iterate(Variable* given) {
  NNS_VARIABLE(value, real(given));
  switch (value->kind) {
    case VariableKind::Iterator:
    case VariableKind::Generator:
      return value;
    case VariableKind::List: {
      // A list is walked alive.
      auto at = std::make_shared<std::size_t>(0);
      Variable* made =
          iterator([value, at]() -> Variable* { return *at < value->items.size() ? value->items[(*at)++] : nullptr; });
      made->self = value;
      made->given = at;
      return made;
    }
    case VariableKind::Tuple:
    case VariableKind::Set:
      return iterator_over(value->items);
    case VariableKind::Dict:
      guard_keys(*value);
      return iterator_over(value->keys);
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
      NNS_VARIABLE(made, call_method(value, in_.intern("__iter__"), {}));
      if (made->kind == VariableKind::Object) {
        return iterator([this, made]() -> Variable* {
          Variable* item = call_method(made, in_.names().dunder_next, {});
          if (item == nullptr && failure_.kind == Failure::Kind::Observed &&
              failure_.exception->value.as<Class>()->name() == "StopIteration")
            failure_ = {};
          return item;
        });
      }
      return made;
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

Variable* Translator::string_of(Variable* given, bool is_repr) {
  NNS_VARIABLE(value, real(given));
  const Value x = constant_value(value);
  if (!x.is_absent()) {
    PyResult<std::string> made = is_repr ? object::repr(in_, x) : object::str(in_, x);
    if (!made.ok()) return raise(made.error());
    return text(made.value());
  }
  if (value->kind == VariableKind::Tensor) return untraced_repr(*value);
  if (value->kind == VariableKind::Format && !is_repr) return value;
  const bool is_listed = value->kind == VariableKind::List || value->kind == VariableKind::Tuple;
  if ((is_listed || value->kind == VariableKind::Dict) && holds_tensor(value)) {
    const std::string shown_class =
        is_listed ? value->kind == VariableKind::List ? "ListVariable" : "TupleVariable" : "ConstDictVariable";
    return unsupported(
        is_listed ? "repr() on non-constant list-like" : "repr() on non-constant dict",
        fmt::format("repr() on {} with non-constant {}", shown_class, is_listed ? "elements" : "keys or values"),
        fmt::format("Dynamo could not safely evaluate repr() for this {} object because one or more {} "
                    "are not Python constants.",
                    is_listed ? "list-like" : "dict-like", is_listed ? "elements" : "keys or values"),
        {hints::kSupportable});
  }
  if (has_failed()) return nullptr;
  if (value->kind == VariableKind::Exception) {
    if (value->items.empty()) return text("");
    if (value->items.size() == 1) return string_of(value->items[0], false);
  }
  if (value->kind == VariableKind::Object && value->value.as<nn::Module>() == nullptr) {
    const Value* found = type_of(*value).lookup(in_.intern(is_repr ? "__repr__" : "__str__"));
    if (found == nullptr || python::as_function(*found) == nullptr)
      found = type_of(*value).lookup(in_.intern("__repr__"));
    if (found != nullptr && python::as_function(*found) != nullptr) {
      Variable& function = function_of(*found);
      return inline_call(&function, {&value, 1}, {});
    }
    if (value->contents != nullptr) return string_of(value->contents, true);
  }
  if (value->kind == VariableKind::List || value->kind == VariableKind::Tuple || value->kind == VariableKind::Dict) {
    std::string made = value->kind == VariableKind::List ? "[" : value->kind == VariableKind::Tuple ? "(" : "{";
    for (std::size_t i = 0; i < value->items.size(); ++i) {
      if (i > 0) made += ", ";
      if (value->kind == VariableKind::Dict) {
        NNS_VARIABLE(key, string_of(value->keys[i], true));
        made += std::string(key->value.as<object::Str>()->view()) + ": ";
      }
      NNS_VARIABLE(item, string_of(value->items[i], true));
      made += item->value.as<object::Str>()->view();
    }
    if (value->kind == VariableKind::Tuple && value->items.size() == 1) made += ",";
    return text(made + (value->kind == VariableKind::List ? "]" : value->kind == VariableKind::Tuple ? ")" : "}"));
  }
  return unsupported_builtin(is_repr ? "repr" : "str", {&value, 1}, false);
}

}  // namespace nns::dynamo
