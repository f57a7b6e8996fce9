#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "core/object/class.h"
#include "core/object/str.h"
#include "core/python/syntax/tree.h"

/// Operators on numbers in place, whose classes need not be asked: what the evaluator's loop tries first. Anything
/// else, errors included, goes the way of object::binary, which gives the same results for these.
namespace nns::python {

/// a op b for two ints whose result fits 64 bits, into `a`. False: nothing was done.
[[gnu::always_inline]] inline bool quick_int_operation(BinaryOp op, object::Value& a, std::int64_t y) {
  const std::int64_t x = a.as_int();
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::Add:
      if (__builtin_add_overflow(x, y, &result)) return false;
      break;
    case BinaryOp::Sub:
      if (__builtin_sub_overflow(x, y, &result)) return false;
      break;
    case BinaryOp::Mul:
      if (__builtin_mul_overflow(x, y, &result)) return false;
      break;
    case BinaryOp::FloorDiv:
      if (y <= 0) return false;
      result = x / y - (x % y < 0 ? 1 : 0);
      break;
    case BinaryOp::Mod:
      if (y <= 0) return false;
      result = x % y;
      if (result < 0) result += y;
      break;
    case BinaryOp::And:
      result = x & y;
      break;
    case BinaryOp::Or:
      result = x | y;
      break;
    case BinaryOp::Xor:
      result = x ^ y;
      break;
    default:
      return false;
  }
  std::construct_at(&a, result);
  return true;
}

/// The same for two floats.
[[gnu::always_inline]] inline bool quick_float_operation(BinaryOp op, object::Value& a, double y) {
  const double x = a.as_float();
  double result = 0;
  switch (op) {
    case BinaryOp::Add:
      result = x + y;
      break;
    case BinaryOp::Sub:
      result = x - y;
      break;
    case BinaryOp::Mul:
      result = x * y;
      break;
    case BinaryOp::Div:
      if (y == 0) return false;
      result = x / y;
      break;
    case BinaryOp::Pow:
      // Powers of negative numbers may be complex, those that overflow are errors.
      if (!(x > 0)) return false;
      result = std::pow(x, y);
      if (!std::isfinite(result)) return false;
      break;
    default:
      return false;
  }
  std::construct_at(&a, result);
  return true;
}

/// Whether a double holds the int as it is.
inline bool is_exact_as_float(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;
  return number >= -kMost && number <= kMost;
}

/// The same for an int and a float, and for the quotient of two ints.
[[gnu::noinline]] inline bool quick_mixed_operation(BinaryOp op, object::Value& a, const object::Value& b) {
  const bool is_quotient = op == BinaryOp::Div && a.is_int() && b.is_int();
  if (!is_quotient && !(a.is_float() && b.is_int()) && !(a.is_int() && b.is_float())) return false;
  if ((a.is_int() && !is_exact_as_float(a.as_int())) || (b.is_int() && !is_exact_as_float(b.as_int()))) return false;
  object::Value x(a.is_int() ? static_cast<double>(a.as_int()) : a.as_float());
  if (!quick_float_operation(op, x, b.is_int() ? static_cast<double>(b.as_int()) : b.as_float())) return false;
  std::construct_at(&a, x.as_float());
  return true;
}

/// a op b into `a`. False: nothing was done.
[[gnu::always_inline]] inline bool quick_binary(std::uint32_t op, object::Value& a, const object::Value& b) {
  if (a.is_float() && b.is_float()) return quick_float_operation(static_cast<BinaryOp>(op), a, b.as_float());
  if (a.is_int() && b.is_int() && quick_int_operation(static_cast<BinaryOp>(op), a, b.as_int())) return true;
  return quick_mixed_operation(static_cast<BinaryOp>(op), a, b);
}

enum class QuickAnswer : std::uint8_t { No, Yes, Unknown };

template <class Number>
QuickAnswer quick_order(CompareOp op, Number x, Number y) {
  const auto answer = [](bool holds) { return holds ? QuickAnswer::Yes : QuickAnswer::No; };
  switch (op) {
    case CompareOp::Eq:
      return answer(x == y);
    case CompareOp::Ne:
      return answer(x != y);
    case CompareOp::Lt:
      return answer(x < y);
    case CompareOp::Le:
      return answer(x <= y);
    case CompareOp::Gt:
      return answer(x > y);
    case CompareOp::Ge:
      return answer(x >= y);
    default:
      return QuickAnswer::Unknown;
  }
}

/// Equality of texts of class str itself: a name is compared often with the same name.
[[gnu::noinline]] inline QuickAnswer quick_equality(CompareOp op, const object::Value& a, const object::Value& b) {
  const auto *const x = a.as<object::Str>(), *const y = b.as<object::Str>();
  if (x == nullptr || y == nullptr || &x->type() != &y->type() || !x->type().is_immutable())
    return QuickAnswer::Unknown;
  return (x == y || x->view() == y->view()) == (op == CompareOp::Eq) ? QuickAnswer::Yes : QuickAnswer::No;
}

/// Comparisons of two ints, of two floats, of two texts, of anything by identity.
[[gnu::always_inline]] inline QuickAnswer quick_compare(std::uint32_t op, const object::Value& a,
                                                        const object::Value& b) {
  const auto kind = static_cast<CompareOp>(op);
  if (a.is_int() && b.is_int()) {
    if (const QuickAnswer known = quick_order(kind, a.as_int(), b.as_int()); known != QuickAnswer::Unknown)
      return known;
  } else if (a.is_float() && b.is_float()) {
    if (const QuickAnswer known = quick_order(kind, a.as_float(), b.as_float()); known != QuickAnswer::Unknown)
      return known;
  }
  if ((kind == CompareOp::Eq || kind == CompareOp::Ne) && a.is_object() && b.is_object())
    return quick_equality(kind, a, b);
  if (kind == CompareOp::Is) return a.is(b) ? QuickAnswer::Yes : QuickAnswer::No;
  if (kind == CompareOp::IsNot) return a.is(b) ? QuickAnswer::No : QuickAnswer::Yes;
  return QuickAnswer::Unknown;
}

/// Truth of None, bools and ints.
inline QuickAnswer quick_truth(const object::Value& value) {
  if (value.is_bool() || value.is_int()) return value.as_int() != 0 ? QuickAnswer::Yes : QuickAnswer::No;
  return value.is_none() ? QuickAnswer::No : QuickAnswer::Unknown;
}

/// Empties the place of a value. What it held may run code when it goes, and finds the place empty.
/// By hand, as the next two: compilers leave the destructor and the assignment of values out of the evaluator's loop.
[[gnu::always_inline]] inline void drop(object::Value& place) {
  object::Object* const gone = place.object();
  if (gone == nullptr) return;
  // The reference is now `gone`'s.
  std::construct_at(&place);
  gone->release();
}

/// Puts a copy of `value`, which the old value may own, in its place.
[[gnu::always_inline]] inline void replace(object::Value& place, const object::Value& value) {
  object::Object* const gone = place.object();
  std::construct_at(&place, value);
  if (gone != nullptr) gone->release();
}

/// The same for a value that is moved.
[[gnu::always_inline]] inline void put(object::Value& place, object::Value&& value) {
  object::Object* const gone = place.object();
  std::construct_at(&place, std::move(value));
  if (gone != nullptr) gone->release();
}

}  // namespace nns::python
