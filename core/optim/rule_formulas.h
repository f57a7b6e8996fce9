#pragma once

#include <cmath>

#include "core/optim/step_formulas.h"

// What the other optimisers do to one item; compiled for the CPU and for CUDA, as step_formulas.h. Not for callers of
// optim.
namespace nns::optim {

/// What many begin with: the sign of the gradient by what is wanted, and the decay of weights in it.
template <class F, class Flag, class N = typename F::Number>
constexpr N decayed_gradient(N sign, N decay, Flag has_decay, N x, N grad) {
  const N g = sign * grad;
  return has_decay ? F::rounded(g + decay * x) : g;
}
/// The running mean of squares.
template <class F, class N = typename F::Number>
constexpr N mean_square(N square, N kept, N weight, N g) {
  return F::rounded(F::rounded(square * kept) + weight * g * g);
}

// ---------------------------------------------------------------- RMSprop

struct RmspropOptions {
  double lr = 0, alpha = 0, eps = 0, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};
struct RmspropScalars {};

template <class N>
struct RmspropNumbers {
  N sign, decay, alpha, weight, eps, momentum, rate;
  constexpr explicit RmspropNumbers(const RmspropOptions& options)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        alpha(static_cast<N>(options.alpha)),
        weight(static_cast<N>(1 - options.alpha)),
        eps(static_cast<N>(options.eps)),
        momentum(static_cast<N>(options.momentum)),
        rate(static_cast<N>(-options.lr)) {}
};
/// `buffer` and `average` are read and written where there is momentum, where it is centered.
template <class F, class Decays, class Centers, class Moves, class N = typename F::Number>
constexpr void rmsprop_item(const RmspropNumbers<N>& numbers, Decays has_decay, Centers is_centered, Moves has_momentum,
                            N& x, N grad, N& square, N& buffer, N& average) {
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, has_decay, x, grad);
  square = mean_square<F>(square, numbers.alpha, numbers.weight, g);
  N spread = square;
  if (is_centered) {
    average = lerp<F>(average, g, numbers.weight);
    spread = F::rounded(square - average * average);
  }
  spread = F::rounded(F::rounded(std::sqrt(spread)) + numbers.eps);
  if (has_momentum) {
    buffer = F::rounded(F::rounded(buffer * numbers.momentum) + g / spread);
    x = x + numbers.rate * buffer;
  } else {
    x = x + numbers.rate * g / spread;
  }
}

// ---------------------------------------------------------------- Adagrad

struct AdagradOptions {
  double lr = 0, lr_decay = 0, eps = 0, weight_decay = 0, initial = 0;
  bool maximize = false;
};
struct AdagradScalars {
  double rate = 0;
};

template <class N>
struct AdagradNumbers {
  N sign, decay, eps, rate;
  constexpr AdagradNumbers(const AdagradOptions& options, const AdagradScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        eps(static_cast<N>(options.eps)),
        rate(static_cast<N>(-scalars.rate)) {}
};
template <class F, class Decays, class N = typename F::Number>
constexpr void adagrad_item(const AdagradNumbers<N>& numbers, Decays has_decay, N& x, N grad, N& sum) {
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, has_decay, x, grad);
  sum = F::rounded(sum + g * g);
  x = x + numbers.rate * g / F::rounded(F::rounded(std::sqrt(sum)) + numbers.eps);
}

// ---------------------------------------------------------------- Adadelta

struct AdadeltaOptions {
  double lr = 0, rho = 0, eps = 0, weight_decay = 0;
  bool maximize = false;
};
struct AdadeltaScalars {};

