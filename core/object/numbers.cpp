#include "core/object/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/object/characters.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

PyError division_by_zero(Interpreter& in) { return make_error(in, ErrorKind::ZeroDivisionError, "division by zero"); }

bool is_small(const Value& value) { return value.is_int() || value.is_bool(); }

// Python's % and //: the remainder has the sign of the divisor.
double python_mod(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

// Behaviour: CPython Objects/floatobject.c, _float_div_mod.
double python_floor_division(double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

std::int64_t python_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Two numbers of one type compared; Absent where `op` is no comparison.
template <class T>
Value compared(BinaryOperator op, T a, T b) {
  switch (op) {
    case BinaryOperator::Eq:
      return Value(a == b);
    case BinaryOperator::Ne:
      return Value(a != b);
    case BinaryOperator::Lt:
      return Value(a < b);
    case BinaryOperator::Le:
      return Value(a <= b);
    case BinaryOperator::Gt:
      return Value(a > b);
    case BinaryOperator::Ge:
      return Value(a >= b);
    default:
      return Value::absent();
  }
}

PyResult<Value> of_complex(Interpreter& in, BinaryOperator op, std::complex<double> a, std::complex<double> b);

// Behaviour: CPython Objects/floatobject.c, float_pow.
PyResult<Value> float_power(Interpreter& in, double a, double b) {
  if (a == 0 && b < 0) return make_error(in, ErrorKind::ZeroDivisionError, "zero to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    return of_complex(in, BinaryOperator::Pow, a, b);
  }
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    auto arguments = in.tuple({Value(34), in.text("Numerical result out of range")});
    auto exception = make<Exception>(in.builtins().exception(ErrorKind::OverflowError));
    exception->set_arguments(std::move(arguments));
    return PyError(std::move(exception));
  }
  return Value(result);
}

// Ints of 64 bits; what does not fit, or is rare, goes to those without limit.
PyResult<Value> of_small(Interpreter& in, BinaryOperator op, const Value& x, const Value& y) {
  const std::int64_t a = x.as_int(), b = y.as_int();
  const bool are_bools = x.is_bool() && y.is_bool();
  const auto logical = [are_bools](std::int64_t bits) { return are_bools ? Value(bits != 0) : Value(bits); };
  std::int64_t result = 0;
  switch (op) {
    case BinaryOperator::Add:
      if (!__builtin_add_overflow(a, b, &result)) return Value(result);
      break;
    case BinaryOperator::Sub:
      if (!__builtin_sub_overflow(a, b, &result)) return Value(result);
      break;
    case BinaryOperator::Mul:
      if (!__builtin_mul_overflow(a, b, &result)) return Value(result);
      break;
    case BinaryOperator::TrueDiv: {
      if (b == 0) return division_by_zero(in);
      constexpr std::int64_t kExact = std::int64_t{1} << 53;
      if (a > kExact || a < -kExact || b > kExact || b < -kExact) return integer_quotient(in, x, y);
      return Value(static_cast<double>(a) / static_cast<double>(b));
    }
    case BinaryOperator::FloorDiv:
      if (b == 0) return division_by_zero(in);
      if (b == -1) break;
      return Value((a - python_mod(a, b)) / b);
    case BinaryOperator::Mod:
      if (b == 0) return division_by_zero(in);
      return Value(python_mod(a, b));
    case BinaryOperator::Pow: {
      if (b < 0) return float_power(in, static_cast<double>(a), static_cast<double>(b));
      result = 1;
      std::int64_t square = a;
      for (std::int64_t rest = b; rest > 0;) {
        if ((rest & 1) != 0 && __builtin_mul_overflow(result, square, &result)) {
          return integer_operation(in, op, x, y);
        }
        rest >>= 1;
        if (rest > 0 && __builtin_mul_overflow(square, square, &square)) return integer_operation(in, op, x, y);
      }
      return Value(result);
    }
    case BinaryOperator::LShift:
      if (b < 0 || b > 62 || (a << b) >> b != a) break;
      return Value(a << b);
    case BinaryOperator::RShift:
      if (b < 0) break;
      return Value(a >> (b > 63 ? 63 : b));
    case BinaryOperator::And:
      return logical(a & b);
    case BinaryOperator::Or:
      return logical(a | b);
    case BinaryOperator::Xor:
      return logical(a ^ b);
    default:
      return compared(op, a, b);
  }
  return integer_operation(in, op, x, y);
}

PyResult<Value> of_floats(Interpreter& in, BinaryOperator op, double a, double b) {
  switch (op) {
    case BinaryOperator::Add:
      return Value(a + b);
    case BinaryOperator::Sub:
      return Value(a - b);
    case BinaryOperator::Mul:
      return Value(a * b);
    case BinaryOperator::TrueDiv:
      if (b == 0) return division_by_zero(in);
      return Value(a / b);
    case BinaryOperator::FloorDiv:
      if (b == 0) return division_by_zero(in);
      return Value(python_floor_division(a, b));
    case BinaryOperator::Mod:
      if (b == 0) return division_by_zero(in);
      return Value(python_mod(a, b));
    case BinaryOperator::Pow:
      return float_power(in, a, b);
    default:
      return compared(op, a, b);
  }
}

// Behaviour: CPython Objects/complexobject.c.
PyResult<Value> of_complex(Interpreter& in, BinaryOperator op, std::complex<double> a, std::complex<double> b) {
  const auto made = [&in](std::complex<double> number) { return Value(make<Complex>(in, number)); };
  switch (op) {
    case BinaryOperator::Add:
      return made(a + b);
    case BinaryOperator::Sub:
      return made(a - b);
    case BinaryOperator::Mul:
      return made({a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()});
    case BinaryOperator::TrueDiv: {
      if (b == 0.0) return division_by_zero(in);
      // By the larger part of the divisor, so that nothing overflows on the way.
      if (std::fabs(b.real()) >= std::fabs(b.imag())) {
        const double ratio = b.imag() / b.real(), below = b.real() + b.imag() * ratio;
        return made({(a.real() + a.imag() * ratio) / below, (a.imag() - a.real() * ratio) / below});
      }
      const double ratio = b.real() / b.imag(), below = b.real() * ratio + b.imag();
      return made({(a.real() * ratio + a.imag()) / below, (a.imag() * ratio - a.real()) / below});
    }
    case BinaryOperator::Pow: {
      if (b == 0.0) return made(1.0);
      if (a == 0.0) {
        if (b.imag() != 0 || b.real() < 0) {
          return make_error(in, ErrorKind::ZeroDivisionError, "zero to a negative or complex power");
        }
        return made(0.0);
      }
      // Small whole exponents by multiplication, as Python does.
      if (b.imag() == 0 && b.real() == std::floor(b.real()) && std::fabs(b.real()) <= 100) {
        std::complex<double> result = 1.0, square = a;
        for (auto rest = static_cast<int>(std::fabs(b.real())); rest > 0; rest >>= 1, square *= square) {
          if ((rest & 1) != 0) result *= square;
        }
        return made(b.real() < 0 ? 1.0 / result : result);
      }
      const double size = std::abs(a), angle = std::atan2(a.imag(), a.real());
      double length = std::pow(size, b.real()), turn = angle * b.real();
      if (b.imag() != 0) {
        length *= std::exp(-angle * b.imag());
        turn += b.imag() * std::log(size);
      }
      return made({length * std::cos(turn), length * std::sin(turn)});
    }
    case BinaryOperator::Eq:
      return Value(a == b);
    case BinaryOperator::Ne:
      return Value(a != b);
    default:
      return Value::absent();
  }
}

PyResult<std::complex<double>> complex_of(Interpreter& in, const Value& value) {
  if (const Complex* number = value.as<Complex>()) return number->number();
  if (value.is_float()) return std::complex<double>(value.as_float());
  NNS_TRY_ASSIGN(const double real, integer_to_float(in, value));
  return std::complex<double>(real);
}

// Comparisons of an int with a float are exact; a NaN is unequal to all.
Value compared_mixed(BinaryOperator op, const Value& a, const Value& b) {
  const double number = a.is_float() ? a.as_float() : b.as_float();
  if (std::isnan(number)) return Value(op == BinaryOperator::Ne);
  const int order = a.is_float() ? -compare_integer_with(b, number) : compare_integer_with(a, number);
  return compared(op, order, 0);
}

}  // namespace

