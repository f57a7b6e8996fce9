#pragma once

#include "core/ops/formulas.h"

// Formulas with two inputs or more that are no operators of Python.
// Behaviour: aten/src/ATen/native/{TensorCompare,PointwiseOps,Lerp,Activation,GatedLinearUnit}.cpp.
namespace nns::ops::formula {

struct Choose {
  template <class T>
  static constexpr T at(T condition, T x, T y) {
    return condition != T() ? x : y;
  }
};
struct Fill {
  template <class T>
  static constexpr T at(T x, T mask, T value) {
    return mask != T() ? value : x;
  }
};
// Behaviour: clamp passes NaN on, and where min > max it gives max.
struct Clamp {
  template <class T>
  static constexpr T at(T x, T low, T high) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
      if (std::isnan(low)) return low;
      if (std::isnan(high)) return high;
    }
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
};
struct ClampLow {
  template <class T>
  static constexpr T at(T x, T low) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x) || std::isnan(low)) return x + low;
    }
    return x < low ? low : x;
  }
};
struct ClampHigh {
  template <class T>
  static constexpr T at(T x, T high) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x) || std::isnan(high)) return x + high;
    }
    return x > high ? high : x;
  }
};
// Behaviour: aten/src/ATen/native/Lerp.h: from the nearer end.
struct Lerp {
  template <class T>
  static constexpr T at(T x, T end, T weight) {
    if constexpr (kIsComplex<T>)
      return std::abs(weight) < typename T::value_type(0.5) ? x + weight * (end - x)
                                                            : end - (end - x) * (T(1) - weight);
    else
      return std::abs(weight) < T(0.5) ? x + weight * (end - x) : end - (end - x) * (T(1) - weight);
  }
};
/// What a mask (of 0 and 1) keeps, times settings.a.
struct MaskedScale {
  template <class T>
  static constexpr T at(const Settings& settings, T x, T mask) {
    return x * mask * static_cast<T>(settings.a);
  }
};
struct AddCMul {
  template <class T>
  static constexpr T at(const Settings& settings, T x, T y, T z) {
    return wrapping_add(x, wrapping_mul(wrapping_mul(number_in<T>(settings), y), z));
  }
};
struct AddCDiv {
  template <class T>
  static constexpr T at(const Settings& settings, T x, T y, T z) {
    return x + number_in<T>(settings) * y / z;
  }
};

struct Glu {
  template <class T>
  static constexpr T at(T x, T gate) {
    return x / (T(1) + std::exp(-gate));
  }
};
struct PRelu {
  template <class T>
  static constexpr T at(T x, T slope) {
    return x > T(0) ? x : slope * x;
  }
};

}  // namespace nns::ops::formula
