#pragma once

#include <complex>
#include <cstdint>

#include "core/object/numbers.h"
#include "core/ops/compute.h"

namespace nns::ops {

/// A number that a program passes where a tensor may stand: bool, int, float or complex.
struct Number {
  enum class Kind : std::uint8_t { Bool, Int, Float, Complex };
  Kind kind = Kind::Int;
  std::int64_t integer = 0;
  double real = 0;
  double imaginary = 0;

  static Number of(bool value) { return {Kind::Bool, value ? 1 : 0, value ? 1.0 : 0.0, 0}; }
  static Number of(std::int64_t value) { return {Kind::Int, value, static_cast<double>(value), 0}; }
  static Number of(double value) { return {Kind::Float, 0, value, 0}; }
  static Number of(std::complex<double> value) { return {Kind::Complex, 0, value.real(), value.imag()}; }
  /// Must hold: is_number(value).
  static Number of(const object::Value& value) {
    if (value.is_float()) return of(value.as_float());
    if (value.is_bool()) return of(value.as_bool());
    if (const auto* number = value.as<object::Complex>()) return of(number->number());
    return of(value.as_int());
  }
  static bool is_real(const object::Value& value) { return value.is_float() || value.is_int() || value.is_bool(); }
  static bool is_number(const object::Value& value) { return is_real(value) || value.as<object::Complex>() != nullptr; }

  bool is_integral() const { return kind == Kind::Bool || kind == Kind::Int; }
  double as_double() const { return real; }
  std::int64_t as_int64() const { return is_integral() ? integer : static_cast<std::int64_t>(real); }
  bool is_complex() const { return kind == Kind::Complex; }
  std::complex<double> as_complex() const { return {real, imaginary}; }
  bool is_zero() const { return real == 0 && imaginary == 0; }
  bool is_one() const { return real == 1 && imaginary == 0; }

  /// Writes `count` copies of the number, converted to `to`.
  void fill(Compute to, void* out, std::int64_t count) const;
};

}  // namespace nns::ops
