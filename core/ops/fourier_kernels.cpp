#include "core/ops/fourier_kernels.h"

#define EIGEN_MPL2_ONLY
#include <vector>

#include <unsupported/Eigen/FFT>

namespace nns::ops {
namespace {

using Complex = std::complex<double>;

// Its butterflies cost the length times each of its prime factors.
constexpr std::int64_t kLargestFactor = 61;
// Its way with real numbers is half the work, but rounds where short transforms of whole numbers are exact.
constexpr int kLongRealLength = 64;

std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t factor = 2; factor * factor <= n; ++factor) {
    for (; n % factor == 0; n /= factor) largest = factor;
  }
  return n > 1 ? n : largest;
}

// Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2 makes a transform of any length a convolution, which is done by
// transforms whose length is a power of two.
class ChirpTransform {
 public:
  explicit ChirpTransform(std::int64_t length) : length_(length) {
    while (padded_ < 2 * length) padded_ *= 2;
    const auto count = static_cast<std::size_t>(length), room = static_cast<std::size_t>(padded_);
    chirp_.resize(count);
    for (std::int64_t k = 0; k < length; ++k) {
      // k^2 modulo twice the length keeps the angle exact.
      const std::int64_t square = k * k % (2 * length);
      const double angle = -3.141592653589793 * static_cast<double>(square) / static_cast<double>(length);
      chirp_[static_cast<std::size_t>(k)] = {std::cos(angle), std::sin(angle)};
    }
    std::vector<Complex> filter(room);
    filter[0] = 1;
    for (std::size_t k = 1; k < count; ++k) filter[k] = filter[room - k] = std::conj(chirp_[k]);
    filter_.resize(room);
    fft_.fwd(filter_.data(), filter.data(), static_cast<int>(padded_));
  }

  void forward(const Complex* in, Complex* out) {
    const auto count = static_cast<std::size_t>(length_);
    std::vector<Complex> work(filter_.size()), turned(filter_.size());
    for (std::size_t k = 0; k < count; ++k) work[k] = in[k] * chirp_[k];
    fft_.fwd(turned.data(), work.data(), static_cast<int>(padded_));
    for (std::size_t k = 0; k < turned.size(); ++k) turned[k] *= filter_[k];
    fft_.inv(work.data(), turned.data(), static_cast<int>(padded_));
    for (std::size_t k = 0; k < count; ++k) out[k] = work[k] * chirp_[k];
  }

 private:
  std::int64_t length_, padded_ = 1;
  std::vector<Complex> chirp_, filter_;
  Eigen::FFT<double> fft_;
};

}  // namespace

struct FourierPlan::Parts {
  int length = 1;
  Eigen::internal::kissfft_impl<double> fft;
  std::unique_ptr<ChirpTransform> chirp;
  std::vector<Complex> before, behind;
};

FourierPlan::FourierPlan(std::int64_t length) : parts_(std::make_unique<Parts>()) {
  parts_->length = static_cast<int>(length);
  if (largest_prime_factor(length) > kLargestFactor) parts_->chirp = std::make_unique<ChirpTransform>(length);
}
FourierPlan::~FourierPlan() = default;

void FourierPlan::transform(const Complex* in, Complex* out, bool forward) {
  Parts& p = *parts_;
  if (p.length == 1) {
    *out = *in;
  } else if (!p.chirp) {
    if (forward)
      p.fft.fwd(out, in, p.length);
    else
      p.fft.inv(out, in, p.length);
  } else if (forward) {
    p.chirp->forward(in, out);
  } else {
    // The other direction is that of the conjugate, conjugated.
    const auto count = static_cast<std::size_t>(p.length);
    p.before.assign(in, in + count);
    for (Complex& item : p.before) item = std::conj(item);
    p.chirp->forward(p.before.data(), out);
    for (std::size_t k = 0; k < count; ++k) out[k] = std::conj(out[k]);
  }
}

void FourierPlan::transform_real(const double* in, Complex* out) {
  Parts& p = *parts_;
  if (!p.chirp && p.length > kLongRealLength) return p.fft.fwd(out, in, p.length);
  const auto count = static_cast<std::size_t>(p.length);
  const std::vector<Complex> whole(in, in + count);
  p.behind.resize(count);
  transform(whole.data(), p.behind.data(), true);
  std::copy_n(p.behind.begin(), count / 2 + 1, out);
}

void FourierPlan::inverse_real(const Complex* in, double* out) {
  Parts& p = *parts_;
  if (!p.chirp && p.length > kLongRealLength) return p.fft.inv(out, in, p.length);
  const auto count = static_cast<std::size_t>(p.length);
  // The other half mirrors the first.
  std::vector<Complex> whole(in, in + count / 2 + 1);
  whole.resize(count);
  for (std::size_t k = 1; k <= count / 2; ++k) whole[count - k] = std::conj(in[k]);
  whole[0] = in[0].real();
  p.behind.resize(count);
  transform(whole.data(), p.behind.data(), false);
  for (std::size_t k = 0; k < count; ++k) out[k] = p.behind[k].real();
}

}  // namespace nns::ops
