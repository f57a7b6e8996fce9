#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/operators.h"

namespace nns::object {

/// A Python int that does not fit into 64 bits. Never changes. The functions below take and give ints of any size as
/// Values (Bool, Int or BigInt) and give a Value of kind Int wherever the result fits.
/// Behaviour: CPython Objects/longobject.c. The arithmetic is Boost.Multiprecision's cpp_int.
class BigInt final : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::BigInt;
  /// cpp_int, which only big_int.cpp sees.
  struct Number;

  BigInt(Interpreter& interpreter, std::unique_ptr<Number> number);
  ~BigInt() override;
  const Number& number() const { return *number_; }

 private:
  std::unique_ptr<Number> number_;
};

/// Results of more bits raise MemoryError: 32 MiB each.
inline constexpr std::int64_t kMaxIntegerBits = std::int64_t{1} << 28;
/// Longer decimal texts raise ValueError, in both directions: sys.int_info.default_max_str_digits.
inline constexpr std::size_t kMaxDecimalDigits = 4300;

/// Whether the value is a Bool, an Int or a BigInt.
inline bool is_integer(const Value& value) {
  return value.is_int() || value.is_bool() || (value.is_object() && value.object()->kind() == ObjectKind::BigInt);
}

/// a <op> b for + - * // % << >> & | ^, for ** whose exponent is not negative, and for comparisons; Absent for others.
/// Errors: ZeroDivisionError; ValueError  "negative shift count"; OverflowError, MemoryError  the result is too large.
PyResult<Value> integer_operation(Interpreter& interpreter, BinaryOperator op, const Value& a, const Value& b);
/// a / b, correctly rounded. Errors: ZeroDivisionError; OverflowError.
PyResult<Value> integer_quotient(Interpreter& interpreter, const Value& a, const Value& b);
/// divmod(a, b): the floor of the quotient, and the rest with the divisor's sign. Must hold: b is not zero.
std::pair<Value, Value> integer_divmod(Interpreter& interpreter, const Value& a, const Value& b);
/// pow(base, exponent, modulus). Errors: ValueError  the modulus is zero, or the base has no inverse.
PyResult<Value> integer_power_modulo(Interpreter& interpreter, const Value& base, const Value& exponent,
                                     const Value& modulus);
Value integer_negative(Interpreter& interpreter, const Value& a);
Value integer_inverted(Interpreter& interpreter, const Value& a);

/// -1, 0 or 1.
int integer_sign(const Value& a);
int compare_integers(const Value& a, const Value& b);
/// The exact order of an int and a float that is no NaN: -1, 0 or 1.
int compare_integer_with(const Value& a, double b);

/// The nearest float. Errors: OverflowError  "int too large to convert to float".
PyResult<double> integer_to_float(Interpreter& interpreter, const Value& a);
/// a = mantissa * 2**exponent with 0.5 <= |mantissa| < 1, as math.frexp; for logarithms of ints beyond any float.
std::pair<double, std::int64_t> integer_frexp(const Value& a);
/// The int that is left of a finite float without its fraction.
Value integer_of_float(Interpreter& interpreter, double number);
/// An int from the unsigned number that does not fit into the signed one.
Value integer_of_unsigned(Interpreter& interpreter, std::uint64_t number);

/// int.bit_length() and int.bit_count().
std::int64_t integer_bit_length(const Value& a);
std::int64_t integer_bit_count(const Value& a);
/// hash(a): the rest modulo 2**61 - 1, with the sign of a; -2 in place of -1.
std::int64_t integer_hash(const Value& a);

/// The digits in base 2, 8, 10 or 16, with "-" in front of negative ones. Decimal texts have no limit here.
std::string integer_digits(const Value& a, int base);
/// repr(a). Errors: ValueError  more than kMaxDecimalDigits digits.
PyResult<std::string> integer_repr(Interpreter& interpreter, const Value& a);
/// The int with these digits in `base` (2 to 36), without sign, prefix and underscores. Must hold: all are digits.
Value integer_of_digits(Interpreter& interpreter, std::string_view digits, int base);
/// int(text, base): sign, prefix, underscores and white space around are allowed; base 0 follows the prefix.
/// Errors: ValueError  no such literal.
PyResult<Value> read_integer(Interpreter& interpreter, std::string_view text, int base);

/// The low `size` bytes in two's complement, least significant first; none: it does not fit.
std::optional<std::vector<std::uint8_t>> integer_to_bytes(const Value& a, std::size_t size, bool is_signed);
/// The int of such bytes.
Value integer_of_bytes(Interpreter& interpreter, const std::vector<std::uint8_t>& bytes, bool is_signed);

}  // namespace nns::object
