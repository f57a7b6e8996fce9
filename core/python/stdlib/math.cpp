// The module math. Behaviour: CPython Modules/mathmodule.c.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/object/big_int.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

PyResult<double> real(Interpreter& in, const Value& value) {
  if (value.is_float()) return value.as_float();
  if (object::is_integer(value)) return object::integer_to_float(in, value);
  const Name name = in.intern("__float__");
  if (in.type_of(value).lookup(name) != nullptr) {
    NNS_TRY_ASSIGN(const Value number, in.call_special(value, name));
    if (number.is_float()) return number.as_float();
  }
  return object::type_error(in, "must be real number, not {}", in.type_of(value).name());
}

PyError domain_error(Interpreter& in) {
  return object::value_error(in, "expected a number in the domain of the function");
}

template <double (*function)(double)>
PyResult<Value> apply(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const double x, real(in, a[0]));
  const double y = function(x);
  if (std::isnan(y) && !std::isnan(x)) return domain_error(in);
  if (std::isinf(y) && std::isfinite(x)) return object::error<object::ErrorKind::OverflowError>(in, "math range error");
  return Value(y);
}

PyResult<Value> to_integer(Interpreter& in, const Value& given, std::string_view method, double (*round)(double)) {
  if (object::is_integer(given)) return given.is_bool() ? Value(given.as_int()) : given;
  const Name name = in.intern(method);
  if (!given.is_float() && in.type_of(given).lookup(name) != nullptr) return in.call_special(given, name);
  NNS_TRY_ASSIGN(const double x, real(in, given));
  if (std::isnan(x)) return object::value_error(in, "cannot convert float NaN to integer");
  if (std::isinf(x))
    return object::error<object::ErrorKind::OverflowError>(in, "cannot convert float infinity to integer");
  return object::integer_of_float(in, round(x));
}

PyResult<Value> logarithm(Interpreter& in, const Value& given, double (*function)(double), double of_two) {
  if (object::is_integer(given) && given.is_object()) {
    if (object::integer_sign(given) <= 0) return object::value_error(in, "expected a positive input");
    const auto [mantissa, exponent] = object::integer_frexp(given);
    return Value(function(mantissa) + static_cast<double>(exponent) * of_two);
  }
  NNS_TRY_ASSIGN(const double x, real(in, given));
  if (x <= 0)
    return object::value_error(in, "expected a positive input{}",
                               x == 0 ? "" : fmt::format(", got {}", object::float_repr(x)));
  return Value(function(x));
}

}  // namespace