Complex::Complex(Interpreter& interpreter, std::complex<double> number)
    : Object(*interpreter.builtins().complex_number, kKind), number_(number) {}

bool is_plain_number(const Value& value) {
  return is_integer(value) || value.is_float() || value.as<Complex>() != nullptr;
}

PyResult<Value> number_operation(Interpreter& in, BinaryOperator op, const Value& a, const Value& b) {
  if (is_small(a) && is_small(b)) return of_small(in, op, a, b);
  if (a.is_float() && b.is_float()) return of_floats(in, op, a.as_float(), b.as_float());
  if (is_integer(a) && is_integer(b)) {
    if (op == BinaryOperator::TrueDiv) return integer_quotient(in, a, b);
    if (op == BinaryOperator::Pow && integer_sign(b) < 0) {
      NNS_TRY_ASSIGN(const double base, integer_to_float(in, a));
      NNS_TRY_ASSIGN(const double exponent, integer_to_float(in, b));
      return float_power(in, base, exponent);
    }
    return integer_operation(in, op, a, b);
  }
  if (a.as<Complex>() != nullptr || b.as<Complex>() != nullptr) {
    if (op >= BinaryOperator::Lt) return Value::absent();
    NNS_TRY_ASSIGN(const std::complex<double> left, complex_of(in, a));
    NNS_TRY_ASSIGN(const std::complex<double> right, complex_of(in, b));
    return of_complex(in, op, left, right);
  }
  if (op >= BinaryOperator::Eq) return compared_mixed(op, a, b);
  if (op == BinaryOperator::MatMul || (op >= BinaryOperator::LShift && op <= BinaryOperator::Xor)) {
    return Value::absent();
  }
  const auto as_double = [&in](const Value& value) -> PyResult<double> {
    return value.is_float() ? PyResult<double>(value.as_float()) : integer_to_float(in, value);
  };
  NNS_TRY_ASSIGN(const double left, as_double(a));
  NNS_TRY_ASSIGN(const double right, as_double(b));
  return of_floats(in, op, left, right);
}

