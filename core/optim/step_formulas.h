#pragma once

#include <cmath>
#include <type_traits>

#include "core/optim/number_format.h"

// What SGD and Adam do to one item; compiled for the CPU and for CUDA. A flag is a bool, or a type that becomes one
// where a loop is made for each of its values. Not for callers of optim.
namespace nns::optim {

/// The larger one; not a number if either is none, as torch.maximum.
template <class N>
constexpr N maximum(N a, N b) {
  return a > b || a != a ? a : b;
}

// ---------------------------------------------------------------- SGD

struct SgdOptions {
  double lr = 0, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};
/// What a step knows of one parameter: whether the buffer is new; then it begins as the gradient.
struct SgdScalars {
  bool is_first = false;
};

/// The options as numbers of the type that is computed in.
template <class N>
struct SgdNumbers {
  N sign, decay, momentum, gain, rate;
  constexpr explicit SgdNumbers(const SgdOptions& options)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        momentum(static_cast<N>(options.momentum)),
        gain(static_cast<N>(1 - options.dampening)),
        rate(static_cast<N>(-options.lr)) {}
};

template <class F, class Flag, class N = typename F::Number>
constexpr N sgd_gradient(const SgdNumbers<N>& numbers, Flag has_decay, N x, N grad) {
  const N g = numbers.sign * grad;
  return has_decay ? F::rounded(g + numbers.decay * x) : g;
}
/// The direction that a gradient gives with momentum; `velocity` is what is kept.
template <class F, class Flag, class First, class N = typename F::Number>
constexpr N sgd_direction(const SgdNumbers<N>& numbers, Flag is_nesterov, First is_first, N g, N& velocity) {
  velocity = is_first ? g : F::rounded(F::rounded(velocity * numbers.momentum) + numbers.gain * g);
  return is_nesterov ? F::rounded(g + numbers.momentum * velocity) : velocity;
}

// ---------------------------------------------------------------- Adam, AdamW

struct AdamOptions {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
  bool amsgrad = false, maximize = false, decoupled = false;
};
/// What a step knows of one parameter, by the steps that it has taken.
struct AdamScalars {
  double step_size = 0;
  double root_of_correction = 0;
};

template <class N>
struct AdamNumbers {
  N sign, decay, shrink, weight1, beta2, weight2, root, eps, rate;
  constexpr AdamNumbers(const AdamOptions& options, const AdamScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        shrink(static_cast<N>(1 - options.lr * options.weight_decay)),
        weight1(static_cast<N>(1 - options.beta1)),
        beta2(static_cast<N>(options.beta2)),
        weight2(static_cast<N>(1 - options.beta2)),
        root(static_cast<N>(scalars.root_of_correction)),
        eps(static_cast<N>(options.eps)),
        rate(static_cast<N>(-scalars.step_size)) {}
};

/// `largest` is read and written where `keeps_largest`.
template <class F, class Adds, class Shrinks, class Keeps, class N = typename F::Number>
constexpr void adam_item(const AdamNumbers<N>& numbers, Adds adds_decay, Shrinks shrinks, Keeps keeps_largest, N& x,
                         N grad, N& average, N& square, N& largest) {
  N g = numbers.sign * grad;
  if (shrinks) x = F::rounded(x * numbers.shrink);
  if (adds_decay) g = F::rounded(g + numbers.decay * x);
  average = lerp<F>(average, g, numbers.weight1);
  square = F::rounded(F::rounded(square * numbers.beta2) + numbers.weight2 * g * g);
  N spread = square;
  if (keeps_largest) {
    largest = maximum(largest, square);
    spread = largest;
  }
  spread = F::rounded(F::rounded(F::rounded(std::sqrt(spread)) / numbers.root) + numbers.eps);
  x = x + numbers.rate * average / spread;
}

}  // namespace nns::optim
