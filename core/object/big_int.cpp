#include "core/object/big_int.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>

#include "core/object/characters.h"
#include "core/object/operations.h"

// Nobody throws here, and for WebAssembly nobody can: what Boost would throw are mistakes of ours.
#define BOOST_NO_EXCEPTIONS
namespace boost {
struct source_location;
[[noreturn]] void throw_exception(const std::exception& error);
[[noreturn]] void throw_exception(const std::exception& error, const source_location& place);
void throw_exception(const std::exception& /*error*/) { std::abort(); }
void throw_exception(const std::exception& /*error*/, const source_location& /*place*/) { std::abort(); }
}  // namespace boost
#include <boost/multiprecision/cpp_int.hpp>

namespace nns::object {

using Wide = boost::multiprecision::cpp_int;

struct BigInt::Number {
  Wide wide;
};

BigInt::BigInt(Interpreter& interpreter, std::unique_ptr<Number> number)
    : Object(*interpreter.builtins().integer, kKind), number_(std::move(number)) {}
BigInt::~BigInt() = default;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

Wide wide_of(const Value& value) {
  if (const BigInt* big = value.as<BigInt>()) return big->number().wide;
  return Wide(value.as_int());
}

Value value_of(Interpreter& in, Wide wide) {
  if (wide >= kLeast && wide <= kGreatest) return Value(static_cast<std::int64_t>(wide));
  return Value(make<BigInt>(in, std::make_unique<BigInt::Number>(BigInt::Number{std::move(wide)})));
}

std::int64_t bits_of(const Wide& magnitude) {
  return magnitude.is_zero() ? 0 : static_cast<std::int64_t>(msb(magnitude)) + 1;
}

PyError too_large(Interpreter& in) { return make_error(in, ErrorKind::MemoryError, ""); }
PyError division_by_zero(Interpreter& in) { return make_error(in, ErrorKind::ZeroDivisionError, "division by zero"); }

// The floor of the quotient and the rest with the divisor's sign.
std::pair<Wide, Wide> floor_division(const Wide& a, const Wide& b) {
  Wide quotient, rest;
  divide_qr(a, b, quotient, rest);
  if (!rest.is_zero() && (rest.sign() < 0) != (b.sign() < 0)) {
    --quotient;
    rest += b;
  }
  return {std::move(quotient), std::move(rest)};
}

Wide shifted_right(const Wide& a, std::uint64_t by) {
  if (a.sign() >= 0) return a >> by;
  const Wide flipped = -a - 1;
  return -(flipped >> by) - 1;
}

// magnitude * 2**exponent (and a little more if `sticky`), rounded half to even; infinite if it is too large.
double rounded(Wide magnitude, bool sticky, std::int64_t exponent) {
  if (magnitude.is_zero()) return 0;
  const std::int64_t bits = bits_of(magnitude);
  constexpr std::int64_t kPrecision = 53, kLeastExponent = -1074, kMostExponent = 1024;
  if (bits + exponent > kMostExponent) return std::numeric_limits<double>::infinity();
  // Numbers near zero have fewer bits.
  const std::int64_t keep = std::min(kPrecision, bits + exponent - kLeastExponent);
  if (keep < 0) return 0;
  const std::int64_t drop = bits - keep;
  if (drop > 0) {
    const bool half = bit_test(magnitude, static_cast<unsigned>(drop - 1));
    const bool below = sticky || (drop > 1 && static_cast<std::int64_t>(lsb(magnitude)) < drop - 1);
    magnitude >>= static_cast<std::uint64_t>(drop);
    exponent += drop;
    if (half && (below || bit_test(magnitude, 0))) ++magnitude;
  }
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(magnitude)), static_cast<int>(exponent));
}

double to_double(const Wide& a) {
  const double size = rounded(abs(a), false, 0);
  return a.sign() < 0 ? -size : size;
}