Value number_operation(Interpreter& in, UnaryOperator op, const Value& a) {
  if (is_integer(a)) {
    if (op == UnaryOperator::Invert) return integer_inverted(in, a);
    if (op == UnaryOperator::Neg) return integer_negative(in, a);
    return a.is_bool() ? Value(a.as_int()) : a;
  }
  if (op == UnaryOperator::Invert) return Value::absent();
  if (a.is_float()) return Value(op == UnaryOperator::Neg ? -a.as_float() : a.as_float());
  return op == UnaryOperator::Neg ? Value(make<Complex>(in, -a.as<Complex>()->number())) : a;
}

PyResult<Value> number_absolute(Interpreter& in, const Value& a) {
  if (a.is_float()) return Value(std::fabs(a.as_float()));
  if (const Complex* number = a.as<Complex>()) {
    const double size = std::hypot(number->number().real(), number->number().imag());
    const bool finite = std::isfinite(number->number().real()) && std::isfinite(number->number().imag());
    if (std::isinf(size) && finite) return error<ErrorKind::OverflowError>(in, "absolute value too large");
    return Value(size);
  }
  if (integer_sign(a) < 0) return integer_negative(in, a);
  return a.is_bool() ? Value(a.as_int()) : a;
}

PyResult<Value> number_divmod(Interpreter& in, const Value& a, const Value& b) {
  if (is_integer(a) && is_integer(b)) {
    if (integer_sign(b) == 0) return division_by_zero(in);
    auto [quotient, rest] = integer_divmod(in, a, b);
    return Value(in.tuple({std::move(quotient), std::move(rest)}));
  }
  NNS_TRY_ASSIGN(Value quotient, number_operation(in, BinaryOperator::FloorDiv, a, b));
  NNS_TRY_ASSIGN(Value rest, number_operation(in, BinaryOperator::Mod, a, b));
  return Value(in.tuple({std::move(quotient), std::move(rest)}));
}