template <class N>
struct AdadeltaNumbers {
  N sign, decay, rho, weight, eps, rate;
  constexpr explicit AdadeltaNumbers(const AdadeltaOptions& options)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        rho(static_cast<N>(options.rho)),
        weight(static_cast<N>(1 - options.rho)),
        eps(static_cast<N>(options.eps)),
        rate(static_cast<N>(-options.lr)) {}
};
template <class F, class Decays, class N = typename F::Number>
constexpr void adadelta_item(const AdadeltaNumbers<N>& numbers, Decays has_decay, N& x, N grad, N& square, N& moved) {
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, has_decay, x, grad);
  square = mean_square<F>(square, numbers.rho, numbers.weight, g);
  const N reach = F::rounded(std::sqrt(F::rounded(moved + numbers.eps)));
  const N spread = F::rounded(std::sqrt(F::rounded(square + numbers.eps)));
  const N delta = F::rounded(F::rounded(reach / spread) * g);
  moved = F::rounded(moved * numbers.rho) + numbers.weight * delta * delta;
  x = x + numbers.rate * delta;
}

// ---------------------------------------------------------------- Adamax

struct AdamaxOptions {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
  bool maximize = false;
};
struct AdamaxScalars {
  double rate = 0;
};

template <class N>
struct AdamaxNumbers {
  N sign, decay, weight1, beta2, eps, rate;
  constexpr AdamaxNumbers(const AdamaxOptions& options, const AdamaxScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        weight1(static_cast<N>(1 - options.beta1)),
        beta2(static_cast<N>(options.beta2)),
        eps(static_cast<N>(options.eps)),
        rate(static_cast<N>(-scalars.rate)) {}
};
template <class F, class Decays, class N = typename F::Number>
constexpr void adamax_item(const AdamaxNumbers<N>& numbers, Decays has_decay, N& x, N grad, N& average, N& norm) {
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, has_decay, x, grad);
  average = lerp<F>(average, g, numbers.weight1);
  norm = maximum(F::rounded(norm * numbers.beta2), F::rounded(std::abs(g) + numbers.eps));
  x = x + numbers.rate * average / norm;
}

// ---------------------------------------------------------------- ASGD

struct AsgdOptions {
  double lr = 0, lambd = 0, alpha = 0, t0 = 0, weight_decay = 0;
  bool maximize = false;
};
struct AsgdScalars {
  double eta = 0, mu = 0;
};

template <class N>
struct AsgdNumbers {
  N sign, decay, shrink, rate, mu;
  constexpr AsgdNumbers(const AsgdOptions& options, const AsgdScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        shrink(static_cast<N>(1 - options.lambd * scalars.eta)),
        rate(static_cast<N>(-scalars.eta)),
        mu(static_cast<N>(scalars.mu)) {}
};
template <class F, class Decays, class Averages, class N = typename F::Number>
constexpr void asgd_item(const AsgdNumbers<N>& numbers, Decays has_decay, Averages averages, N& x, N grad, N& average) {
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, has_decay, x, grad);
  x = F::rounded(F::rounded(x * numbers.shrink) + numbers.rate * g);
  average = averages ? average + F::rounded(F::rounded(x - average) * numbers.mu) : x;
}

// ---------------------------------------------------------------- NAdam

struct NadamOptions {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0, momentum_decay = 0;
  bool maximize = false, decoupled = false;
};
struct NadamScalars {
  double correction2 = 0, mu = 0, mu_next = 0;
  double grad_rate = 0, average_rate = 0;
};

template <class N>
struct NadamNumbers {
  N sign, decay, shrink, weight1, beta2, weight2, correction2, eps, grad_rate, average_rate;
  constexpr NadamNumbers(const NadamOptions& options, const NadamScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        shrink(static_cast<N>(1 - options.lr * options.weight_decay)),
        weight1(static_cast<N>(1 - options.beta1)),
        beta2(static_cast<N>(options.beta2)),
        weight2(static_cast<N>(1 - options.beta2)),
        correction2(static_cast<N>(scalars.correction2)),
        eps(static_cast<N>(options.eps)),
        grad_rate(static_cast<N>(scalars.grad_rate)),
        average_rate(static_cast<N>(scalars.average_rate)) {}
};
template <class F, class Adds, class Shrinks, class N = typename F::Number>
constexpr void nadam_item(const NadamNumbers<N>& numbers, Adds adds_decay, Shrinks shrinks, N& x, N grad, N& average,
                          N& square) {
  if (shrinks) x = F::rounded(x * numbers.shrink);
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, adds_decay, x, grad);
  average = lerp<F>(average, g, numbers.weight1);
  square = mean_square<F>(square, numbers.beta2, numbers.weight2, g);
  const N spread = F::rounded(F::rounded(std::sqrt(F::rounded(square / numbers.correction2))) + numbers.eps);
  x = F::rounded(x + numbers.grad_rate * g / spread);
  x = x + numbers.average_rate * average / spread;
}

