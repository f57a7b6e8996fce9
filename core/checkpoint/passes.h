#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/checkpoint/item_walk.h"
#include "core/checkpoint/statistics.h"

namespace nns::checkpoint {

inline constexpr std::array kQuantiles = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/// The passes over one tensor that end in its statistics.
class Passes {
 public:
  virtual ~Passes() = default;
  /// `items` items from the walk, which stands behind them.
  virtual void add(const std::byte* raw, std::size_t items, const ItemWalk& walk) = 0;
  /// True if another pass is needed.
  virtual bool end_pass(const ItemWalk& walk) = 0;
  /// As far as is known.
  virtual unsigned passes() const = 0;
  TensorStatistics result;
};

/// Which bin of a histogram a value belongs to.
class Bins {
 public:
  static constexpr std::size_t kCount = 128;
  Bins() = default;
  /// Equal bins between two finite values; for integers in a small range one bin each.
  Bins(double low, double high, bool is_integer);

  std::size_t size() const { return size_; }
  double low() const { return low_; }
  double high() const { return high_; }
  std::size_t of(double value) const {
    const double at = (value * half_ - half_low_) * scale_;
    const auto bin = static_cast<std::int32_t>(at);
    return static_cast<std::size_t>(bin < 0 ? 0 : bin > last_ ? last_ : bin);
  }
  /// The same of `count` values at once, in loops that become vector code.
  void of(const float* values, std::size_t count, std::int32_t* bins) const;
  template <class T>
  void of(const T* values, std::size_t count, std::int32_t* bins) const {
    for (std::size_t i = 0; i < count; ++i) bins[i] = static_cast<std::int32_t>(of(static_cast<double>(values[i])));
  }

 private:
  std::size_t size_ = 1;
  double low_ = 0;
  double high_ = 0;
  double half_ = 1;
  double half_low_ = 0;
  double scale_ = 0;
  std::int32_t last_ = 0;
};

/// Where a quantile lies among `count` values in order, each standing for `repeats` equal ones.
struct QuantilePlace {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  double fraction = 0;
};
QuantilePlace quantile_place(double at, std::uint64_t count, std::uint64_t repeats);
/// Between two neighbours.
inline double between(double below, double above, double fraction) {
  return below == above ? below : below * (1 - fraction) + above * fraction;
}

/// The sum as torch.sum gives it where there are values that are not finite, else `finite`.
double sum_with(const TensorStatistics& counted, double finite);

}  // namespace nns::checkpoint
