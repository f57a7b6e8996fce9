#pragma once

#include "core/ops/formulas.h"

// What several items that come to one place give; compiled for the CPU and for CUDA. Not for callers of ops.
namespace nns::ops {

enum class PlaceReduction : std::uint8_t { Sum, Product, Mean, Most, Least };

/// What both arguments give together. Whole numbers wrap around; of numbers that are not numbers one is kept.
template <class T>
constexpr T joined(PlaceReduction reduction, T a, T b) {
  if constexpr (!kIsComplex<T>) {
    if (reduction == PlaceReduction::Most || reduction == PlaceReduction::Least) {
      if (a != a) return a;
      if (b != b) return b;
      return (reduction == PlaceReduction::Most) == (a < b) ? b : a;
    }
  }
  return reduction == PlaceReduction::Product ? wrapping_mul(a, b) : wrapping_add(a, b);
}

/// The mean of `count` items, of whole numbers rounded down. Must hold: count > 0.
template <class T>
constexpr T mean_of(T sum, std::int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    const auto divisor = static_cast<T>(count);
    const T quotient = static_cast<T>(sum / divisor);
    return sum % divisor != 0 && sum < 0 ? static_cast<T>(quotient - 1) : quotient;
  } else if constexpr (kIsComplex<T>) {
    return sum / static_cast<typename T::value_type>(count);
  } else {
    return sum / static_cast<T>(count);
  }
}

}  // namespace nns::ops
