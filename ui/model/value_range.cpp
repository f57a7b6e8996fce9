#include "ui/model/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nns::model {

namespace {

double quantile(const live::wire::TensorStatistics& numbers, double at, double otherwise) {
  for (std::uint32_t index = 0; index < numbers.quantile_at()->size() && index < numbers.quantiles()->size(); ++index) {
    if (std::abs(numbers.quantile_at()->Get(index) - at) < 1e-9) return numbers.quantiles()->Get(index);
  }
  return otherwise;
}

}  // namespace

ValueRange value_extent(const live::wire::TensorStatistics* numbers, const live::wire::HeatTile* tile) {
  if (numbers != nullptr && std::isfinite(numbers->min()) && std::isfinite(numbers->max()))
    return {numbers->min(), numbers->max()};
  ValueRange range{INFINITY, -INFINITY};
  if (tile != nullptr) {
    for (const float value : *tile->low()) {
      if (std::isfinite(value)) range.low = std::min(range.low, static_cast<double>(value));
    }
    for (const float value : *tile->high()) {
      if (std::isfinite(value)) range.high = std::max(range.high, static_cast<double>(value));
    }
  }
  if (range.low > range.high) return {0, 1};
  return range;
}

ValueRange colour_range(RangeMode mode, const ValueRange& extent, const live::wire::TensorStatistics* numbers,
                        const TypedRange& typed) {
  ValueRange range = extent;
  if (mode == RangeMode::Typed) {
    range = {typed.low.value_or(range.low), typed.high.value_or(range.high)};
    if (range.low > range.high) std::swap(range.low, range.high);
  }
  if (mode == RangeMode::Percentile && numbers != nullptr)
    range = {quantile(*numbers, 0.01, range.low), quantile(*numbers, 0.99, range.high)};
  if (mode == RangeMode::Symmetric) {
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    range = {-most, most};
  }
  if (range.low == range.high) {
    const double margin = range.low == 0 ? 1 : std::abs(range.low) * 0.5;
    range = {range.low - margin, range.high + margin};
  }
  // Pictures count in float32.
  constexpr double kMost = std::numeric_limits<float>::max();
  return {std::clamp(range.low, -kMost, kMost), std::clamp(range.high, -kMost, kMost)};
}

bool is_around_zero(const ValueRange& range) { return range.low < 0 && range.high > 0 && range.low == -range.high; }

}  // namespace nns::model