PyResult<Value> shift(Interpreter& in, BinaryOperator op, const Value& a, const Value& b) {
  if (integer_sign(b) < 0) return value_error(in, "negative shift count");
  const bool huge = !b.is_int() && !b.is_bool();
  if (op == BinaryOperator::RShift) {
    if (huge) return Value(integer_sign(a) < 0 ? -1 : 0);
    return value_of(in, shifted_right(wide_of(a), static_cast<std::uint64_t>(b.as_int())));
  }
  if (integer_sign(a) == 0) return Value(0);
  if (huge) return error<ErrorKind::OverflowError>(in, "too many digits in integer");
  if (b.as_int() > kMaxIntegerBits || integer_bit_length(a) + b.as_int() > kMaxIntegerBits) return too_large(in);
  return value_of(in, wide_of(a) << static_cast<std::uint64_t>(b.as_int()));
}

PyResult<Value> power(Interpreter& in, const Value& a, const Value& b) {
  const Wide base = wide_of(a);
  if (base.is_zero() || base == 1) return Value(integer_sign(b) == 0 ? 1 : static_cast<std::int64_t>(base));
  const bool odd = (b.is_int() || b.is_bool()) ? (b.as_int() & 1) != 0 : bit_test(abs(wide_of(b)), 0);
  if (base == -1) return Value(odd ? -1 : 1);
  if (!b.is_int() && !b.is_bool()) return too_large(in);
  const std::int64_t exponent = b.as_int();
  if (exponent > kMaxIntegerBits || (bits_of(abs(base)) - 1) * exponent > kMaxIntegerBits) return too_large(in);
  return value_of(in, pow(base, static_cast<unsigned>(exponent)));
}

}  // namespace

PyResult<Value> integer_operation(Interpreter& in, BinaryOperator op, const Value& a, const Value& b) {
  switch (op) {
    case BinaryOperator::Add:
      return value_of(in, wide_of(a) + wide_of(b));
    case BinaryOperator::Sub:
      return value_of(in, wide_of(a) - wide_of(b));
    case BinaryOperator::Mul:
      if (integer_bit_length(a) + integer_bit_length(b) > kMaxIntegerBits) return too_large(in);
      return value_of(in, wide_of(a) * wide_of(b));
    case BinaryOperator::FloorDiv:
    case BinaryOperator::Mod: {
      if (integer_sign(b) == 0) return division_by_zero(in);
      auto [quotient, rest] = floor_division(wide_of(a), wide_of(b));
      return value_of(in, op == BinaryOperator::Mod ? std::move(rest) : std::move(quotient));
    }
    case BinaryOperator::Pow:
      return power(in, a, b);
    case BinaryOperator::LShift:
    case BinaryOperator::RShift:
      return shift(in, op, a, b);
    case BinaryOperator::And:
      return value_of(in, wide_of(a) & wide_of(b));
    case BinaryOperator::Or:
      return value_of(in, wide_of(a) | wide_of(b));
    case BinaryOperator::Xor:
      return value_of(in, wide_of(a) ^ wide_of(b));
    case BinaryOperator::Eq:
      return Value(compare_integers(a, b) == 0);
    case BinaryOperator::Ne:
      return Value(compare_integers(a, b) != 0);
    case BinaryOperator::Lt:
      return Value(compare_integers(a, b) < 0);
    case BinaryOperator::Le:
      return Value(compare_integers(a, b) <= 0);
    case BinaryOperator::Gt:
      return Value(compare_integers(a, b) > 0);
    case BinaryOperator::Ge:
      return Value(compare_integers(a, b) >= 0);
    default:
      return Value::absent();
  }
}