PyResult<Value> number_round(Interpreter& in, const Value& a, const Value& digits) {
  if (a.is_float()) {
    const double number = a.as_float();
    if (digits.is_none()) {
      if (!std::isfinite(number)) return float_to_integer(in, number);
      const double down = std::floor(number), rest = number - down;
      const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) != 0);
      return integer_of_float(in, up ? down + 1 : down);
    }
    NNS_TRY_ASSIGN(const std::int64_t places, index(in, digits));
    if (!std::isfinite(number) || number == 0 || places > 323) return a;
    if (places < -308) return Value(std::copysign(0.0, number));
    // Through the decimal text, which is exact.
    if (places >= 0) return Value(std::strtod(fmt::format("{:.{}f}", number, places).c_str(), nullptr));
    const Value whole = integer_of_float(in, number);
    const Value rounded = *number_round(in, whole, Value(places));
    // What lies behind the point decides where the int alone lies in the middle.
    NNS_TRY_ASSIGN(const Value scale, integer_operation(in, BinaryOperator::Pow, Value(10), Value(-places)));
    NNS_TRY_ASSIGN(const Value twice,
                   integer_operation(in, BinaryOperator::Mul, *integer_operation(in, BinaryOperator::Mod, whole, scale),
                                     Value(2)));
    if (compare_integers(twice, scale) != 0 || std::trunc(number) == number) {
      NNS_TRY_ASSIGN(const double result, integer_to_float(in, rounded));
      return Value(std::copysign(result, number));
    }
    const auto [quotient, rest] = integer_divmod(in, whole, scale);
    NNS_TRY_ASSIGN(const Value upper, integer_operation(in, BinaryOperator::Add, quotient, Value(number > 0 ? 1 : 0)));
    NNS_TRY_ASSIGN(const Value result, integer_operation(in, BinaryOperator::Mul, upper, scale));
    NNS_TRY_ASSIGN(const double as_double, integer_to_float(in, result));
    return Value(as_double);
  }
  if (digits.is_none()) return a.is_bool() ? Value(a.as_int()) : a;
  NNS_TRY_ASSIGN(const std::int64_t places, index(in, digits));
  const Value plain = a.is_bool() ? Value(a.as_int()) : a;
  if (places >= 0) return plain;
  // More places than the number has digits: nothing is left of it.
  if (-places > integer_bit_length(a)) return Value(0);
  NNS_TRY_ASSIGN(const Value scale, integer_operation(in, BinaryOperator::Pow, Value(10), Value(-places)));
  const auto [quotient, rest] = integer_divmod(in, plain, scale);
  NNS_TRY_ASSIGN(const Value twice, integer_operation(in, BinaryOperator::Mul, rest, Value(2)));
  const int order = compare_integers(twice, scale);
  NNS_TRY_ASSIGN(const Value odd, integer_operation(in, BinaryOperator::And, quotient, Value(1)));
  const bool up = order > 0 || (order == 0 && integer_sign(odd) != 0);
  NNS_TRY_ASSIGN(const Value kept, integer_operation(in, BinaryOperator::Add, quotient, Value(up ? 1 : 0)));
  return integer_operation(in, BinaryOperator::Mul, kept, scale);
}

bool numbers_equal(const Value& a, const Value& b) {
  if (is_integer(a) && is_integer(b)) return compare_integers(a, b) == 0;
  if (a.is_float() && b.is_float()) return a.as_float() == b.as_float();
  const Complex *left = a.as<Complex>(), *right = b.as<Complex>();
  if (left != nullptr && right != nullptr) return left->number() == right->number();
  if (left != nullptr) return left->number().imag() == 0 && numbers_equal(Value(left->number().real()), b);
  if (right != nullptr) return right->number().imag() == 0 && numbers_equal(a, Value(right->number().real()));
  return compared_mixed(BinaryOperator::Eq, a, b).as_bool();
}

