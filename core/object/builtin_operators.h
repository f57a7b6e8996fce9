#pragma once

#include <initializer_list>

#include "core/object/operators.h"

namespace nns::object {

/// a <op> b as the built-in classes define it (numbers, texts, bytes, sequences, sets, dicts and their views), whatever
/// methods classes derived from them have; Absent where they do not: NotImplemented.
/// Errors: those of the operation, and what elements raise when they are compared.
PyResult<Value> builtin_operation(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b);

/// Whether the methods of a number answer NotImplemented because the other one is wider: int, float, complex.
/// Behaviour: CPython Objects/longobject.c, CHECK_BINOP; floatobject.c, CONVERT_TO_DOUBLE.
bool leaves_to_other(const Value& self, const Value& other);

/// Gives `cls` the methods of these operators; `reflected`: those for the right operand too.
void add_operator_methods(Class& cls, std::initializer_list<BinaryOperator> operators, bool reflected);
/// ==, !=, <, <=, >, >=.
void add_comparison_methods(Class& cls);

/// a == b of two sequences or dicts of one kind, element by element.
PyResult<bool> equal_items(Interpreter& interpreter, std::span<const Value> a, std::span<const Value> b);
/// a < b.
PyResult<bool> less(Interpreter& interpreter, const Value& a, const Value& b);

/// Whether `times` copies of `size` bytes are more than one object may take: MemoryError.
bool is_too_much(std::int64_t times, std::size_t size);

}  // namespace nns::object
