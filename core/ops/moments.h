#pragma once

#include <cstdint>
#include <limits>

#include "core/tensor/tensor.h"

namespace nns::ops {

/// What one walk over numbers adds up; runs of them are joined. Sums, extremes and zeros are of the finite ones.
struct Moments {
  std::uint64_t count = 0;  ///< of all numbers
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zeros = 0;
  double sum = 0;
  double square = 0;  ///< sum of the squares
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  std::uint64_t finite() const { return count - nan - infinite; }
  /// These are NaN where no number is finite. The deviation is the population's; where it is less than a thousandth of
  /// the mean it is one of rounding.
  double mean() const;
  double deviation() const;
  double absmax() const;
  double norm() const;
  void join(const Moments& more);
};

/// Adds `count` floats that lie one behind the other.
/// Cost: one pass at the processor's vector width; floats that are not finite make their kilobyte be read again.
void add_moments(Moments& moments, const float* values, std::int64_t count);
/// Adds `rows` rows of `columns` floats that begin `stride` floats apart.
void add_moments_of_rows(Moments& moments, const float* first, std::int64_t rows, std::int64_t columns,
                         std::int64_t stride);
/// The moments of a[i] - b[i].
void add_moments_of_difference(Moments& moments, const float* a, const float* b, std::int64_t count);

/// The moments of a tensor's items; of complex ones, of their real and imaginary parts. Work is shared between threads.
/// Must hold: not meta.
/// Errors: AcceleratorError  the device failed.
tensor::PyResult<Moments> moments_of(const tensor::Tensor& tensor);

/// Whether none of `count` floats that lie one behind the other is NaN or infinite.
bool are_all_finite(const float* values, std::int64_t count);

/// Whether no item is NaN or infinite. Cost: one pass over the memory, at its speed. Must hold: not meta.
/// Errors: AcceleratorError  the device failed.
tensor::PyResult<bool> is_all_finite(const tensor::Tensor& tensor);

/// How often the values fall into each of equally wide bins from low to high.
struct SampledHistogram {
  double low = 0;
  double high = 0;
  std::uint64_t sampled = 0;  ///< values that were looked at
  std::vector<std::uint32_t> counts;
};
/// Looks at about `most` of the tensor's finite values, evenly spread: runs of 64 of them. Bins reach over the extremes
/// of these; which of two bins a value at their edge falls into is a matter of rounding.
/// Errors: AcceleratorError  the device failed. Must hold: not meta, bins > 0.
tensor::PyResult<SampledHistogram> histogram_of(const tensor::Tensor& tensor, std::size_t bins, std::uint64_t most);

}  // namespace nns::ops
