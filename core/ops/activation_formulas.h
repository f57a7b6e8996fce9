#pragma once

#include <algorithm>

#include "core/ops/formulas.h"

// Behaviour: aten/src/ATen/native/Activation.cpp.
namespace nns::ops::formula {

inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
inline constexpr double kGeluCubic = 0.044715;

#define NNS_FORMULA(name, expression)               \
  struct name {                                     \
    template <class T>                              \
    static constexpr T at(const Settings& s, T x) { \
      static_cast<void>(s);                         \
      return expression;                            \
    }                                               \
  };
NNS_FORMULA(Relu, x < T(0) ? T(0) : x)
NNS_FORMULA(LeakyRelu, x > T(0) ? x : x * T(s.a))
// negative side: scale * alpha * (exp(x * input_scale) - 1), with a = alpha * scale, b = scale, c = input_scale.
NNS_FORMULA(Elu, x < T(0) ? T(s.a) * std::expm1(x * T(s.c)) : x * T(s.b))
NNS_FORMULA(Silu, x / (T(1) + std::exp(-x)))
NNS_FORMULA(Mish, x* std::tanh(std::log1p(std::exp(x))))
NNS_FORMULA(Gelu, x* T(0.5) * (T(1) + std::erf(x * T(kSqrtHalf))))
NNS_FORMULA(GeluTanh, T(0.5) * x * (T(1) + std::tanh(T(kSqrtTwoOverPi) * (x + T(kGeluCubic) * x * x * x))))
NNS_FORMULA(Softplus, x* T(s.a) > T(s.b) ? x : std::log1p(std::exp(x * T(s.a))) / T(s.a))
NNS_FORMULA(LogSigmoid, std::min(T(0), x) - std::log1p(std::exp(-std::abs(x))))
NNS_FORMULA(HardSigmoid, std::min(std::max(x + T(3), T(0)), T(6)) / T(6))
NNS_FORMULA(HardSwish, x* std::min(std::max(x + T(3), T(0)), T(6)) / T(6))
// At the borders themselves the gradient is 0, unlike clamp's.
NNS_FORMULA(HardTanh, x < T(s.a) ? T(s.a) : (x > T(s.b) ? T(s.b) : x))
NNS_FORMULA(HardShrink, x >= T(-s.a) && x <= T(s.a) ? T(0) : x)
NNS_FORMULA(SoftShrink, x > T(s.a) ? x - T(s.a) : (x < T(-s.a) ? x + T(s.a) : x * T(0)))
NNS_FORMULA(Threshold, x <= T(s.a) ? T(s.b) : x)
#undef NNS_FORMULA

}  // namespace nns::ops::formula
