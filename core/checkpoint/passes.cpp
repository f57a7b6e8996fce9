#include "core/checkpoint/passes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nns::checkpoint {

Bins::Bins(double low, double high, bool is_integer) : size_(low == high ? 1 : kCount), low_(low), high_(high) {
  if (is_integer && high - low < static_cast<double>(kCount)) {
    // One bin an integer, the integer in its middle.
    size_ = static_cast<std::size_t>(high - low) + 1;
    low_ -= 0.5;
    high_ += 0.5;
  }
  last_ = static_cast<std::int32_t>(size_) - 1;
  // The distance between two doubles may be larger than every double; that of their halves is not.
  half_ = std::isfinite(high_ - low_) ? 1.0 : 0.5;
  half_low_ = low_ * half_;
  const double width = high_ * half_ - half_low_;
  const double scale = static_cast<double>(size_) / width;
  scale_ = width > 0 && std::isfinite(scale) ? scale : 0;
}

void Bins::of(const float* values, std::size_t count, std::int32_t* bins) const {
  const auto low = static_cast<float>(low_);
  const auto scale = static_cast<float>(scale_);
  if (half_ != 1.0 || !std::isfinite(scale) || !std::isfinite(static_cast<float>(high_ - low_))) {
    return of<float>(values, count, bins);
  }
  const auto last = static_cast<float>(last_);
  for (std::size_t i = 0; i < count; ++i) {
    const float at = (values[i] - low) * scale;
    const float below_last = at < last ? at : last;
    bins[i] = static_cast<std::int32_t>(below_last > 0.0F ? below_last : 0.0F);
  }
}

QuantilePlace quantile_place(double at, std::uint64_t count, std::uint64_t repeats) {
  const std::uint64_t last = count * repeats - 1;
  const double place = at * static_cast<double>(last);
  const auto below = std::min(static_cast<std::uint64_t>(place), last);
  return {
      .below = below / repeats, .above = std::min(below + 1, last) / repeats, .fraction = place - std::floor(place)};
}

double sum_with(const TensorStatistics& counted, double finite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (counted.nan != 0 || (counted.pos_inf != 0 && counted.neg_inf != 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (counted.pos_inf != 0) return kInfinity;
  return counted.neg_inf != 0 ? -kInfinity : finite;
}

}  // namespace nns::checkpoint