// Behaviour: CPython Objects/longobject.c, long_true_divide.
PyResult<Value> integer_quotient(Interpreter& in, const Value& a, const Value& b) {
  if (integer_sign(b) == 0) return division_by_zero(in);
  const Wide above = abs(wide_of(a)), below = abs(wide_of(b));
  const bool negative = integer_sign(a) * integer_sign(b) < 0;
  // A quotient of at least 64 bits, so that what is dropped of it only decides how to round.
  const std::int64_t scale = std::max<std::int64_t>(0, 66 - (bits_of(above) - bits_of(below)));
  Wide quotient, rest;
  divide_qr(Wide(above << static_cast<std::uint64_t>(scale)), below, quotient, rest);
  const double size = rounded(std::move(quotient), !rest.is_zero(), -scale);
  if (std::isinf(size)) {
    return error<ErrorKind::OverflowError>(in, "integer division result too large for a float");
  }
  return Value(negative ? -size : size);
}

std::pair<Value, Value> integer_divmod(Interpreter& in, const Value& a, const Value& b) {
  auto [quotient, rest] = floor_division(wide_of(a), wide_of(b));
  return {value_of(in, std::move(quotient)), value_of(in, std::move(rest))};
}

// Behaviour: CPython Objects/longobject.c, long_pow and long_invmod.
PyResult<Value> integer_power_modulo(Interpreter& in, const Value& base, const Value& exponent, const Value& modulus) {
  const Wide limit = wide_of(modulus);
  if (limit.is_zero()) return value_error(in, "pow() 3rd argument cannot be 0");
  const Wide size = abs(limit);
  Wide number = floor_division(wide_of(base), size).second;
  Wide power = wide_of(exponent);
  if (power.sign() < 0) {
    // The inverse by Euclid's algorithm.
    Wide first = size, second = number, x = 0, y = 1;
    while (!second.is_zero()) {
      const Wide quotient = first / second;
      first = std::exchange(second, Wide(first - quotient * second));
      x = std::exchange(y, Wide(x - quotient * y));
    }
    if (first != 1) return value_error(in, "base is not invertible for the given modulus");
    number = floor_division(x, size).second;
    power = -power;
  }
  Wide result = size == 1 ? Wide(0) : Wide(powm(number, power, size));
  if (limit.sign() < 0 && !result.is_zero()) result += limit;
  return value_of(in, std::move(result));
}

Value integer_negative(Interpreter& in, const Value& a) {
  if ((a.is_int() || a.is_bool()) && a.as_int() != kLeast) return Value(-a.as_int());
  return value_of(in, -wide_of(a));
}

Value integer_inverted(Interpreter& in, const Value& a) {
  if (a.is_int() || a.is_bool()) return Value(~a.as_int());
  return value_of(in, -wide_of(a) - 1);
}

int integer_sign(const Value& a) {
  if (const BigInt* big = a.as<BigInt>()) return big->number().wide.sign();
  return (a.as_int() > 0) - (a.as_int() < 0);
}

int compare_integers(const Value& a, const Value& b) {
  const bool a_is_small = a.is_int() || a.is_bool(), b_is_small = b.is_int() || b.is_bool();
  if (a_is_small && b_is_small) return (a.as_int() > b.as_int()) - (a.as_int() < b.as_int());
  if (a_is_small) return -integer_sign(b);
  if (b_is_small) return integer_sign(a);
  const int order = a.as<BigInt>()->number().wide.compare(b.as<BigInt>()->number().wide);
  return (order > 0) - (order < 0);
}

// Behaviour: CPython Objects/floatobject.c, float_richcompare.
int compare_integer_with(const Value& a, double b) {
  if (std::isinf(b)) return b > 0 ? -1 : 1;
  const double whole = std::floor(b);
  int order = 0;
  if (std::fabs(whole) < 9.2e18 && a.as<BigInt>() == nullptr) {
    const auto other = static_cast<std::int64_t>(whole);
    order = (a.as_int() > other) - (a.as_int() < other);
  } else {
    const int compared = wide_of(a).compare(Wide(whole));
    order = (compared > 0) - (compared < 0);
  }
  return order == 0 && whole < b ? -1 : order;
}

