// The functions of module math that are of integers, of any size. Behaviour: CPython Modules/mathintegermodule.c.
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using object::BinaryOperator;
using Args = std::span<const Value>;

PyResult<Value> operate(Interpreter& in, BinaryOperator op, const Value& a, const Value& b) {
  return object::integer_operation(in, op, a, b);
}

Value absolute(Interpreter& in, const Value& a) {
  return object::integer_sign(a) < 0 ? object::integer_negative(in, a) : a;
}

// Source: Euclid.
Value greatest_divisor(Interpreter& in, const Value& first, const Value& second) {
  Value a = absolute(in, first);
  Value b = absolute(in, second);
  while (object::integer_sign(b) != 0) {
    Value rest = object::integer_divmod(in, a, b).second;
    a = std::exchange(b, std::move(rest));
  }
  return a;
}

PyResult<Value> gcd(Interpreter& in, Args a) {
  Value result(0);
  for (const Value& one : a[0].as<object::Tuple>()->items()) {
    NNS_TRY_ASSIGN(const Value number, object::index_value(in, one));
    result = greatest_divisor(in, result, number);
  }
  return result;
}

PyResult<Value> lcm(Interpreter& in, Args a) {
  Value result(1);
  for (const Value& one : a[0].as<object::Tuple>()->items()) {
    NNS_TRY_ASSIGN(const Value number, object::index_value(in, one));
    if (object::integer_sign(number) == 0 || object::integer_sign(result) == 0) {
      result = Value(0);
      continue;
    }
    const Value part = object::integer_divmod(in, result, greatest_divisor(in, result, number)).first;
    NNS_TRY_ASSIGN(const Value product, operate(in, BinaryOperator::Mul, part, number));
    result = absolute(in, product);
  }
  return result;
}

// first * (first + 1) * ... * last, halves by halves, so that factors of one size meet.
PyResult<Value> product_of(Interpreter& in, std::int64_t first, std::int64_t last) {
  if (first > last) return Value(1);
  if (last - first < 4) {
    Value result(first);
    for (std::int64_t k = first + 1; k <= last; ++k) {
      NNS_TRY_ASSIGN(result, operate(in, BinaryOperator::Mul, result, Value(k)));
    }
    return result;
  }
  const std::int64_t middle = first + (last - first) / 2;
  NNS_TRY_ASSIGN(const Value low, product_of(in, first, middle));
  NNS_TRY_ASSIGN(const Value high, product_of(in, middle + 1, last));
  return operate(in, BinaryOperator::Mul, low, high);
}

PyResult<Value> factorial(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value number, object::index_value(in, a[0]));
  if (object::integer_sign(number) < 0) {
    return object::value_error(in, "factorial() not defined for negative values");
  }
  // Its digits would fill any memory.
  constexpr std::int64_t kMost = 100'000'000;
  if (!number.is_int() || number.as_int() > kMost) {
    return object::error<object::ErrorKind::OverflowError>(in, "factorial() argument should not exceed {}", kMost);
  }
  return product_of(in, 1, number.as_int());
}

// The largest number whose square is not above n. Source: Newton, from above.
PyResult<Value> square_root(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value n, object::index_value(in, a[0]));
  if (object::integer_sign(n) < 0) return object::value_error(in, "isqrt() argument must be nonnegative");
  if (object::integer_sign(n) == 0) return Value(0);
  const std::int64_t bits = object::integer_bit_length(n);
  NNS_TRY_ASSIGN(Value root, operate(in, BinaryOperator::LShift, Value(1), Value((bits + 1) / 2)));
  while (true) {
    const Value quotient = object::integer_divmod(in, n, root).first;
    NNS_TRY_ASSIGN(const Value sum, operate(in, BinaryOperator::Add, root, quotient));
    Value next = object::integer_divmod(in, sum, Value(2)).first;
    if (object::compare_integers(next, root) >= 0) return root;
    root = std::move(next);
  }
}

// n * (n - 1) * ... : k factors, each divided by 1, 2, ... where `is_combination`.
PyResult<Value> falling(Interpreter& in, const Value& n, std::int64_t k, bool is_combination) {
  Value result(1);
  Value factor = n;
  for (std::int64_t step = 1; step <= k; ++step) {
    NNS_TRY_ASSIGN(result, operate(in, BinaryOperator::Mul, result, factor));
    if (is_combination) result = object::integer_divmod(in, result, Value(step)).first;
    NNS_TRY_ASSIGN(factor, operate(in, BinaryOperator::Sub, factor, Value(1)));
  }
  return result;
}

template <bool is_combination>
PyResult<Value> choose(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value n, object::index_value(in, a[0]));
  if (!is_combination && a[1].is_none()) return factorial(in, a);
  NNS_TRY_ASSIGN(Value k, object::index_value(in, a[1]));
  if (object::integer_sign(n) < 0) return object::value_error(in, "n must be a non-negative integer");
  if (object::integer_sign(k) < 0) return object::value_error(in, "k must be a non-negative integer");
  if (object::compare_integers(k, n) > 0) return Value(0);
  if (is_combination) {
    NNS_TRY_ASSIGN(const Value rest, operate(in, BinaryOperator::Sub, n, k));
    if (object::compare_integers(rest, k) < 0) k = rest;
  }
  constexpr std::int64_t kMost = 100'000'000;
  if (!k.is_int() || k.as_int() > kMost) {
    return object::error<object::ErrorKind::OverflowError>(in, "{} must not exceed {}",
                                                           is_combination ? "min(n - k, k)" : "k", kMost);
  }
  return falling(in, n, k.as_int(), is_combination);
}

}  // namespace

void add_math_of_integers(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "gcd(*integers)", gcd);
  add_native(machine, attributes, "lcm(*integers)", lcm);
  add_native(machine, attributes, "factorial(n, /)", factorial);
  add_native(machine, attributes, "isqrt(n, /)", square_root);
  add_native(machine, attributes, "comb(n, k, /)", choose<true>);
  add_native(machine, attributes, "perm(n, k=None, /)", choose<false>);
}

}  // namespace nns::python
