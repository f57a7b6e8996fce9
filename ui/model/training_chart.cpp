#include "ui/model/training_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/model/format.h"
#include "ui/model/training_summary.h"

namespace nns::model {

namespace {

using Quantity = ChartChoice::Quantity;
constexpr std::array<std::string_view, kQuantities> kNames = {"Loss",          "Learning rate", "Throughput",
                                                              "Gradient norm", "Step time",     "Metrics"};

double value_of(const live::TrainingSteps& steps, std::size_t i, Quantity quantity) {
  constexpr double kNoPoint = std::numeric_limits<double>::quiet_NaN();
  switch (quantity) {
    case Quantity::Loss:
      return steps.loss[i];
    case Quantity::LearningRate:
      return steps.learning_rate[i];
    case Quantity::Throughput: {
      const double took = i == 0 ? steps.seconds[0] : steps.seconds[i] - steps.seconds[i - 1];
      // Of steps that were left out the samples are not known: as many as this one's.
      const double made = i == 0 ? 1.0 : static_cast<double>(steps.step[i] - steps.step[i - 1]);
      const double samples = steps.samples[i] > 0 ? static_cast<double>(steps.samples[i]) : 1.0;
      return took > 0 ? made * samples / took : kNoPoint;
    }
    case Quantity::GradientNorm:
      return static_cast<double>(steps.gradient_norm[i]);
    case Quantity::StepTime: {
      double ms = 0;
      for (const auto& phase : steps.phase_ms) ms += static_cast<double>(phase[i]);
      return ms;
    }
    case Quantity::Metrics:
      break;
  }
  return kNoPoint;
}

std::string_view unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Throughput:
      return " samples/s";
    case Quantity::StepTime:
      return " ms";
    default:
      return "";
  }
}

double on_axis(double value, bool log) { return log ? std::log10(std::max(value, 1e-12)) : value; }

}  // namespace

std::string_view quantity_name(Quantity quantity) { return kNames[static_cast<std::size_t>(quantity)]; }

void TrainingChart::collect(std::span<const live::TrainingView* const> trainings, const ChartChoice& choice) {
  curves_.clear();
  std::map<std::string, int> names;
  for (const live::TrainingView* training : trainings) {
    const live::TrainingSteps& steps = training->steps();
    std::string name = training->state() != nullptr ? std::string(live::text_of(training->state()->title())) : "run";
    // Two runs of one recipe are told apart in the legend and the readout.
    if (const int before = names[name]++; before > 0) name += fmt::format(" ({})", before + 1);
    Curve curve{name, training->document(), {}, {}, {}, false};
    curve.x.reserve(steps.size());
    curve.y.reserve(steps.size());
    bool has_any = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      curve.x.push_back(choice.is_over_time ? steps.seconds[i] : static_cast<double>(steps.step[i] + 1));
      curve.y.push_back(value_of(steps, i, choice.quantity));
      has_any |= std::isfinite(curve.y.back());
    }
    if (has_any) {
      const bool smooths = choice.smoothing > 0 && choice.quantity != Quantity::LearningRate;
      if (smooths) curve.smoothed = smooth_curve(curve.y, choice.smoothing);
      curves_.push_back(std::move(curve));
    }
    if (choice.quantity == Quantity::LearningRate && has_any) collect_groups(*training, choice);
    if (choice.quantity != Quantity::Loss && choice.quantity != Quantity::Metrics) continue;
    // What an evaluation told of the loss goes with it.
    for (const live::TrainingSeries& series : training->series()) {
      const bool is_loss = series.name.find("loss") != std::string::npos;
      if (is_loss != (choice.quantity == Quantity::Loss) || series.step.empty()) continue;
      Curve points{trainings.size() > 1 ? name + " " + series.name : series.name,
                   training->document(),
                   {},
                   series.value,
                   {},
                   true};
      for (std::size_t i = 0; i < series.step.size(); ++i) {
        points.x.push_back(choice.is_over_time ? series.seconds[i] : static_cast<double>(series.step[i] + 1));
      }
      curves_.push_back(std::move(points));
    }
  }
}

// Of several groups of parameters each has a rate of its own.
void TrainingChart::collect_groups(const live::TrainingView& training, const ChartChoice& choice) {
  const live::TrainingSteps& steps = training.steps();
  const auto* const state = training.state();
  if (steps.more_rates.empty()) return;
  const Curve first = curves_.back();
  const auto name_of = [&](std::size_t rate) {
    const std::string group =
        state == nullptr ? fmt::format("group {}", rate) : group_text(*state, static_cast<std::uint32_t>(rate));
    return fmt::format("{} {}", first.name, group);
  };
  curves_.back().name = name_of(0);
  for (std::size_t group = 0; group < steps.more_rates.size(); ++group) {
    Curve curve{name_of(group + 1), first.training, {}, {}, {}, false};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      // It began later than the run, or ended before it.
      if (std::isnan(steps.more_rates[group][i])) continue;
      curve.x.push_back(choice.is_over_time ? steps.seconds[i] : static_cast<double>(steps.step[i] + 1));
      curve.y.push_back(steps.more_rates[group][i]);
    }
    if (!curve.x.empty()) curves_.push_back(std::move(curve));
  }
}

