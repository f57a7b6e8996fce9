#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

inline constexpr double kOutlier = 6;

/// Numbers about the values of one tensor. NaN and infinite values are counted and left out of the rest, except `sum`,
/// which is what torch.sum in float64 gives.
struct TensorStatistics {
  std::uint64_t count = 0;
  std::uint64_t nan = 0;
  std::uint64_t pos_inf = 0;
  std::uint64_t neg_inf = 0;
  std::uint64_t zeros = 0;
  double sum = 0;  ///< exact for integers up to 2^63 (see sum_integer)
  std::int64_t sum_integer = 0;
  bool is_integer = false;
  double sum_imaginary = 0;  ///< of complex tensors, whose `sum` is that of the real parts; all else is of magnitudes
  double min = 0;            ///< of the finite values; NaN if there is none
  double max = 0;
  double mean = 0;
  double std = 0;  ///< population (divides by n)
  double absmax = 0;
  std::uint64_t first_nan = UINT64_MAX;  ///< row-major index of the first NaN
  std::uint64_t first_inf = UINT64_MAX;

  /// Indices of the first axis and of the second, and how many of them are wholly zero ("dead"); 0 where there are
  /// fewer than two axes, or more columns than DeadLines counts.
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t dead_rows = 0;
  std::uint64_t dead_columns = 0;
  std::uint64_t outliers = 0;  ///< finite values more than kOutlier x std away from the mean

  double histogram_low = 0;
  double histogram_high = 0;
  std::vector<std::uint64_t> histogram;  ///< equal bins between low and high
  std::vector<double> quantile_at;       ///< 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99; empty without a finite value
  std::vector<double> quantiles;         ///< between two values linearly, as torch.quantile
  double quantile_error = 0;             ///< 0: exact, whatever the size; larger: at most this far off
};

/// A resumable computation over all values of one tensor, in two passes over the bytes: moments, then histogram and
/// quantiles; float64 and wide integers take up to five. Reads at most 1 MiB at a time, in the order of the storage,
/// and keeps at most 8 MiB.
class StatisticsTask {
 public:
  /// Without a histogram there are no quantiles either, and one pass is enough.
  explicit StatisticsTask(ElementSource source, bool with_histogram = true);
  ~StatisticsTask();
  /// True when done. Errors: the tensor does not lie inside its storage; reading failed. It stays failed.
  base::Result<bool> step(const base::Budget& budget);
  /// Units: elements over all passes; the total of integers may grow after the first.
  std::uint64_t done() const;
  std::uint64_t total() const;
  /// Must hold: step() returned true.
  const TensorStatistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::checkpoint