void fill_math(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  const auto add = [&](std::string_view signature, object::NativeBody body) {
    add_native(machine, attributes, signature, std::move(body));
  };
  const auto set = [&](std::string_view name, double value) { attributes.set(in.intern(name), Value(value)); };
  set("pi", 3.141592653589793);
  set("e", 2.718281828459045);
  set("tau", 6.283185307179586);
  set("inf", std::numeric_limits<double>::infinity());
  set("nan", std::numeric_limits<double>::quiet_NaN());
  add("sqrt(x, /)", apply<std::sqrt>);
  add("exp(x, /)", apply<std::exp>);
  add("exp2(x, /)", apply<std::exp2>);
  add("expm1(x, /)", apply<std::expm1>);
  add("log1p(x, /)", apply<std::log1p>);
  add("sin(x, /)", apply<std::sin>);
  add("cos(x, /)", apply<std::cos>);
  add("tan(x, /)", apply<std::tan>);
  add("asin(x, /)", apply<std::asin>);
  add("acos(x, /)", apply<std::acos>);
  add("atan(x, /)", apply<std::atan>);
  add("sinh(x, /)", apply<std::sinh>);
  add("cosh(x, /)", apply<std::cosh>);
  add("tanh(x, /)", apply<std::tanh>);
  add("asinh(x, /)", apply<std::asinh>);
  add("acosh(x, /)", apply<std::acosh>);
  add("atanh(x, /)", apply<std::atanh>);
  add("fabs(x, /)", apply<std::fabs>);
  add("erf(x, /)", apply<std::erf>);
  add("erfc(x, /)", apply<std::erfc>);
  add("gamma(x, /)", apply<std::tgamma>);
  add("lgamma(x, /)", apply<std::lgamma>);
  add("cbrt(x, /)", apply<std::cbrt>);
  add("floor(x, /)", [](Interpreter& i, Args a) { return to_integer(i, a[0], "__floor__", std::floor); });
  add("ceil(x, /)", [](Interpreter& i, Args a) { return to_integer(i, a[0], "__ceil__", std::ceil); });
  add("trunc(x, /)", [](Interpreter& i, Args a) { return to_integer(i, a[0], "__trunc__", std::trunc); });
  add("log(x, base=absent, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value top, logarithm(i, a[0], std::log, 0.6931471805599453));
    if (a[1].is_absent()) return top;
    NNS_TRY_ASSIGN(const Value base, logarithm(i, a[1], std::log, 0.6931471805599453));
    return object::binary(i, object::BinaryOperator::TrueDiv, top, base);
  });
  add("log2(x, /)", [](Interpreter& i, Args a) { return logarithm(i, a[0], std::log2, 1); });
  add("log10(x, /)", [](Interpreter& i, Args a) { return logarithm(i, a[0], std::log10, 0.3010299956639812); });
  add("pow(x, y, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    const double result = std::pow(x, y);
    if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) return domain_error(i);
    if (std::isinf(result) && std::isfinite(x) && std::isfinite(y)) {
      if (x == 0) return domain_error(i);
      return object::error<object::ErrorKind::OverflowError>(i, "math range error");
    }
    return Value(result);
  });
  add("atan2(y, x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double y, real(i, a[0]));
    NNS_TRY_ASSIGN(const double x, real(i, a[1]));
    return Value(std::atan2(y, x));
  });
  add("fmod(x, y, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    const double result = std::fmod(x, y);
    if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) return domain_error(i);
    return Value(result);
  });
  add("copysign(x, y, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    return Value(std::copysign(x, y));
  });
  add("hypot(*coordinates)", [](Interpreter& i, Args a) -> PyResult<Value> {
    double sum = 0;
    for (const Value& one : a[0].as<object::Tuple>()->items()) {
      NNS_TRY_ASSIGN(const double x, real(i, one));
      sum = std::hypot(sum, x);
    }
    return Value(sum);
  });
  add("isnan(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    return Value(bool{std::isnan(x)});
  });
  add("isinf(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    return Value(bool{std::isinf(x)});
  });
  add("isfinite(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    return Value(bool{std::isfinite(x)});
  });
  add("isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    NNS_TRY_ASSIGN(const double relative, real(i, a[2]));
    NNS_TRY_ASSIGN(const double absolute, real(i, a[3]));
    if (x == y) return Value(true);
    if (std::isinf(x) || std::isinf(y)) return Value(false);
    const double difference = std::fabs(x - y);
    return Value(difference <= relative * std::fabs(x) || difference <= relative * std::fabs(y) ||
                 difference <= absolute);
  });
  add("degrees(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    return Value(x * (180.0 / 3.141592653589793));
  });
  add("radians(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    return Value(x * (3.141592653589793 / 180.0));
  });
  add("prod(iterable, /, *, start=1)", [](Interpreter& i, Args a) -> PyResult<Value> {
    Value result = a[1];
    NNS_TRY(object::for_each(i, a[0], [&](const Value& item) -> PyResult<void> {
      NNS_TRY_ASSIGN(result, object::binary(i, object::BinaryOperator::Mul, result, item));
      return {};
    }));
    return result;
  });
  // Sums of floats without lost digits. Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic (1997).
  add("fsum(seq, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    std::vector<double> parts;
    NNS_TRY(object::for_each(i, a[0], [&](const Value& item) -> PyResult<void> {
      NNS_TRY_ASSIGN(double x, real(i, item));
      std::size_t kept = 0;
      for (double y : parts) {
        if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
        const double high = x + y;
        const double low = y - (high - x);
        if (low != 0) parts[kept++] = low;
        x = high;
      }
      parts.resize(kept);
      parts.push_back(x);
      return {};
    }));
    double total = 0;
    for (std::size_t k = parts.size(); k-- > 0;) {
      const double before = total;
      total += parts[k];
      const double rest = parts[k] - (total - before);
      // Halfway cases: the next part decides which way to round.
      if (rest != 0 && k > 0) {
        const bool same_sign = (rest < 0) == (parts[k - 1] < 0);
        const double twice = rest * 2;
        const double moved = total + twice;
        if (same_sign && twice == moved - total) total = moved;
        break;
      }
      if (rest != 0) break;
    }
    return Value(total);
  });
  add("frexp(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return Value(i.tuple({Value(mantissa), Value(exponent)}));
  });
  add("ldexp(x, i, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const std::int64_t exponent, object::index(i, a[1]));
    return Value(std::ldexp(x, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000))));
  });
  add("dist(p, q, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> p, object::to_vector(i, a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> q, object::to_vector(i, a[1]));
    if (p.size() != q.size()) return object::value_error(i, "both points must have the same number of dimensions");
    double sum = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      NNS_TRY_ASSIGN(const double x, real(i, p[k]));
      NNS_TRY_ASSIGN(const double y, real(i, q[k]));
      sum = std::hypot(sum, x - y);
    }
    return Value(sum);
  });
  add("remainder(x, y, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    const double result = std::remainder(x, y);
    if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) return domain_error(i);
    return Value(result);
  });
  add("fma(x, y, z, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    NNS_TRY_ASSIGN(const double z, real(i, a[2]));
    const double result = std::fma(x, y, z);
    if (std::isfinite(result) || std::isnan(x) || std::isnan(y) || std::isnan(z)) return Value(result);
    if (std::isnan(result)) return object::value_error(i, "invalid operation in fma");
    if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) {
      return object::error<object::ErrorKind::OverflowError>(i, "overflow in fma");
    }
    return Value(result);
  });
  add("nextafter(x, y, /, *, steps=None)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(double x, real(i, a[0]));
    NNS_TRY_ASSIGN(const double y, real(i, a[1]));
    std::int64_t steps = 1;
    if (!a[2].is_none()) {
      NNS_TRY_ASSIGN(steps, object::index(i, a[2]));
      if (steps < 0) return object::value_error(i, "steps must be a non-negative integer");
    }
    constexpr std::int64_t kMostSteps = 1'000'000;
    if (steps > kMostSteps) return object::value_error(i, "nnscope goes at most {} steps", kMostSteps);
    for (; steps > 0 && x != y; --steps) x = std::nextafter(x, y);
    return Value(x);
  });
  add("ulp(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double given, real(i, a[0]));
    const double x = std::fabs(given);
    if (std::isnan(x) || std::isinf(x)) return Value(x);
    const double above = std::nextafter(x, std::numeric_limits<double>::infinity());
    return Value(std::isinf(above) ? x - std::nextafter(x, 0.0) : above - x);
  });
  add("sumprod(p, q, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> p, object::to_vector(i, a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> q, object::to_vector(i, a[1]));
    if (p.size() != q.size()) return object::value_error(i, "Inputs are not the same length");
    Value sum(0);
    for (std::size_t k = 0; k < p.size(); ++k) {
      NNS_TRY_ASSIGN(const Value product, object::binary(i, object::BinaryOperator::Mul, p[k], q[k]));
      NNS_TRY_ASSIGN(sum, object::binary(i, object::BinaryOperator::Add, sum, product));
    }
    return sum;
  });
  add("modf(x, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, real(i, a[0]));
    double whole = 0;
    const double fraction = std::modf(x, &whole);
    return Value(i.tuple({Value(fraction), Value(whole)}));
  });
  add_math_of_integers(machine, attributes);
}

}  // namespace nns::python
