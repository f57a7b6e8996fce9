#pragma once

#include "core/object/interpreter.h"

namespace nns::object {

/// The operators of the language that stand between two values.
enum class BinaryOperator : std::uint8_t {
#define NNS_OPERATOR(id, symbol, method, reflected, in_place) id,
#include "core/object/operators.def"
#undef NNS_OPERATOR
};

/// a <op> b: the method of a, then the reflected one of b; b first where its class is derived from that of a and has
/// its own. Behaviour: CPython Objects/abstract.c, binary_op; Objects/object.c, do_richcompare. Errors: TypeError
/// "unsupported operand type(s) for +: 'int' and 'str'"; ZeroDivisionError; whatever a method raises.
PyResult<Value> binary(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b);
/// The new value of a after `a <op>= b`.
PyResult<Value> in_place(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b);

enum class UnaryOperator : std::uint8_t { Neg, Pos, Invert };
/// Errors: TypeError  "bad operand type for unary -: 'str'".
PyResult<Value> unary(Interpreter& interpreter, UnaryOperator op, const Value& a);

/// The operator with this symbol, "+" or "//". Must hold: there is one.
BinaryOperator operator_of(std::string_view symbol);

}  // namespace nns::object
