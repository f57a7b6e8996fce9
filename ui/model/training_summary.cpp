#include "ui/model/training_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::TrainingView;
using live::wire::TrainingSubject;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, kModuleStatistics> kQuantityNames = {
    "Gradient norm", "Update / weight", "Activation mean", "Activation std", "Activation zeros",
    "Weight norm",   "Forward time",    "Backward time",   "NaN and Inf"};
constexpr std::array<std::string_view, live::TrainingSteps::kPhases> kPhaseNames = {"Data",      "Forward", "Backward",
                                                                                    "Optimizer", "Other",   "Watching"};

/// The norm of a subject over the tensors of a module alone.
double norm_of(const TrainingView& training, std::uint32_t module, TrainingSubject subject) {
  const auto& of = *training.modules()->tensor_module();
  double sum = 0;
  bool is_known = false;
  for (std::uint32_t tensor = 0; tensor < of.size(); ++tensor) {
    if (of.Get(tensor) != module) continue;
    const auto* moments = training.moments(subject, tensor);
    if (moments == nullptr) continue;
    is_known = true;
    sum += moments->second.norm() * moments->second.norm();
  }
  return is_known ? std::sqrt(sum) : kNoValue;
}

double not_finite(const TrainingView& training, std::uint32_t module) {
  double found = 0;
  bool is_known = false;
  const auto add = [&](TrainingSubject subject, std::uint32_t number) {
    const auto* moments = training.moments(subject, number);
    if (moments == nullptr) return;
    is_known = true;
    found += static_cast<double>(moments->second.nan() + moments->second.infinite());
  };
  add(TrainingSubject::Activations, module);
  add(TrainingSubject::OutputGradients, module);
  const auto& of = *training.modules()->tensor_module();
  for (std::uint32_t tensor = 0; tensor < of.size(); ++tensor) {
    if (of.Get(tensor) != module) continue;
    add(TrainingSubject::Parameters, tensor);
    add(TrainingSubject::Gradients, tensor);
  }
  return is_known ? found : kNoValue;
}

double value_of(const TrainingView& training, std::uint32_t module, ModuleStatistic statistic) {
  constexpr double kNsPerMs = 1e6;
  const auto* activations = training.moments(TrainingSubject::Activations, module);
  const auto* times = training.times(module);
  switch (statistic) {
    case ModuleStatistic::GradientNorm: {
      const double norm = norm_of(training, module, TrainingSubject::Gradients);
      if (!std::isnan(norm)) return norm;
      const auto* gradients = training.moments(TrainingSubject::OutputGradients, module);
      return gradients == nullptr ? kNoValue : gradients->second.norm();
    }
    case ModuleStatistic::UpdateRatio:
      return norm_of(training, module, TrainingSubject::Updates) /
             norm_of(training, module, TrainingSubject::Parameters);
    case ModuleStatistic::ActivationMean:
      return activations == nullptr ? kNoValue : activations->second.mean();
    case ModuleStatistic::ActivationStd:
      return activations == nullptr ? kNoValue : activations->second.std();
    case ModuleStatistic::ActivationZeros:
      return activations == nullptr || activations->second.zeros() == UINT64_MAX || activations->second.count() == 0
                 ? kNoValue
                 : static_cast<double>(activations->second.zeros()) / static_cast<double>(activations->second.count());
    case ModuleStatistic::WeightNorm:
      return norm_of(training, module, TrainingSubject::Parameters);
    case ModuleStatistic::ForwardTime:
      return times == nullptr ? kNoValue : static_cast<double>(times->second.forward_ns()) / kNsPerMs;
    case ModuleStatistic::BackwardTime:
      return times == nullptr ? kNoValue : static_cast<double>(times->second.backward_ns()) / kNsPerMs;
    case ModuleStatistic::NotFinite:
      return not_finite(training, module);
  }
  return kNoValue;
}

std::string text_of_value(double value, ModuleStatistic statistic) {
  if (std::isnan(value)) return {};
  switch (statistic) {
    case ModuleStatistic::ForwardTime:
    case ModuleStatistic::BackwardTime:
      return fmt::format("{:.3g} ms", value);
    case ModuleStatistic::ActivationZeros:
      return fmt::format("{:.1f}%", value * 100);
    case ModuleStatistic::NotFinite:
      return value > 0 ? thousands(static_cast<std::uint64_t>(value)) : "none";
    default:
      return fmt::format("{:.3g}", value);
  }
}

}  // namespace

std::string_view statistic_name(ModuleStatistic statistic) {
  return kQuantityNames[static_cast<std::size_t>(statistic)];
}

