#include "core/ops/special_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Formulas: NIST Digital Library of Mathematical Functions, sections 5.5, 5.11, 5.15 (digamma, polygamma), 7.12
// (erfc), 10.25, 10.40 (Bessel functions), 25.11 (zeta).
namespace nns::ops {
namespace {

constexpr double kRootTwo = 1.41421356237309504880;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Bernoulli's numbers B2, B4, ... B20.
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                                 -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};
// From here on the asymptotic series with these numbers is exact to a double.
constexpr double kSeriesFrom = 12;

// A start for the inverse of erf, right to about two digits. `log_rest` = log(1 - x * x).
// After S. Winitzki, "A handy approximation for the error function and its inverse" (2008).
double inverse_start(double log_rest) {
  constexpr double kA = 0.147;
  const double t = 2 / (std::numbers::pi * kA) + log_rest / 2;
  return std::sqrt(std::sqrt(t * t - log_rest / kA) - t);
}

// Where erfc() is z, for 0 < z <= 1.
double erfc_inverse(double z) {
  double y = inverse_start(std::log(z) + std::log(2 - z));
  for (int i = 0; i < 4; ++i) {
    // Halley's step: the second derivative is -2 y times the first.
    const double step = (std::erfc(y) - z) / (-2 / std::sqrt(std::numbers::pi) * std::exp(-y * y));
    if (!std::isfinite(step)) break;
    y -= step / (1 + y * step);
  }
  return y;
}

// The power series of the Bessel function of this order, without its factor (x / 2)^order.
double bessel_series(double x, int order) {
  const double quarter = x * x / 4;
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= quarter / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}
// The asymptotic series of exp(-x) times the function, for a large x.
double bessel_scaled(double x, int order) {
  const double mu = 4.0 * order * order;
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2.0 * k - 1;
    const double next = -term * (mu - odd * odd) / (8 * x * k);
    if (std::abs(next) >= std::abs(term) || std::abs(next) < 1e-18) break;
    term = next;
    sum += term;
  }
  return sum / std::sqrt(2 * std::numbers::pi * x);
}
// From here on the asymptotic series serves.
constexpr double kLargeBessel = 20;

}  // namespace

double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (std::isnan(x) || x == -kInfinity) return kNaN;
  if (x == kInfinity) return x;
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    // Of the remainder: tan() of a large angle would lose digits.
    const double rest = x - std::trunc(x);
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * rest);
  }
  double shift = 0;
  for (; x < kSeriesFrom; x += 1) shift -= 1 / x;
  const double inverse = 1 / (x * x);
  double power = 1, sum = 0;
  for (int j = 0; j < 8; ++j) {
    power *= inverse;
    sum += kBernoulli[j] / (2.0 * (j + 1)) * power;
  }
  return shift + std::log(x) - 0.5 / x - sum;
}

double zeta(double x, double q) {
  if (x == 1) return kInfinity;
  if (!(x > 1) || std::isnan(q)) return kNaN;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (x != std::floor(x)) return kNaN;
  }
  double sum = 0;
  // The larger the power, the later the series begins to serve.
  for (const double from = kSeriesFrom + std::min(x, 40.0); q < from; q += 1) sum += std::pow(q, -x);
  if (q == kInfinity) return sum;
  // Euler and Maclaurin: the rest as an integral with corrections.
  const double at = std::pow(q, -x);
  sum += at * q / (x - 1) + at / 2;
  double factor = at * x / q / 2;
  for (int j = 0; j < 10; ++j) {
    sum += kBernoulli[j] * factor;
    const double k = 2.0 * (j + 1);
    factor *= (x + k - 1) * (x + k) / ((k + 1) * (k + 2) * q * q);
  }
  return sum;
}

double polygamma(std::int64_t n, double x) {
  if (n == 0) return digamma(x);
  if (n == 1 && x < 0.5) {
    const double sine = std::sin(std::numbers::pi * x);
    return std::numbers::pi * std::numbers::pi / (sine * sine) - zeta(2, 1 - x);
  }
  const auto order = static_cast<double>(n);
  return (n % 2 == 0 ? -1.0 : 1.0) * std::exp(std::lgamma(order + 1)) * zeta(order + 1, x);
}

double erf_inverse(double x) {
  const double size = std::abs(x);
  if (!(size <= 1)) return kNaN;
  if (size == 1) return std::copysign(kInfinity, x);
  if (size > 0.5) return std::copysign(erfc_inverse(1 - size), x);
  double y = inverse_start(std::log1p(-x * x));
  for (int i = 0; i < 3; ++i) {
    const double step = (std::erf(y) - size) / (2 / std::sqrt(std::numbers::pi) * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  return p < 0.5 ? -kRootTwo * erfc_inverse(2 * p) : kRootTwo * erfc_inverse(2 * (1 - p));
}

double log_normal_distribution(double x) {
  const double t = x / kRootTwo;
  if (x < -1) return std::log(scaled_erfc(-t) / 2) - t * t;
  return std::log1p(-std::erfc(t) / 2);
}

double scaled_erfc(double x) {
  if (x < 0) return 2 * std::exp(x * x) - scaled_erfc(-x);
  if (x < 8) {
    // What the square loses by rounding, put back.
    const double square = x * x;
    return std::exp(square) * std::erfc(x) * (1 + std::fma(x, x, -square));
  }
  if (x == kInfinity) return 0;
  const double inverse = 1 / (2 * x * x);
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && std::abs(term) > 1e-18; ++k) {
    term *= -(2.0 * k - 1) * inverse;
    sum += term;
  }
  return sum / (x * std::sqrt(std::numbers::pi));
}

double bessel_i0(double x) {
  const double size = std::abs(x);
  return size <= kLargeBessel ? bessel_series(size, 0) : std::exp(size) * bessel_scaled(size, 0);
}
double bessel_i0e(double x) {
  const double size = std::abs(x);
  return size <= kLargeBessel ? std::exp(-size) * bessel_series(size, 0) : bessel_scaled(size, 0);
}
double bessel_i1(double x) {
  const double size = std::abs(x);
  return std::copysign(
      size <= kLargeBessel ? size / 2 * bessel_series(size, 1) : std::exp(size) * bessel_scaled(size, 1), x);
}
double bessel_i1e(double x) {
  const double size = std::abs(x);
  return std::copysign(
      size <= kLargeBessel ? std::exp(-size) * size / 2 * bessel_series(size, 1) : bessel_scaled(size, 1), x);
}

}  // namespace nns::ops
