#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "core/ops/compute.h"

// What the formulas of elementwise ops are written with. A formula is a struct with a function at(x...) or
// at(settings, x...) for numbers of any type; it is compiled for the CPU and for CUDA. Not for callers of ops.
namespace nns::ops {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

/// The settings of an op as its formulas take them; what each means, the op says.
struct Settings {
  double a = 0, b = 0, c = 0;
  std::int64_t ia = 0, ib = 0;
  bool is_fractional = false;  // whether a number was a float: then `a`, else `ia`
};

/// The number in settings.a (of whole types settings.ia).
template <class T>
constexpr T number_in(const Settings& settings) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(settings.ia);
  else if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(settings.a));
  else
    return static_cast<T>(settings.a);
}

// Integers wrap around, as the machine's do.
template <class T>
constexpr T wrapping_neg(T x) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
  return -x;
}
template <class T>
constexpr T wrapping_add(T x, T y) {
  if constexpr (std::is_same_v<T, bool>)
    return x || y;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  else
    return x + y;
}
template <class T>
constexpr T wrapping_mul(T x, T y) {
  if constexpr (std::is_same_v<T, bool>)
    return x && y;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  else
    return x * y;
}
template <class T>
constexpr T wrapping_sub(T x, T y) {
  return wrapping_add(x, wrapping_neg(y));
}

}  // namespace nns::ops
