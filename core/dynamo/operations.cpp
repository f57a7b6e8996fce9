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

bool derives(const Class& cls, const Class& from) {
  return std::find(cls.mro().begin(), cls.mro().end(), &from) != cls.mro().end();
}

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
  Variable* const both[] = {a, b};
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
  if (in_place) {
    if (Variable* result = try_operator(a, b, names.in_place); result != nullptr || has_failed()) return result;
  }
  // A class that derives from the other's goes first.
  const bool b_first = b->kind == VariableKind::Object && a->kind == VariableKind::Object &&
                       &type_of(*a) != &type_of(*b) && derives(type_of(*b), type_of(*a)) &&
                       type_of(*b).lookup(names.reflected) != type_of(*a).lookup(names.reflected);
  if (b_first) {
    if (Variable* result = try_operator(b, a, names.reflected); result != nullptr || has_failed()) return result;
  }
  if (Variable* result = try_operator(a, b, names.method); result != nullptr || has_failed()) return result;
  const bool are_alike = op < BinaryOperator::Eq && &type_of(*a) == &type_of(*b);
  if (!b_first && !are_alike) {
    if (Variable* result = try_operator(b, a, names.reflected); result != nullptr || has_failed()) return result;
  }
  if (op == BinaryOperator::Ne) {
    // object's own __ne__ is the opposite of __eq__.
    if (Variable* same = user_equal(a, b); same != nullptr || has_failed()) {
      const int answer = same == nullptr ? -1 : truth(same);
      if (answer < 0) return nullptr;
      return answer == 2 ? unsupported_builtin("ne", both, false) : constant(Value(answer == 0));
    }
  }
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
  const auto is_sequence = [](const Variable* one) {
    return one->kind == VariableKind::List || one->kind == VariableKind::Tuple;
  };
  if (op == BinaryOperator::Mul && is_sequence(b) && x.is_int()) return binary(op, b, a, false);
  if (op == BinaryOperator::Mul && is_sequence(a) && (y.is_int() || y.is_bool())) {
    const std::int64_t times = y.is_bool() ? (y.as_bool() ? 1 : 0) : y.as_int();
    if (times > 0 && a->items.size() * static_cast<std::uint64_t>(times) > 1000000)
      return unsupported_builtin("mul", both, false);
    std::vector<Variable*> items;
    for (std::int64_t i = 0; i < times; ++i) items.insert(items.end(), a->items.begin(), a->items.end());
    if (in_place && a->kind == VariableKind::List) {
      mutate(*a);
      a->items = std::move(items);
      return a;
    }
    return a->kind == VariableKind::List ? list(std::move(items)) : tuple(std::move(items));
  }
  if (op == BinaryOperator::Or && in_place && a->kind == VariableKind::Dict) {
    Variable* args[] = {b};
    bool is_known = false;
    return call_dict_method(a, "update", args, {}, is_known) == nullptr ? nullptr : a;
  }
  if (op == BinaryOperator::Or && a->kind == VariableKind::Dict && b->kind == VariableKind::Dict) {
    Variable* made = dict();
    made->cls = a->cls;
    made->function = a->function;
    for (Variable* from : {a, b}) {
      for (std::size_t i = 0; i < from->keys.size(); ++i) {
        if (from->keys[i] != nullptr && !set_item(made, from->keys[i], from->items[i])) return nullptr;
      }
    }
    return made;
  }
  const bool is_of_sets = op == BinaryOperator::Or || op == BinaryOperator::And || op == BinaryOperator::Sub ||
                          op == BinaryOperator::Xor || op > BinaryOperator::Ne;
  if (is_of_sets) {
    const bool has_view = a->kind == VariableKind::DictView || b->kind == VariableKind::DictView;
    const bool takes_all = op < BinaryOperator::Eq && has_view;
    Variable* const a_set = as_set(a, takes_all && b->kind == VariableKind::DictView);
    Variable* const b_set = has_failed() ? nullptr : as_set(b, takes_all && a->kind == VariableKind::DictView);
    if (has_failed()) return nullptr;
    if (a_set != nullptr && b_set != nullptr) {
      if (op > BinaryOperator::Ne) return compare_sets(op, a_set, b_set);
      Variable* made = set_operation(op, a_set, b_set, in_place && a == a_set && !has_view);
      return made;
    }
  }
  if (op == BinaryOperator::Mod && x.as<object::Str>() != nullptr) {
    return format_percent(a, b);
  }
  if (op >= BinaryOperator::Eq) {
    if (op == BinaryOperator::Eq || op == BinaryOperator::Ne) {
      NNS_VARIABLE(same, plain_equal(a, b));
      if (op == BinaryOperator::Eq || !same->is_constant()) return same;
      return constant(Value(!same->value.as_bool()));
    }
    if ((a->kind == VariableKind::List && b->kind == VariableKind::List) || both_tuples)
      return compare_sequences(op, a, b);
  }
  return no_such_operation(op, a, b, in_place);
}

