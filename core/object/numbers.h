#pragma once

#include <complex>
#include <optional>

#include "core/object/big_int.h"
#include "core/object/instance.h"

namespace nns::object {

/// An instance of a class that a program derives from int, float or complex.
class Number final : public Instance {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Number;
  /// `plain`: the Int, BigInt, Float or Complex that it stands for.
  Number(Class& cls, Value plain) : Instance(cls, kKind), plain_(std::move(plain)) {}
  const Value& plain() const { return plain_; }

 private:
  Value plain_;
};

/// Python's complex.
class Complex final : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Complex;
  Complex(Interpreter& interpreter, std::complex<double> number);
  const std::complex<double>& number() const { return number_; }

 private:
  std::complex<double> number_;
};

/// The Bool, Int, BigInt, Float or Complex that a number stands for; any other value as it is.
inline const Value& plain_number(const Value& value) {
  const Number* number = value.as<Number>();
  return number == nullptr ? value : number->plain();
}

/// Whether a plain value is a number: Bool, Int, BigInt, Float or Complex.
bool is_plain_number(const Value& value);

/// a <op> b of two plain numbers; Absent where the operator is none of numbers, or these have no order.
/// Behaviour: CPython Objects/longobject.c, floatobject.c, complexobject.c.
/// Errors: ZeroDivisionError, OverflowError, ValueError (shifts), MemoryError.
PyResult<Value> number_operation(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b);
/// -a, +a, ~a of a plain number; Absent: ~ of what is no int.
Value number_operation(Interpreter& interpreter, UnaryOperator op, const Value& a);
/// abs(a) of a plain number.
PyResult<Value> number_absolute(Interpreter& interpreter, const Value& a);
/// divmod(a, b) of two plain real numbers, as a tuple. Errors: ZeroDivisionError.
PyResult<Value> number_divmod(Interpreter& interpreter, const Value& a, const Value& b);
/// round(a, digits) of a plain real number; digits None: to an int. Halves go to the even neighbour.
/// Errors: OverflowError, ValueError  an infinity or a NaN to an int.
PyResult<Value> number_round(Interpreter& interpreter, const Value& a, const Value& digits);

/// Equality of two plain numbers, exact between ints and floats.
bool numbers_equal(const Value& a, const Value& b);
/// hash(a) of a plain number: equal numbers hash alike whatever their type.
std::int64_t number_hash(const Value& a);

/// The int of a float without its fraction. Errors: OverflowError  infinite. ValueError  NaN.
PyResult<Value> float_to_integer(Interpreter& interpreter, double number);
/// float(text): white space around, underscores between digits, "inf", "nan". None: no number.
std::optional<double> read_float(std::string_view text);
/// "(1+2j)", "2j".
std::string complex_repr(const std::complex<double>& number);
/// complex(text). None: no number.
std::optional<std::complex<double>> read_complex_number(std::string_view text);

/// What int(), float() and complex() make of any value, of the built-in class itself.
/// Errors: TypeError, ValueError in Python's words.
PyResult<Value> to_integer(Interpreter& interpreter, const Value& value);
PyResult<double> to_float(Interpreter& interpreter, const Value& value);

}  // namespace nns::object
