#pragma once

#include <cmath>
#include <limits>

// What running results of a line join; compiled for the CPU and for CUDA. Not for callers of ops.
namespace nns::ops {

/// log(exp(running) + exp(x)) without numbers that are too large.
template <class T>
constexpr T log_added(T running, T x) {
  const bool has_nan = running != running || x != x;
  if (has_nan) return running + x;
  const T most = x > running ? x : running, least = x > running ? running : x;
  // Two equal infinities have no difference.
  const bool is_finite = most <= std::numeric_limits<T>::max() && most >= -std::numeric_limits<T>::max();
  return is_finite ? most + std::log1p(std::exp(least - most)) : most;
}

/// Whether a running extreme becomes `candidate`, which comes later: of equal ones the last, a NaN from where it came.
template <bool largest, class T>
constexpr bool takes_over(T candidate, T held) {
  return candidate != candidate || (largest ? candidate >= held : candidate <= held);
}

}  // namespace nns::ops