void TrainingChart::update(std::span<const live::TrainingView* const> trainings, const ChartChoice& choice,
                           std::size_t columns) {
  std::map<std::uint32_t, std::uint64_t> versions;
  for (const live::TrainingView* training : trainings) versions[training->document()] = training->version();
  const bool has_news = versions != versions_ || !is_fresh_ || choice.quantity != collected_.quantity ||
                        choice.is_over_time != collected_.is_over_time || choice.smoothing != collected_.smoothing;
  if (has_news) {
    collect(trainings, choice);
    versions_ = std::move(versions);
    collected_ = choice;
  }
  const bool is_same = is_fresh_ && !has_news && columns == columns_ && choice.zoom == choice_.zoom &&
                       choice.log_x == choice_.log_x && choice.log_y == choice_.log_y;
  is_fresh_ = true;
  if (is_same) return;
  columns_ = columns;
  choice_ = choice;
  lines_.clear();
  whole_ = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Curve& curve : curves_) {
    whole_.low = std::min(whole_.low, on_axis(curve.x.front(), choice.log_x));
    whole_.high = std::max(whole_.high, on_axis(curve.x.back(), choice.log_x));
  }
  if (!(whole_.high >= whole_.low)) whole_ = {0, 1};
  if (whole_.high <= whole_.low) whole_ = {whole_.low - 0.5, whole_.high + 0.5};
  x_ = choice.zoom.value_or(whole_);
  std::vector<std::vector<CurveColumn>> reduced;
  std::size_t colour = 0;
  std::uint32_t of = 0;
  for (const Curve& curve : curves_) {
    if (!reduced.empty()) ++colour;
    of = curve.training;
    const auto add = [&](const std::vector<double>& y, bool is_faint) {
      reduced.push_back(reduce_curve(curve.x, y, x_, columns, choice.log_x, choice.log_y));
      lines_.push_back({curve.name, of, colour, is_faint, reduced.back()});
    };
    if (!curve.smoothed.empty()) add(curve.y, true);
    add(curve.smoothed.empty() ? curve.y : curve.smoothed, false);
  }
  y_ = fitting_range(reduced, choice.log_y);
  if (choice.quantity == Quantity::Throughput && !choice.log_y) y_.low = std::min(0.0, y_.low);
  for (ChartLine& line : lines_) {
    for (CurveColumn& column : line.columns) {
      const auto share = [&](double value) { return (value - y_.low) / (y_.high - y_.low); };
      column.low = share(column.low);
      column.high = share(column.high);
      column.last = share(column.last);
    }
  }
}

std::vector<std::string> TrainingChart::readout(double at) const {
  double x = x_.low + at * (x_.high - x_.low);
  if (choice_.log_x) x = std::pow(10.0, x);
  const auto where = [&](double place) {
    return choice_.is_over_time ? duration_text(place) : "step " + thousands(static_cast<std::uint64_t>(place));
  };
  std::vector<std::size_t> points;
  std::optional<double> nearest;
  for (const Curve& curve : curves_) {
    const std::size_t point = nearest_point(curve.x, x);
    points.push_back(point);
    if (point == SIZE_MAX) continue;
    if (!nearest || std::abs(curve.x[point] - x) < std::abs(*nearest - x)) nearest = curve.x[point];
  }
  if (!nearest) return {};
  std::vector<std::string> lines = {where(*nearest)};
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const Curve& curve = curves_[i];
    const std::size_t point = points[i];
    if (point == SIZE_MAX) continue;
    std::string text = fmt::format("{:.5g}{}  {}", curve.y[point], unit_of(choice_.quantity), curve.name);
    if (!curve.smoothed.empty()) text += fmt::format("  (smoothed {:.5g})", curve.smoothed[point]);
    // A run that ended earlier, and evaluations, which are few, have their nearest point elsewhere.
    if (const std::string there = where(curve.x[point]); there != lines.front()) text += ", at " + there;
    lines.push_back(std::move(text));
  }
  return lines;
}

std::string TrainingChart::description() const {
  std::string text;
  for (const Curve& curve : curves_) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}: {} points, newest {:.5g}{}", curve.name, thousands(curve.y.size()), curve.y.back(),
                        unit_of(choice_.quantity));
  }
  return text;
}

}  // namespace nns::model
