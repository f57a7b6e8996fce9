#pragma once

#include <cmath>

#include "core/ops/activation_formulas.h"

// Gradients of ops that work item by item, in one pass: of the gradient of the result, and of what the op read or gave.
// Behaviour: tools/autograd/derivatives.yaml, aten/src/ATen/native/cuda/ActivationGeluKernel.cu and its siblings.
namespace nns::ops::formula {

inline constexpr double kInvSqrtTwoPi = 0.39894228040143267794;

/// Of the results.
struct ReluGradient {
  template <class T>
  static constexpr T at(T grad, T result) {
    return result > T(0) ? grad : T(0);
  }
};
struct TanhGradient {
  template <class T>
  static constexpr T at(T grad, T result) {
    return grad * (T(1) - result * result);
  }
};
struct SigmoidGradient {
  template <class T>
  static constexpr T at(T grad, T result) {
    return grad * result * (T(1) - result);
  }
};
/// Of the inputs.
struct SiluGradient {
  template <class T>
  static constexpr T at(T grad, T x) {
    const T gate = T(1) / (T(1) + std::exp(-x));
    return grad * gate * (T(1) + x * (T(1) - gate));
  }
};
struct GeluGradient {
  template <class T>
  static constexpr T at(T grad, T x) {
    const T share = T(0.5) * (T(1) + std::erf(x * T(kSqrtHalf)));
    return grad * (share + x * std::exp(x * x * T(-0.5)) * T(kInvSqrtTwoPi));
  }
};
struct GeluTanhGradient {
  template <class T>
  static constexpr T at(T grad, T x) {
    const T square = x * x;
    const T bent = std::tanh(T(kSqrtTwoOverPi) * (x + T(kGeluCubic) * x * square));
    const T slope = T(kSqrtTwoOverPi) * (T(1) + T(3 * kGeluCubic) * square);
    return grad * (T(0.5) * (T(1) + bent) + T(0.5) * x * (T(1) - bent * bent) * slope);
  }
};

}  // namespace nns::ops::formula
