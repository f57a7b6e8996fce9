#include "core/optim/lbfgs_line_search.h"

#include <algorithm>
#include <cmath>

namespace nns::optim {
namespace {

constexpr double kDecrease = 1e-4;  // c1
constexpr double kCurvature = 0.9;  // c2
constexpr std::int64_t kMostEvaluations = 25;

// The minimum of the cubic through two points with their slopes, within the bounds.
// Behaviour: torch/optim/lbfgs.py, _cubic_interpolate.
double interpolate(const LinePoint& a, const LinePoint& b, double lowest, double highest) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.position - b.position);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (lowest + highest) / 2;
  const double d2 = std::sqrt(square);
  const double found =
      a.position <= b.position
          ? b.position - (b.position - a.position) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
          : a.position - (a.position - b.position) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
  return std::min(std::max(found, lowest), highest);
}

}  // namespace

PyResult<LineSearchResult> strong_wolfe(const EvaluateOnLine& evaluate, const LinePoint& start, double position,
                                        double reach, double tolerance_change) {
  NNS_TRY_ASSIGN(LinePoint now, evaluate(position));
  std::int64_t evaluations = 1;
  const auto decreases_too_little = [&start](const LinePoint& point) {
    return point.loss > start.loss + kDecrease * point.position * start.slope;
  };
  const auto is_flat_enough = [&start](const LinePoint& point) {
    return std::abs(point.slope) <= -kCurvature * start.slope;
  };
  // 1. Go on until a bracket holds a good point.
  LinePoint before = start;
  before.position = 0;
  LinePoint low, high;
  bool is_done = false, has_bracket = false;
  std::int64_t iteration = 0;
  for (; iteration < kMostEvaluations; ++iteration) {
    if (decreases_too_little(now) || (iteration > 1 && now.loss >= before.loss) || now.slope >= 0) {
      if (is_flat_enough(now) && !decreases_too_little(now) && !(iteration > 1 && now.loss >= before.loss)) {
        is_done = true;
      }
      low = before;
      high = now;
      has_bracket = true;
      break;
    }
    if (is_flat_enough(now)) {
      is_done = true;
      break;
    }
    const double next =
        interpolate(before, now, now.position + 0.01 * (now.position - before.position), now.position * 10);
    before = now;
    NNS_TRY_ASSIGN(now, evaluate(next));
    ++evaluations;
  }
  if (is_done) return LineSearchResult{now, evaluations};
  if (!has_bracket) {
    low = start;
    low.position = 0;
    high = now;
  }
  // 2. Make the bracket smaller. `low` holds the smaller loss.
  if (!(low.loss <= high.loss)) std::swap(low, high);
  bool was_slow = false;
  while (iteration < kMostEvaluations) {
    if (std::abs(high.position - low.position) * reach < tolerance_change) break;
    const double left = std::min(low.position, high.position), right = std::max(low.position, high.position);
    double next = interpolate(low, high, left, right);
    // A point near an end, for the second time or at the end itself, moves a tenth of the bracket inwards.
    const double margin = 0.1 * (right - left);
    if (std::min(right - next, next - left) < margin) {
      if (was_slow || next >= right || next <= left) {
        next = std::abs(next - right) < std::abs(next - left) ? right - margin : left + margin;
        was_slow = false;
      } else {
        was_slow = true;
      }
    } else {
      was_slow = false;
    }
    NNS_TRY_ASSIGN(now, evaluate(next));
    ++evaluations;
    ++iteration;
    if (decreases_too_little(now) || now.loss >= low.loss) {
      high = now;
      if (!(low.loss <= high.loss)) std::swap(low, high);
      continue;
    }
    const bool is_good = is_flat_enough(now);
    if (!is_good && now.slope * (high.position - low.position) >= 0) high = low;
    low = now;
    if (is_good) break;
  }
  return LineSearchResult{low, evaluations};
}

}  // namespace nns::optim
