#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/checkpoint/moments.h"
#include "core/checkpoint/statistics.h"

namespace nns::checkpoint {

/// Counts the values that lie further than kOutlier standard deviations from the mean, although both are known only
/// after all values: keeps what lies far out by what is known so far, which holds all of them unless the values spread
/// much less in the end than they did at first. Then it says so, and they are counted in another walk.
template <class T>
class Outliers {
 public:
  /// Takes finite values that `moments` has taken just before.
  void add(const T* values, std::size_t count, const Moments<T>& moments) {
    if (count == 0 || !has_far(moments)) return;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<double>(values[i]);
      if (value < near_low_ || value > near_high_) far_.push_back(values[i]);
    }
    if (far_.size() > kMost) {
      is_lost_ = true;
      far_ = {};
    }
  }
  /// Whether add() would keep some of the block that `moments` has taken just before; if not, the block is done.
  bool has_far(const Moments<T>& moments) {
    if (is_lost_) return false;
    const double mean = moments.mean();
    const double reach = kNear * moments.deviation();
    near_low_ = mean - reach;
    near_high_ = mean + reach;
    low_ = std::min(low_, near_low_);
    high_ = std::max(high_, near_high_);
    return static_cast<double>(moments.block_low()) < near_low_ ||
           static_cast<double>(moments.block_high()) > near_high_;
  }

  /// How many they are, if what was kept holds all of them. Must hold: moments.count() is not 0.
  std::optional<std::uint64_t> count(const Moments<T>& moments) const {
    const double mean = moments.mean();
    const double reach = kOutlier * moments.deviation();
    const auto is_near = [&](double value) { return std::fabs(value - mean) <= reach; };
    if (moments.low() == moments.high()) return 0;
    if (is_near(static_cast<double>(moments.low())) && is_near(static_cast<double>(moments.high()))) return 0;
    if (is_lost_ || low_ < mean - reach || high_ > mean + reach) return std::nullopt;
    std::uint64_t found = 0;
    for (const T value : far_) found += is_near(static_cast<double>(value)) ? 0U : 1U;
    return found;
  }

 private:
  static constexpr double kNear = 5;
  static constexpr std::size_t kMost = std::size_t{1} << 18U;
  std::vector<T> far_;
  double near_low_ = 0;  // of the block that was looked at last
  double near_high_ = 0;
  double low_ = std::numeric_limits<double>::infinity();  // what was left out lies between these
  double high_ = -std::numeric_limits<double>::infinity();
  bool is_lost_ = false;
};

}  // namespace nns::checkpoint
