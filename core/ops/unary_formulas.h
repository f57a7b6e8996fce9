#pragma once

#include "core/ops/formulas.h"
#include "core/ops/square_root.h"

// Behaviour: aten/src/ATen/native/UnaryOps.cpp.
namespace nns::ops::formula {

inline constexpr double kLn2 = 0.69314718055994530942;

#define NNS_FORMULA(name, expression) \
  struct name {                       \
    template <class T>                \
    static constexpr auto at(T x) {   \
      return expression;              \
    }                                 \
  };
NNS_FORMULA(Neg, wrapping_neg(x))
NNS_FORMULA(Exp, std::exp(x))
NNS_FORMULA(Log, std::log(x))
NNS_FORMULA(Log10, std::log10(x))
NNS_FORMULA(Sqrt, square_root(x))
NNS_FORMULA(Rsqrt, T(1) / square_root(x))
NNS_FORMULA(Square, wrapping_mul(x, x))
NNS_FORMULA(Reciprocal, T(1) / x)
NNS_FORMULA(Sin, std::sin(x))
NNS_FORMULA(Cos, std::cos(x))
NNS_FORMULA(Tan, std::tan(x))
NNS_FORMULA(Asin, std::asin(x))
NNS_FORMULA(Acos, std::acos(x))
NNS_FORMULA(Atan, std::atan(x))
NNS_FORMULA(Sinh, std::sinh(x))
NNS_FORMULA(Cosh, std::cosh(x))
NNS_FORMULA(Tanh, std::tanh(x))
NNS_FORMULA(Asinh, std::asinh(x))
NNS_FORMULA(Acosh, std::acosh(x))
NNS_FORMULA(Atanh, std::atanh(x))
NNS_FORMULA(Erf, std::erf(x))
NNS_FORMULA(Erfc, std::erfc(x))
NNS_FORMULA(Sigmoid, T(1) / (T(1) + std::exp(-x)))
NNS_FORMULA(Floor, std::floor(x))
NNS_FORMULA(Ceil, std::ceil(x))
NNS_FORMULA(Round, std::nearbyint(x))
NNS_FORMULA(Trunc, std::trunc(x))
NNS_FORMULA(Frac, x - std::trunc(x))
NNS_FORMULA(Never, (static_cast<void>(x), false))
NNS_FORMULA(Always, (static_cast<void>(x), true))
NNS_FORMULA(LogicalNot, x == T(0))
NNS_FORMULA(BitwiseNot, static_cast<T>(~x))
NNS_FORMULA(Same, x)
#undef NNS_FORMULA

// Of a complex number: of either part, but finite are both.
#define NNS_FLOATING_TEST(name, test, joined)                  \
  struct name {                                                \
    template <class T>                                         \
    static constexpr bool at(T x) {                            \
      if constexpr (kIsComplex<T>)                             \
        return std::test(x.real()) joined std::test(x.imag()); \
      else                                                     \
        return std::test(x);                                   \
    }                                                          \
  };
NNS_FLOATING_TEST(IsNan, isnan, ||)
NNS_FLOATING_TEST(IsInf, isinf, ||)
NNS_FLOATING_TEST(IsFinite, isfinite, &&)
#undef NNS_FLOATING_TEST

// exp(z) - 1 of small z without cancelling. Behaviour: c10/util/complex_math.h.
struct Expm1 {
  template <class T>
  static constexpr T at(T x) {
    if constexpr (kIsComplex<T>) {
      const auto half = std::sin(x.imag() / 2);
      return T(std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag()));
    } else {
      return std::expm1(x);
    }
  }
};
// log(1 + z). Behaviour: c10/util/complex_math.h.
struct Log1p {
  template <class T>
  static constexpr T at(T x) {
    if constexpr (kIsComplex<T>) {
      using Part = typename T::value_type;
      const Part angle = std::atan2(x.imag(), x.real() + 1);
      if (!(std::abs(x) < Part(0.5))) return T(std::log(std::hypot(x.real() + 1, x.imag())), angle);
      const Part square = x.real() * (2 + x.real()) + x.imag() * x.imag();
      return T(square == 0 ? x.real() : std::log1p(square) / 2, angle);
    } else {
      return std::log1p(x);
    }
  }
};

template <class T>
constexpr T ln_2() {
  if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(kLn2));
  else
    return static_cast<T>(kLn2);
}
struct Exp2 {
  template <class T>
  static constexpr T at(T x) {
    if constexpr (kIsComplex<T>)
      return std::exp(x * ln_2<T>());
    else
      return std::exp2(x);
  }
};
struct Log2 {
  template <class T>
  static constexpr T at(T x) {
    if constexpr (kIsComplex<T>)
      return std::log(x) / ln_2<T>();
    else
      return std::log2(x);
  }
};
struct Abs {
  template <class T>
  static constexpr auto at(T x) {
    if constexpr (std::is_unsigned_v<T>)
      return x;
    else if constexpr (std::is_integral_v<T>)
      return x < 0 ? wrapping_neg(x) : x;
    else
      return std::abs(x);
  }
};
struct Sign {
  template <class T>
  static constexpr T at(T x) {
    if constexpr (std::is_same_v<T, bool>)
      return x;
    else if constexpr (std::is_unsigned_v<T>)
      return x > 0 ? T(1) : T(0);
    else
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : T(0);
  }
};
struct Conj {
  template <class T>
  static constexpr T at(T x) {
    return std::conj(x);
  }
};
struct RealPart {
  template <class T>
  static constexpr auto at(T x) {
    return x.real();
  }
};
struct ImaginaryPart {
  template <class T>
  static constexpr auto at(T x) {
    return x.imag();
  }
};

}  // namespace nns::ops::formula
