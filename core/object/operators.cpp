#include "core/object/operators.h"

#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

constexpr std::string_view kSymbols[] = {
#define NNS_OPERATOR(id, symbol, method, reflected, in_place) symbol,
#include "core/object/operators.def"
#undef NNS_OPERATOR
};
std::string_view symbol_of(BinaryOperator op) { return kSymbols[static_cast<std::size_t>(op)]; }
const Names::Operator& methods_of(Interpreter& in, BinaryOperator op) {
  return in.names().operators[static_cast<std::size_t>(op)];
}
bool is_comparison(BinaryOperator op) { return op >= BinaryOperator::Eq; }

// type(self).name(self, other); Absent if there is no such method or it returned NotImplemented.
PyResult<Value> try_method(Interpreter& in, const Value& self, Name method, const Value& other) {
  if (!method) return Value::absent();
  const Value* found = own_special(in, self, method);
  if (found == nullptr && method == in.names().dunder_ne) {
    // Without a __ne__ of its own a class means the opposite of its __eq__.
    NNS_TRY_ASSIGN(const Value same, try_method(in, self, in.names().dunder_eq, other));
    if (same.is_absent()) return same;
    NNS_TRY_ASSIGN(const bool is_same, truth(in, same));
    return Value(!is_same);
  }
  if (found == nullptr || found->is_none()) return Value::absent();
  NNS_TRY_ASSIGN(Value answer, in.call_special(self, method, {other}));
  return answer.is(in.not_implemented()) ? Value::absent() : answer;
}

PyResult<Value> without_error(Interpreter& in, BinaryOperator op, const Value& a, const Value& b) {
  if (is_exact(a) && is_exact(b)) {
    NNS_TRY_ASSIGN(Value found, builtin_operation(in, op, a, b));
    if (!found.is_absent()) return found;
  }
  const Names::Operator& methods = methods_of(in, op);
  const Class &left = in.type_of(a), &right = in.type_of(b);
  const bool differ = &left != &right;
  // The derived class comes first where it has a reflected method of its own.
  bool right_first = differ && right.is_subclass_of(left);
  if (right_first && !is_comparison(op)) {
    const Value *own = right.lookup(methods.reflected), *inherited = left.lookup(methods.reflected);
    right_first = own != nullptr && (inherited == nullptr || !own->is(*inherited));
  }
  // Python asks sequences last whether they can be joined or repeated.
  const bool sequence_last = (op == BinaryOperator::Add || op == BinaryOperator::Mul) && is_exact(a) && a.is_object() &&
                             !is_plain_number(a) && !right_first && !is_exact(b);
  Value found = Value::absent();
  if (right_first || sequence_last) {
    NNS_TRY_ASSIGN(found, try_method(in, b, methods.reflected, a));
    if (!found.is_absent()) return found;
  }
  NNS_TRY_ASSIGN(found, try_method(in, a, methods.method, b));
  if (!found.is_absent() || right_first || (!differ && !is_comparison(op))) return found;
  return try_method(in, b, methods.reflected, a);
}

// Behaviour: CPython Objects/abstract.c, PyNumber_Add and PyNumber_Multiply: sequences have words of their own.
PyError unsupported(Interpreter& in, BinaryOperator op, std::string_view symbol, const Value& a, const Value& b) {
  const std::string_view left = in.type_of(a).name(), right = in.type_of(b).name();
  const auto is_sequence = [](const Value& value) {
    return value.as<Str>() != nullptr || value.as<List>() != nullptr || value.as<Tuple>() != nullptr ||
           value.as<Bytes>() != nullptr;
  };
  if (op == BinaryOperator::Add && is_sequence(a)) {
    if (a.as<Bytes>() != nullptr) return type_error(in, "can't concat {} to {}", right, left);
    const std::string_view kind = a.as<Str>() != nullptr ? "str" : a.as<List>() != nullptr ? "list" : "tuple";
    return type_error(in, "can only concatenate {} (not \"{}\") to {}", kind, right, kind);
  }
  if (op == BinaryOperator::Mul && (is_sequence(a) || is_sequence(b))) {
    return type_error(in, "can't multiply sequence by non-int of type '{}'", is_sequence(a) ? right : left);
  }
  return type_error(in, "unsupported operand type(s) for {}: '{}' and '{}'", symbol, left, right);
}

}  // namespace

PyResult<Value> binary(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b) {
  NNS_TRY_ASSIGN(Value found, without_error(interpreter, op, a, b));
  if (!found.is_absent()) return found;
  if (op == BinaryOperator::Eq || op == BinaryOperator::Ne) {
    return Value(a.is(b) == (op == BinaryOperator::Eq));
  }
  if (is_comparison(op)) {
    return type_error(interpreter, "'{}' not supported between instances of '{}' and '{}'", symbol_of(op),
                      interpreter.type_of(a).name(), interpreter.type_of(b).name());
  }
  return unsupported(interpreter, op, symbol_of(op), a, b);
}

PyResult<Value> in_place(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b) {
  Value found = Value::absent();
  if (a.is_object()) {
    NNS_TRY_ASSIGN(found, try_method(interpreter, a, methods_of(interpreter, op).in_place, b));
    if (!found.is_absent()) return found;
  }
  NNS_TRY_ASSIGN(found, without_error(interpreter, op, a, b));
  if (!found.is_absent()) return found;
  const std::string symbol = op == BinaryOperator::Pow ? std::string("**=") : std::string(symbol_of(op)).append("=");
  return unsupported(interpreter, op, symbol, a, b);
}

PyResult<Value> unary(Interpreter& interpreter, UnaryOperator op, const Value& a) {
  if (is_plain_number(a)) {
    Value result = number_operation(interpreter, op, a);
    if (!result.is_absent()) return result;
  }
  const Names& names = interpreter.names();
  const Name methods[] = {names.dunder_neg, names.dunder_pos, names.dunder_invert};
  constexpr char kUnarySymbols[] = {'-', '+', '~'};
  const auto which = static_cast<std::size_t>(op);
  if (interpreter.type_of(a).lookup(methods[which]) != nullptr) return interpreter.call_special(a, methods[which]);
  return type_error(interpreter, "bad operand type for unary {}: '{}'", kUnarySymbols[which],
                    interpreter.type_of(a).name());
}

BinaryOperator operator_of(std::string_view symbol) {
  if (symbol == "**") return BinaryOperator::Pow;
  std::size_t at = 0;
  while (kSymbols[at] != symbol) ++at;
  return static_cast<BinaryOperator>(at);
}

}  // namespace nns::object
