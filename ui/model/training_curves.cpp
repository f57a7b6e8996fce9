#include "ui/model/training_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/model/format.h"

namespace nns::model {

namespace {

double on_curve_axis(double value, bool log) { return log ? std::log10(value) : value; }
bool is_shown(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

std::string tick_text(double value, double step) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3g}", value);
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  if (digits == 0 && size >= 1000) return signed_thousands(static_cast<std::int64_t>(std::round(value)));
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

std::vector<CurveColumn> reduce_curve(std::span<const double> x, std::span<const double> y, AxisRange range,
                                      std::size_t columns, bool log_x, bool log_y) {
  std::vector<CurveColumn> reduced;
  const std::size_t count = std::min(x.size(), y.size());
  if (count == 0 || columns == 0 || !(range.high > range.low)) return reduced;
  const double low = log_x ? std::pow(10.0, range.low) : range.low;
  const double high = log_x ? std::pow(10.0, range.high) : range.high;
  const auto ends = x.first(count);
  auto first = static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), low) - ends.begin());
  auto last = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), high) - ends.begin());
  // The lines to the next points outside are seen, too.
  first -= first > 0 ? 1 : 0;
  last += last < count ? 1 : 0;
  reduced.reserve(std::min(columns + 2, last - first));
  const double scale = 1 / (range.high - range.low);
  const auto width = static_cast<double>(columns);
  double next = -std::numeric_limits<double>::infinity();  // where the next column begins, 0 to `columns`
  for (std::size_t i = first; i < last; ++i) {
    if (!is_shown(y[i], log_y) || !is_shown(x[i], log_x)) continue;
    const double at = (on_curve_axis(x[i], log_x) - range.low) * scale * width;
    const double value = log_y ? std::log10(y[i]) : y[i];
    if (at >= next || reduced.empty()) {
      reduced.push_back({static_cast<float>(at / width), value, value, value});
      next = std::floor(at) + 1;
    } else {
      CurveColumn& column = reduced.back();
      column.low = std::min(column.low, value);
      column.high = std::max(column.high, value);
      column.last = value;
    }
  }
  return reduced;
}

std::vector<double> smooth_curve(std::span<const double> y, double amount) {
  std::vector<double> smoothed(y.begin(), y.end());
  if (amount <= 0) return smoothed;
  double mean = 0;
  double weight = 0;
  for (double& value : smoothed) {
    if (!std::isfinite(value)) continue;
    mean = amount * mean + (1 - amount) * value;
    weight = amount * weight + (1 - amount);
    value = mean / weight;
  }
  return smoothed;
}

AxisRange fitting_range(std::span<const std::vector<CurveColumn>> curves, bool log) {
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto& curve : curves) {
    for (const CurveColumn& column : curve) {
      range.low = std::min(range.low, column.low);
      range.high = std::max(range.high, column.high);
    }
  }
  if (!(range.high >= range.low)) return log ? AxisRange{-3, 0} : AxisRange{0, 1};
  double room = (range.high - range.low) * 0.06;
  if (room <= 0) room = log ? 0.1 : std::max(std::fabs(range.low) * 0.1, 1e-9);
  return {range.low - room, range.high + room};
}

std::vector<AxisTick> axis_ticks(AxisRange range, std::size_t most, bool log) {
  std::vector<AxisTick> ticks;
  const double width = range.high - range.low;
  if (!(width > 0) || !std::isfinite(width) || most == 0) return ticks;
  double step = std::pow(10.0, std::floor(std::log10(width / static_cast<double>(most))));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (width / (step * factor) <= static_cast<double>(most)) {
      step *= factor;
      break;
    }
  }
  if (log && width >= 1) step = std::max(step, 1.0);
  for (double i = std::ceil(range.low / step); i * step <= range.high && ticks.size() <= 2 * most; ++i) {
    const double at = i * step;
    ticks.push_back({at, log ? fmt::format("{:.3g}", std::pow(10.0, at)) : tick_text(at, step)});
  }
  return ticks;
}

std::size_t nearest_point(std::span<const double> x, double at) {
  if (x.empty()) return SIZE_MAX;
  const auto after = std::lower_bound(x.begin(), x.end(), at);
  if (after == x.end()) return x.size() - 1;
  const auto index = static_cast<std::size_t>(after - x.begin());
  if (index == 0) return 0;
  return at - x[index - 1] <= x[index] - at ? index - 1 : index;
}

}  // namespace nns::model
