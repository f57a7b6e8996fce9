#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/live/training_view.h"
#include "ui/model/training_curves.h"

namespace nns::model {

/// What a chart shows, and how.
struct ChartChoice {
  /// Metrics: what the program or an evaluation told by a name that is none of a loss (accuracy, perplexity).
  enum class Quantity : std::uint8_t { Loss, LearningRate, Throughput, GradientNorm, StepTime, Metrics };
  Quantity quantity = Quantity::Loss;
  bool is_over_time = false;  ///< x is seconds, not steps
  bool log_x = false;
  bool log_y = false;
  double smoothing = 0.6;         ///< of smooth_curve(); learning rates are never smoothed
  std::optional<AxisRange> zoom;  ///< what is seen of x; nothing: all of it
};
inline constexpr std::size_t kQuantities = 6;

/// One curve, reduced to the pixels, 0 to 1 over both axes are `x` and the range `y` of the chart.
struct ChartLine {
  std::string name;
  std::uint32_t training = 0;  ///< the document
  std::size_t colour = 0;      ///< a number of a category
  bool is_faint = false;
  std::vector<CurveColumn> columns;
};

/// The curves of a quantity of one or more trainings, and the evaluations that go with it. What does not change is not
/// computed again.
class TrainingChart {
 public:
  /// Cost: the points that are seen, if something has changed.
  void update(std::span<const live::TrainingView* const> trainings, const ChartChoice& choice, std::size_t columns);

  const std::vector<ChartLine>& lines() const { return lines_; }
  AxisRange x() const { return x_; }
  AxisRange y() const { return y_; }
  /// All of x, whatever is seen of it.
  AxisRange whole() const { return whole_; }
  bool is_empty() const { return lines_.empty(); }
  /// Each line's value at `at` (0 to 1 over x): first where that is, then "name value".
  std::vector<std::string> readout(double at) const;
  /// What is shown in words, with the newest values.
  std::string description() const;

 private:
  struct Curve {
    std::string name;
    std::uint32_t training = 0;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> smoothed;
    bool is_points = false;  // few of them: never smoothed
  };
  void collect_groups(const live::TrainingView& training, const ChartChoice& choice);
  void collect(std::span<const live::TrainingView* const> trainings, const ChartChoice& choice);

  std::vector<Curve> curves_;
  std::vector<ChartLine> lines_;
  AxisRange x_;
  AxisRange y_;
  AxisRange whole_;
  ChartChoice choice_;
  std::map<std::uint32_t, std::uint64_t> versions_;
  ChartChoice collected_;
  std::size_t columns_ = 0;
  bool is_fresh_ = false;
};

/// "Loss", "Learning rate".
std::string_view quantity_name(ChartChoice::Quantity quantity);

}  // namespace nns::model