std::vector<ModuleRow> module_rows(const TrainingView& training, ModuleStatistic statistic) {
  std::vector<ModuleRow> rows;
  const live::wire::TrainingModules* modules = training.modules();
  if (modules == nullptr) return rows;
  const auto count = modules->parent()->size();
  rows.reserve(count);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::uint32_t i = 0; i < count; ++i) {
    ModuleRow row;
    row.module = i;
    const std::uint32_t parent = modules->parent()->Get(i);
    row.depth = parent == UINT32_MAX ? 0 : rows[parent].depth + 1;
    const std::string_view path = live::text_of(modules->path()->Get(i));
    row.name = path.substr(path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
    row.class_name = live::text_of(modules->class_name()->Get(i));
    if (row.name.empty()) row.name = "(model)";
    row.value = value_of(training, i, statistic);
    row.text = text_of_value(row.value, statistic);
    const double bad = not_finite(training, i);
    row.is_bad = bad > 0;
    if (std::isfinite(row.value)) {
      low = std::min(low, std::fabs(row.value));
      high = std::max(high, std::fabs(row.value));
    }
    rows.push_back(std::move(row));
  }
  // Gradients that vanish differ by powers of ten; what is nearly the same must not look as if it differed.
  constexpr double kWide = 20;
  const double floor = std::max(low, high * 1e-9);
  const bool is_log = high > 0 && floor > 0 && high / floor > kWide;
  for (ModuleRow& row : rows) {
    if (!std::isfinite(row.value)) continue;
    const double size = std::fabs(row.value);
    double at = high > 0 ? size / high : 0;
    if (is_log) at = size <= floor ? 0 : std::log(size / floor) / std::log(high / floor);
    row.shade = static_cast<float>(std::clamp(at, 0.0, 1.0));
  }
  return rows;
}

std::vector<std::uint32_t> tensors_of(const live::wire::TrainingModules& modules, std::uint32_t module) {
  const auto& owners = *modules.tensor_module();
  std::vector<std::uint32_t> own, below;
  for (std::uint32_t tensor = 0; tensor < owners.size(); ++tensor) {
    std::uint32_t at = owners.Get(tensor);
    if (at == module) own.push_back(tensor);
    while (at != module && at < modules.parent()->size()) at = modules.parent()->Get(at);
    if (at == module) below.push_back(tensor);
  }
  return own.empty() ? below : own;
}

std::string touch_text(const live::wire::Touch& touch) {
  using live::wire::TouchKind;
  std::string_view what;
  switch (touch.kind()) {
    case TouchKind::Gradient:
      what = "Gradient";
      break;
    case TouchKind::Hook:
      return "A hook ran";
    case TouchKind::Write:
      what = "Written";
      break;
    case TouchKind::Cleared:
      return "Gradient cleared";
    case TouchKind::Loaded:
      return "Loaded from a state_dict";
  }
  if (std::isnan(touch.norm())) return std::string(what);
  return fmt::format("{}{}, norm {:.4g}, largest {:.4g}", what, touch.kind() == TouchKind::Write ? ": change" : "",
                     touch.norm(), touch.absmax());
}

std::string_view state_text(live::wire::TrainingState state) {
  using live::wire::TrainingState;
  switch (state) {
    case TrainingState::Starting:
      return "Starting";
    case TrainingState::Running:
      return "Running";
    case TrainingState::Paused:
      return "Paused";
    case TrainingState::Finished:
      return "Finished";
    case TrainingState::Failed:
      return "Failed";
    case TrainingState::Stopped:
      return "Stopped";
  }
  return "";
}

std::string progress_text(const live::wire::Training& training) {
  std::string text = "step " + thousands(training.steps());
  if (training.total_steps() > 0) text += " of " + thousands(training.total_steps());
  if (training.epoch() > 0) {
    text += fmt::format(", epoch {:.1f}", training.epoch());
    if (training.total_epochs() > 0) text += " of " + thousands(training.total_epochs());
  }
  return text;
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "";
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{:.1f} s", seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::vector<PhaseShare> phase_shares(const live::TrainingSteps& steps, std::size_t last) {
  std::vector<PhaseShare> shares;
  const std::size_t count = std::min(last, steps.size());
  if (count == 0) return shares;
  double total = 0;
  for (std::size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    double sum = 0;
    for (std::size_t i = steps.size() - count; i < steps.size(); ++i)
      sum += static_cast<double>(steps.phase_ms[phase][i]);
    shares.push_back({kPhaseNames[phase], sum / static_cast<double>(count), 0});
    total += shares.back().ms;
  }
  for (PhaseShare& share : shares) share.share = total > 0 ? share.ms / total : 0;
  return shares;
}

}  // namespace nns::model