PyResult<double> integer_to_float(Interpreter& in, const Value& a) {
  if (a.is_int() || a.is_bool()) return static_cast<double>(a.as_int());
  const double number = to_double(a.as<BigInt>()->number().wide);
  if (std::isinf(number)) return error<ErrorKind::OverflowError>(in, "int too large to convert to float");
  return number;
}

std::pair<double, std::int64_t> integer_frexp(const Value& a) {
  const Wide size = abs(wide_of(a));
  const std::int64_t bits = bits_of(size);
  int more = 0;
  const double mantissa = std::frexp(rounded(size, false, -bits), &more);
  return {integer_sign(a) < 0 ? -mantissa : mantissa, bits + more};
}

Value integer_of_float(Interpreter& in, double number) {
  const double whole = std::trunc(number);
  if (std::fabs(whole) < 9.2e18) return Value(static_cast<std::int64_t>(whole));
  int exponent = 0;
  const double mantissa = std::frexp(whole, &exponent);
  const auto digits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  return value_of(in, Wide(digits) << static_cast<std::uint64_t>(exponent - 53));
}

Value integer_of_unsigned(Interpreter& in, std::uint64_t number) { return value_of(in, Wide(number)); }

std::int64_t integer_bit_length(const Value& a) { return bits_of(abs(wide_of(a))); }

std::int64_t integer_bit_count(const Value& a) {
  std::vector<std::uint8_t> bytes;
  export_bits(Wide(abs(wide_of(a))), std::back_inserter(bytes), 8);
  std::int64_t count = 0;
  for (std::uint8_t byte : bytes) {
    for (; byte != 0; byte = static_cast<std::uint8_t>(byte & (byte - 1))) ++count;
  }
  return count;
}

std::int64_t integer_hash(const Value& a) {
  constexpr std::int64_t kModulus = (std::int64_t{1} << 61) - 1;
  std::int64_t hash = 0;
  if (const BigInt* big = a.as<BigInt>()) {
    const Wide& wide = big->number().wide;
    hash = static_cast<std::int64_t>(abs(wide) % Wide(kModulus));
    if (wide.sign() < 0) hash = -hash;
  } else {
    hash = a.as_int() % kModulus;
  }
  return hash == -1 ? -2 : hash;
}

std::string integer_digits(const Value& a, int base) {
  const Wide wide = wide_of(a);
  std::string text;
  if (base == 10) return wide.str();
  const unsigned width = base == 16 ? 4 : base == 8 ? 3 : 1;
  std::vector<std::uint8_t> digits;
  export_bits(Wide(abs(wide)), std::back_inserter(digits), width);
  // Leading zeros come where the bits of the number's words are no multiple of the width.
  auto first = std::find_if(digits.begin(), digits.end(), [](std::uint8_t digit) { return digit != 0; });
  if (first == digits.end()) return "0";
  if (wide.sign() < 0) text = "-";
  for (; first != digits.end(); ++first) text += "0123456789abcdef"[*first];
  return text;
}

PyResult<std::string> integer_repr(Interpreter& in, const Value& a) {
  if (a.is_int() || a.is_bool()) return fmt::format("{}", a.as_int());
  const auto refused = [&in] {
    return value_error(in,
                       "Exceeds the limit ({} digits) for integer string conversion; use sys.set_int_max_str_digits() "
                       "to increase the limit",
                       kMaxDecimalDigits);
  };
  // Too long by its bits alone: do not even begin.
  if (integer_bit_length(a) > static_cast<std::int64_t>(kMaxDecimalDigits) * 10 / 3 + 10) return refused();
  std::string text = integer_digits(a, 10);
  if (text.size() - (text[0] == '-' ? 1 : 0) > kMaxDecimalDigits) return refused();
  return text;
}

