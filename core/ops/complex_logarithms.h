#pragma once

#include <cmath>
#include <complex>

#include "core/ops/unary_formulas.h"

// Not for callers of ops.
namespace nns::ops {

/// log(exp(x) + exp(y)) without numbers that are too large; of the two the one with the greater real part is taken out.
/// Behaviour: aten/src/ATen/native/cpu/LogAddExp.h, _log_add_exp_helper.
template <class Real>
std::complex<Real> log_added(std::complex<Real> x, std::complex<Real> y) {
  const auto has_nan = [](std::complex<Real> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  if (has_nan(x) || has_nan(y)) {
    return {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::quiet_NaN()};
  }
  const bool is_less = x.real() < y.real();
  const std::complex<Real> least = is_less ? x : y, most = is_less ? y : x;
  if (!std::isfinite(least.real()) && least.real() == most.real()) {
    // The angle of what is nothing does not matter.
    return least.real() < 0 ? least : std::log(std::exp(least) + std::exp(most));
  }
  return formula::Log1p::at(std::exp(least - most)) + most;
}

}  // namespace nns::ops
