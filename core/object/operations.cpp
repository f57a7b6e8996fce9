#include "core/object/operations.h"

#include "core/object/builtin_operators.h"
#include "core/object/numbers.h"

namespace nns::object {
namespace {

const Value* special(Interpreter& interpreter, const Value& value, Name name) {
  return value.is_object() ? interpreter.type_of(value).lookup(name) : nullptr;
}

}  // namespace

const Value* own_special(Interpreter& interpreter, const Value& value, Name name) {
  const Value* found = interpreter.type_of(value).lookup(name);
  if (found == nullptr) return nullptr;
  const Value* general = interpreter.builtins().object->lookup(name);
  return general != nullptr && general->is(*found) ? nullptr : found;
}

PyResult<bool> truth(Interpreter& interpreter, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::None:
    case Value::Kind::Absent:
    case Value::Kind::Empty:
      return false;
    case Value::Kind::Bool:
    case Value::Kind::Int:
      return value.as_int() != 0;
    case Value::Kind::Float:
      return value.as_float() != 0;
    case Value::Kind::Object:
      break;
  }
  if (is_exact(value)) {
    if (const Str* text = value.as<Str>()) return !text->view().empty();
    if (const auto size = builtin_length(value)) return *size != 0;
    if (value.as<BigInt>() != nullptr) return true;
    if (const Complex* number = value.as<Complex>()) return number->number() != 0.0;
  }
  if (special(interpreter, value, interpreter.names().dunder_bool) != nullptr) {
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(value, interpreter.names().dunder_bool));
    if (answer.is_bool()) return answer.as_bool();
    return type_error(interpreter, "__bool__ should return bool, returned {}", interpreter.type_of(answer).name());
  }
  if (const Number* number = value.as<Number>()) return truth(interpreter, number->plain());
  if (special(interpreter, value, interpreter.names().dunder_len) != nullptr) {
    NNS_TRY_ASSIGN(const std::int64_t size, length(interpreter, value));
    return size != 0;
  }
  return true;
}

// Behaviour: CPython Objects/object.c, PyObject_RichCompareBool with Py_EQ: what is identical is equal.
PyResult<bool> equal(Interpreter& interpreter, const Value& a, const Value& b) {
  if (a.is(b)) return true;
  if (is_exact(a) && is_exact(b)) {
    NNS_TRY_ASSIGN(const Value answer, builtin_operation(interpreter, BinaryOperator::Eq, a, b));
    if (!answer.is_absent()) return answer.as_bool();
  }
  const Interpreter::Depth depth(interpreter);
  if (depth.too_deep()) return interpreter.recursion_error();
  const Class &left = interpreter.type_of(a), &right = interpreter.type_of(b);
  const bool right_first = &left != &right && right.is_subclass_of(left);
  const Value &first = right_first ? b : a, &second = right_first ? a : b;
  for (const auto& [self, other] : {std::pair(first, second), std::pair(second, first)}) {
    const Value* method = own_special(interpreter, self, interpreter.names().dunder_eq);
    if (method == nullptr || method->is_none()) continue;
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(self, interpreter.names().dunder_eq, {other}));
    if (answer.is(interpreter.not_implemented())) continue;
    return truth(interpreter, answer);
  }
  return false;
}

PyResult<std::int64_t> index(Interpreter& interpreter, const Value& value) {
  if (value.is_int() || value.is_bool()) return value.as_int();
  NNS_TRY_ASSIGN(const Value whole, index_value(interpreter, value));
  if (whole.is_int()) return whole.as_int();
  return error<ErrorKind::OverflowError>(interpreter, "Python int too large to convert to C int");
}

PyResult<Value> index_value(Interpreter& interpreter, const Value& value) {
  const auto plain_int = [](const Value& number) { return number.is_bool() ? Value(number.as_int()) : number; };
  const Value& plain = plain_number(value);
  if (is_integer(plain)) return plain_int(plain);
  if (special(interpreter, value, interpreter.names().dunder_index) != nullptr) {
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(value, interpreter.names().dunder_index));
    if (is_integer(plain_number(answer))) return plain_int(plain_number(answer));
    return type_error(interpreter, "__index__ returned non-int (type {})", interpreter.type_of(answer).name());
  }
  return type_error(interpreter, "'{}' object cannot be interpreted as an integer", interpreter.type_of(value).name());
}

bool is_mapping(const Value& value) { return value.as<Dict>() != nullptr; }

}  // namespace nns::object