// An operator that is none of these two: the program sees a TypeError. Of what only the graph computes it is not known.
Variable* Translator::no_such_operation(BinaryOperator op, Variable* a, Variable* b, bool in_place) {
  const auto is_plain = [](const Variable* one) {
    switch (one->kind) {
      case VariableKind::Constant:
      case VariableKind::List:
      case VariableKind::Tuple:
      case VariableKind::Dict:
      case VariableKind::Set:
      case VariableKind::DictView:
      case VariableKind::Function:
      case VariableKind::Method:
      case VariableKind::Class:
      case VariableKind::Generator:
        return true;
      case VariableKind::Object:
        return !is_module(*one) && one->contents == nullptr && one->cls != nullptr && !one->cls->is_immutable();
      default:
        return false;
    }
  };
  const std::size_t index = static_cast<std::size_t>(op);
  Variable* const both[] = {a, b};
  if (!is_plain(a) || !is_plain(b)) return unsupported_builtin(kOperatorNames[index], both, false);
  constexpr std::array<std::string_view, 19> kSigns = {"+", "-", "*", "@",  "/",  "//", "%",  "** or pow()", "<<", ">>",
                                                       "&", "|", "^", "==", "!=", "<",  "<=", ">",           ">="};
  const std::string_view left = type_of(*a).name(), right = type_of(*b).name();
  if (op >= BinaryOperator::Eq) {
    return raise(
        object::type_error(in_, "'{}' not supported between instances of '{}' and '{}'", kSigns[index], left, right));
  }
  const bool is_sequence = a->kind == VariableKind::List || a->kind == VariableKind::Tuple;
  if (op == BinaryOperator::Add && is_sequence)
    return raise(object::type_error(in_, "can only concatenate {} (not \"{}\") to {}", left, right, left));
  std::string sign(kSigns[index]);
  if (in_place) sign = op == BinaryOperator::Pow ? "**=" : sign + "=";
  return raise(object::type_error(in_, "unsupported operand type(s) for {}: '{}' and '{}'", sign, left, right));
}

// What a method of the program's gives; null without a failure: there is none, or it does not answer.
Variable* Translator::try_operator(Variable* self, Variable* other, Name method) {
  if (self->kind != VariableKind::Object || !method) return nullptr;
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(type_of(*self), method, depth, &library);
  if (found == nullptr || (library == nullptr && python::as_function(*found) == nullptr)) return nullptr;
  Variable* args[] = {other};
  Variable* result = real(call_method(self, method, args));
  if (result != nullptr && result->is_constant() && result->value.is(in_.not_implemented())) return nullptr;
  return result;
}

bool Translator::has_special(Variable* object, std::string_view name) {
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(type_of(*object), in_.intern(name), depth, &library);
  return library != nullptr || (found != nullptr && !found->is_none());
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
  if (a->kind == VariableKind::Object && !has_special(a, special)) {
    constexpr std::array<std::string_view, 3> kSigns = {"-", "+", "~"};
    return raise(object::type_error(in_, "bad operand type for unary {}: '{}'", kSigns[op], type_of(*a).name()));
  }
  return call_method(a, in_.intern(special), {});
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
    case VariableKind::DictView:
      return length(value->self);
    case VariableKind::AttributeDict: {
      bool is_known = false;
      NNS_VARIABLE(whole, call_dict_method(value, "copy", {}, {}, is_known));
      return length(whole);
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
    case VariableKind::Object: {
      if (!has_special(value, "__len__"))
        return raise(object::type_error(in_, "object of type '{}' has no len()", type_of(*value).name()));
      return call_method(value, in_.intern("__len__"), {});
    }
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
    case VariableKind::DictView:
      return truth(value->self);
    case VariableKind::AttributeDict: {
      const Variable* size = length(value);
      return size == nullptr ? -1 : size->value.as_int() > 0 ? 1 : 0;
    }
    case VariableKind::Object:
    case VariableKind::NNModule: {
      std::int64_t depth = 0;
      for (const char* name : {"__bool__", "__len__"}) {
        Variable* library = nullptr;
        if (class_lookup(type_of(*value), in_.intern(name), depth, &library) == nullptr) continue;
        Variable* answer =
            std::string_view(name) == "__len__" ? length(value) : real(call_method(value, in_.intern(name), {}));
        if (answer != nullptr && answer->is_constant() && name == std::string_view("__bool__") &&
            !answer->value.is_bool()) {
          raise(object::type_error(in_, "__bool__ should return bool, returned {}", type_of(*answer).name()));
          return -1;
        }
        return answer == nullptr ? -1 : truth(answer);
      }
      return 1;
    }
    default:
      return 1;
  }
}

}  // namespace nns::dynamo