Value integer_of_digits(Interpreter& in, std::string_view digits, int base) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  Wide result = 0;
  for (std::size_t at = 0; at < digits.size();) {
    std::uint64_t chunk = 0, scale = 1;
    for (; at < digits.size() && scale < (std::uint64_t{1} << 57U); ++at, scale *= static_cast<unsigned>(base)) {
      chunk = chunk * static_cast<unsigned>(base) + static_cast<unsigned>(digit(digits[at]));
    }
    result *= scale;
    result += chunk;
  }
  return value_of(in, std::move(result));
}

// Behaviour: CPython Objects/longobject.c, PyLong_FromString.
PyResult<Value> read_integer(Interpreter& in, std::string_view text, int base) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const auto wrong = [&in, text, base] {
    return value_error(in, "invalid literal for int() with base {}: {}", base, str_repr(text));
  };
  // 1. White space, sign, prefix.
  std::string room;
  const std::string_view plain = number_text(text, room);
  const std::size_t first = plain.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return wrong();
  std::string_view rest = plain.substr(first, plain.find_last_not_of(kSpace) + 1 - first);
  const bool negative = rest[0] == '-';
  if (negative || rest[0] == '+') rest.remove_prefix(1);
  int prefix_base = 10;
  if (rest.size() > 1 && rest[0] == '0') {
    const char mark = static_cast<char>(rest[1] | 0x20);
    prefix_base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  }
  const bool base_given = base != 0;
  const int used = base_given ? base : prefix_base;
  if (prefix_base != 10 && used == prefix_base) {
    rest.remove_prefix(2);
    if (rest.starts_with('_')) rest.remove_prefix(1);
  }
  // 2. Digits with single underscores between them.
  std::string digits;
  bool after_digit = false;
  for (const char c : rest) {
    if (c == '_') {
      if (!after_digit) return wrong();
      after_digit = false;
      continue;
    }
    const char low = static_cast<char>(c | 0x20);
    const int value = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'z' ? low - 'a' + 10 : 99;
    if (value >= used) return wrong();
    digits += c;
    after_digit = true;
  }
  if (!after_digit) return wrong();
  const bool leading_zero = !base_given && prefix_base == 10 && digits[0] == '0';
  if (leading_zero && digits.find_first_not_of('0') != std::string::npos) return wrong();
  const bool limited = (used & (used - 1)) != 0;
  if (limited && digits.size() > kMaxDecimalDigits) {
    return value_error(in,
                       "Exceeds the limit ({} digits) for integer string conversion: value has {} digits; use "
                       "sys.set_int_max_str_digits() to increase the limit",
                       kMaxDecimalDigits, digits.size());
  }
  const Value size = integer_of_digits(in, digits, used);
  return negative ? integer_negative(in, size) : size;
}

std::optional<std::vector<std::uint8_t>> integer_to_bytes(const Value& a, std::size_t size, bool is_signed) {
  const Wide wide = wide_of(a);
  const bool negative = wide.sign() < 0;
  if (negative && !is_signed) return std::nullopt;
  // Of a negative number the bits of -a - 1, which are those of a turned over.
  const Wide magnitude = negative ? Wide(-wide - 1) : wide;
  const auto room = static_cast<std::int64_t>(size) * 8 - (is_signed ? 1 : 0);
  if (bits_of(magnitude) > room && !(magnitude.is_zero() && !negative)) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  export_bits(magnitude, std::back_inserter(bytes), 8, false);
  bytes.resize(size, 0);
  if (negative) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(~byte);
  }
  return bytes;
}

Value integer_of_bytes(Interpreter& in, const std::vector<std::uint8_t>& bytes, bool is_signed) {
  Wide wide;
  if (!bytes.empty()) import_bits(wide, bytes.begin(), bytes.end(), 8, false);
  if (is_signed && !bytes.empty() && (bytes.back() & 0x80U) != 0) {
    wide -= Wide(1) << static_cast<std::uint64_t>(bytes.size() * 8);
  }
  return value_of(in, std::move(wide));
}

}  // namespace nns::object
