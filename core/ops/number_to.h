#pragma once

#include <limits>

#include "core/ops/formulas.h"

// Not for callers of ops.
namespace nns::ops {

/// A number as another type: what is no whole number is cut off, anything but 0 is true, of a complex number the real
/// part stays where there is room for one part only.
template <class To, class From>
constexpr To number_to(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      return value != From();
    } else {
      return number_to<To>(value.real());
    }
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From();
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // What does not fit has no meaning in C++; here it becomes what x86's conversion gives, as in PyTorch.
    constexpr From kEnd = static_cast<From>(9223372036854775808.0);
    if constexpr (std::is_unsigned_v<To>) {
      if (value >= kEnd && value < 2 * kEnd) return static_cast<To>(value);
    }
    if (!(value >= -kEnd && value < kEnd)) return static_cast<To>(std::numeric_limits<std::int64_t>::min());
    return static_cast<To>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace nns::ops
