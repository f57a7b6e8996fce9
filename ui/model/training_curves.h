#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nns::model {

/// The part of an axis that is seen. Units: the values', or their decimal logarithms where the axis is logarithmic.
struct AxisRange {
  double low = 0;
  double high = 1;
  friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

/// What of a curve falls into one column of pixels.
struct CurveColumn {
  float x = 0;  ///< 0 to 1 over the axis
  double low = 0;
  double high = 0;
  double last = 0;  ///< of the column's points, in order: where the line goes on from
};

/// Reduces a curve to at most `columns` columns of what lies in `range` (and the next point on either side), so that
/// drawing costs the pixels, not the points; every peak stays. Points that are no finite number, and on a logarithmic
/// axis those that are not above 0, are gaps. `x` ascends.
/// Cost: the points in the range, and a search for its ends.
std::vector<CurveColumn> reduce_curve(std::span<const double> x, std::span<const double> y, AxisRange range,
                                      std::size_t columns, bool log_x, bool log_y);

/// An exponential moving average with the weight of its beginning taken out. `amount`: 0 as it is, to 0.999; of gaps
/// nothing is kept. Behaviour: the debiased average of Adam's paper, section 3.
std::vector<double> smooth_curve(std::span<const double> y, double amount);

/// The range that shows all of `curves`, with a little room above and below; `log`: of the logarithms.
AxisRange fitting_range(std::span<const std::vector<CurveColumn>> curves, bool log);

struct AxisTick {
  double at = 0;  ///< as AxisRange has it
  std::string text;
};
/// At most about `most` ticks at 1, 2 or 5 times a power of ten; on a logarithmic axis at whole powers where those are
/// enough.
std::vector<AxisTick> axis_ticks(AxisRange range, std::size_t most, bool log);

/// The point whose x is nearest to `at`; SIZE_MAX: there is none.
std::size_t nearest_point(std::span<const double> x, double at);

}  // namespace nns::model
