#pragma once

#include <cstdint>

// Functions of one or two numbers that <cmath> lacks, to about the last digits of a double. Not for callers of ops.
namespace nns::ops {

/// The logarithmic derivative of the gamma function. At 0 it is infinite with the other sign; at -1, -2, ... NaN.
double digamma(double x);
/// The sum of (q + k)^-x over k = 0, 1, ... (Hurwitz). At x = 1 and at q = 0, -1, ... infinite; for x < 1, and for a
/// negative q where x is not whole, NaN.
double zeta(double x, double q);
/// The n-th derivative of digamma. Must hold: n >= 0.
double polygamma(std::int64_t n, double x);
/// Where erf() is x. At -1 and 1 infinite; outside NaN.
double erf_inverse(double x);
/// Where the standard normal distribution function is p. At 0 and 1 infinite; outside NaN.
double normal_quantile(double p);
/// The logarithm of the standard normal distribution function.
double log_normal_distribution(double x);
/// exp(x * x) * erfc(x).
double scaled_erfc(double x);
/// The modified Bessel functions of the first kind of order 0 and 1, and the same times exp(-|x|).
double bessel_i0(double x);
double bessel_i0e(double x);
double bessel_i1(double x);
double bessel_i1e(double x);

}  // namespace nns::ops