// ---------------------------------------------------------------- RAdam

struct RadamOptions {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
  bool maximize = false, decoupled = false;
};
struct RadamScalars {
  double correction1 = 0;
  /// Only where the variance is known well enough.
  bool is_rectified = false;
  double root_of_correction2 = 0, rectification = 0;
};

template <class N>
struct RadamNumbers {
  N sign, decay, shrink, weight1, beta2, weight2, correction1, lr, eps, root, rectification;
  constexpr RadamNumbers(const RadamOptions& options, const RadamScalars& scalars)
      : sign(options.maximize ? N(-1) : N(1)),
        decay(static_cast<N>(options.weight_decay)),
        shrink(static_cast<N>(1 - options.lr * options.weight_decay)),
        weight1(static_cast<N>(1 - options.beta1)),
        beta2(static_cast<N>(options.beta2)),
        weight2(static_cast<N>(1 - options.beta2)),
        correction1(static_cast<N>(scalars.correction1)),
        lr(static_cast<N>(options.lr)),
        eps(static_cast<N>(options.eps)),
        root(static_cast<N>(scalars.root_of_correction2)),
        rectification(static_cast<N>(scalars.rectification)) {}
};
template <class F, class Adds, class Shrinks, class Rectified, class N = typename F::Number>
constexpr void radam_item(const RadamNumbers<N>& numbers, Adds adds_decay, Shrinks shrinks, Rectified is_rectified,
                          N& x, N grad, N& average, N& square) {
  if (shrinks) x = F::rounded(x * numbers.shrink);
  const N g = decayed_gradient<F>(numbers.sign, numbers.decay, adds_decay, x, grad);
  average = lerp<F>(average, g, numbers.weight1);
  square = mean_square<F>(square, numbers.beta2, numbers.weight2, g);
  N move = F::rounded(F::rounded(average / numbers.correction1) * numbers.lr);
  if (is_rectified) {
    // A number over a tensor is the number times its reciprocal.
    const N inverse = F::rounded(N(1) / F::rounded(F::rounded(std::sqrt(square)) + numbers.eps));
    move = F::rounded(F::rounded(move * F::rounded(inverse * numbers.root)) * numbers.rectification);
  }
  x = x - move;
}

// ---------------------------------------------------------------- Rprop

struct RpropOptions {
  double lr = 0, shrink = 0, grow = 0, smallest = 0, largest = 0;
  bool maximize = false;
};
struct RpropScalars {};

template <class F, class N = typename F::Number>
struct RpropNumbers {
  N sign, shrink, grow, smallest, largest;
  constexpr explicit RpropNumbers(const RpropOptions& options)
      : sign(options.maximize ? N(-1) : N(1)),
        shrink(F::rounded(static_cast<N>(options.shrink))),
        grow(F::rounded(static_cast<N>(options.grow))),
        smallest(static_cast<N>(options.smallest)),
        largest(static_cast<N>(options.largest)) {}
};
template <class F, class N = typename F::Number>
constexpr void rprop_item(const RpropNumbers<F>& numbers, N& x, N grad, N& previous, N& size) {
  N g = numbers.sign * grad;
  const N agreement = F::rounded(g * previous);
  // Not a number agrees with nothing, and stays one.
  const N factor = agreement > 0 ? numbers.grow : agreement < 0 ? numbers.shrink : agreement == 0 ? N(1) : agreement;
  size = F::rounded(size * factor);
  size = size < numbers.smallest ? numbers.smallest : size;
  size = size > numbers.largest ? numbers.largest : size;
  size = F::rounded(size);
  // Where the sign turned, this step does not move.
  if (factor == numbers.shrink) g = N(0);
  previous = g;
  x = x - static_cast<N>((g > 0) - (g < 0)) * size;
}

}  // namespace nns::optim
