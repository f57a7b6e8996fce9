#pragma once

#include <complex>
#include <cstdint>
#include <memory>

namespace nns::ops {

/// Discrete Fourier transforms of one length, unscaled: out[k] = sum of in[j] e^(-2 pi i j k / n), or with +2 pi i.
/// Cost: n log n for every n.
class FourierPlan {
 public:
  /// Must hold: length >= 1.
  explicit FourierPlan(std::int64_t length);
  ~FourierPlan();
  FourierPlan(const FourierPlan&) = delete;
  FourierPlan& operator=(const FourierPlan&) = delete;

  /// `out` is not `in`; both have `length` items.
  void transform(const std::complex<double>* in, std::complex<double>* out, bool forward);
  /// Of real numbers, the first length / 2 + 1 items.
  void transform_real(const double* in, std::complex<double>* out);
  /// The real numbers whose transform begins with these length / 2 + 1 items.
  void inverse_real(const std::complex<double>* in, double* out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace nns::ops