// Behaviour: CPython Python/pyhash.c, _Py_HashDouble: the fraction modulo 2**61 - 1.
std::int64_t number_hash(const Value& a) {
  if (is_integer(a)) return integer_hash(a);
  if (const Complex* number = a.as<Complex>()) {
    constexpr std::uint64_t kImaginary = 1000003;
    const auto real = static_cast<std::uint64_t>(number_hash(Value(number->number().real())));
    const auto imaginary = static_cast<std::uint64_t>(number_hash(Value(number->number().imag())));
    const auto hash = static_cast<std::int64_t>(real + kImaginary * imaginary);
    return hash == -1 ? -2 : hash;
  }
  const double number = a.as_float();
  if (std::isinf(number)) return number > 0 ? 314159 : -314159;
  if (std::isnan(number)) return 0;
  if (number == std::floor(number) && std::fabs(number) < 9e18) {
    return integer_hash(Value(static_cast<std::int64_t>(number)));
  }
  constexpr unsigned kBits = 61, kStep = 28;
  constexpr std::uint64_t kModulus = (std::uint64_t{1} << kBits) - 1;
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(number), &exponent);
  std::uint64_t hash = 0;
  while (mantissa != 0) {
    hash = ((hash << kStep) & kModulus) | hash >> (kBits - kStep);
    mantissa *= static_cast<double>(1U << kStep);
    exponent -= static_cast<int>(kStep);
    const auto whole = static_cast<std::uint64_t>(mantissa);
    mantissa -= static_cast<double>(whole);
    hash += whole;
    if (hash >= kModulus) hash -= kModulus;
  }
  const auto turn = static_cast<unsigned>(exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61);
  hash = ((hash << turn) & kModulus) | hash >> (kBits - turn);
  const auto result = static_cast<std::int64_t>(hash) * (number < 0 ? -1 : 1);
  return result == -1 ? -2 : result;
}

PyResult<Value> float_to_integer(Interpreter& in, double number) {
  if (std::isinf(number)) return error<ErrorKind::OverflowError>(in, "cannot convert float infinity to integer");
  if (std::isnan(number)) return value_error(in, "cannot convert float NaN to integer");
  return integer_of_float(in, number);
}

std::optional<double> read_float(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  std::string room;
  text = number_text(text, room);
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&text](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (text[i] == '_') {
      if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) return std::nullopt;
      continue;
    }
    plain += text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
  }
  std::string_view body = plain;
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  const double sign = negative ? -1.0 : 1.0;
  if (body == "inf" || body == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (body == "nan") return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  // strtod reads more than Python does: hexadecimal numbers, "nan(...)".
  if (body.empty() || body.find_first_not_of("0123456789.e+-") != std::string_view::npos) return std::nullopt;
  if (body[0] == '+' || body[0] == '-') return std::nullopt;
  const std::string number(body);
  char* end = nullptr;
  const double size = std::strtod(number.c_str(), &end);
  if (end != number.c_str() + number.size()) return std::nullopt;
  return sign * size;
}

std::string complex_repr(const std::complex<double>& number) {
  const auto part = [](double value) {
    std::string text = float_repr(value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  };
  if (number.real() == 0 && !std::signbit(number.real())) return part(number.imag()) + "j";
  const std::string imaginary = part(number.imag());
  const bool has_sign = imaginary[0] == '-';
  return fmt::format("({}{}{}j)", part(number.real()), has_sign ? "" : "+", imaginary);
}

std::optional<std::complex<double>> read_complex_number(std::string_view text) {
  static constexpr std::string_view kSpace = " \t\n\r\f\v";
  std::string room;
  text = number_text(text, room);
  const auto trimmed = [](std::string_view part) {
    const std::size_t first = part.find_first_not_of(kSpace);
    return first == std::string_view::npos ? std::string_view()
                                           : part.substr(first, part.find_last_not_of(kSpace) + 1 - first);
  };
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '(' && text.back() == ')') text = trimmed(text.substr(1, text.size() - 2));
  if (text.empty() || text.find_first_of(kSpace) != std::string_view::npos) return std::nullopt;
  const auto real = [](std::string_view part) { return read_float(part); };
  if ((text.back() | 0x20) != 'j') {
    const auto number = real(text);
    return number ? std::optional<std::complex<double>>(*number) : std::nullopt;
  }
  text.remove_suffix(1);
  // The sign between the parts is the last one that belongs to no exponent.
  std::size_t split = text.size();
  while (split-- > 1) {
    if ((text[split] == '+' || text[split] == '-') && (text[split - 1] | 0x20) != 'e') break;
  }
  const bool has_real = split >= 1 && split < text.size();
  const std::string_view behind = has_real ? text.substr(split) : text;
  std::optional<double> imaginary = 1.0;
  if (behind == "-") imaginary = -1.0;
  if (!behind.empty() && behind != "+" && behind != "-") imaginary = real(behind);
  const std::optional<double> before = has_real ? real(text.substr(0, split)) : std::optional<double>(0.0);
  if (!imaginary || !before) return std::nullopt;
  return std::complex<double>(*before, *imaginary);
}

}  // namespace nns::object
