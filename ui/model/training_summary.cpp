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

constexpr std::array<std::string_view, live::TrainingSteps::kPhases> kPhaseNames = {"Data",      "Forward", "Backward",
                                                                                    "Optimizer", "Other",   "Watching"};

/// What is known of all numbers of a subject: of a module's output, or of the tensors of a module alone.
struct Pooled {
  double count = 0, zeros = 0, bad = 0;
  double sum = 0, square = 0;
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  bool is_known = false, has_zeros = true, has_extremes = true;

  double finite() const { return count - bad; }
  void add(const live::wire::Moments& told) {
    is_known = true;
    count += static_cast<double>(told.count());
    bad += static_cast<double>(told.nan() + told.infinite());
    // What was left out for its cost is not known of the whole, either.
    has_zeros = has_zeros && told.zeros() != UINT64_MAX;
    zeros += static_cast<double>(told.zeros());
    if (told.count() == told.nan() + told.infinite()) return;
    has_extremes = has_extremes && !std::isnan(told.min()) && !std::isnan(told.max());
    sum += told.mean() * static_cast<double>(told.count() - told.nan() - told.infinite());
    square += told.norm() * told.norm();
    min = std::min(min, told.min());
    max = std::max(max, told.max());
  }
};

/// A module, and the tensors that are its own.
struct Watched {
  std::uint32_t module = 0;
  std::vector<std::uint32_t> tensors{};
};

std::vector<Watched> watched_modules(const live::wire::TrainingModules& modules) {
  std::vector<Watched> all(modules.parent()->size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].module = i;
  const auto& of = *modules.tensor_module();
  for (std::uint32_t tensor = 0; tensor < of.size(); ++tensor) {
    if (of.Get(tensor) < all.size()) all[of.Get(tensor)].tensors.push_back(tensor);
  }
  return all;
}

Pooled pooled(const TrainingView& training, const Watched& watched, TrainingSubject subject) {
  Pooled all;
  const auto add = [&](std::uint32_t of) {
    if (const auto* moments = training.moments(subject, of)) all.add(moments->second);
  };
  if (subject == TrainingSubject::Activations || subject == TrainingSubject::OutputGradients) {
    add(watched.module);
  } else {
    for (const std::uint32_t tensor : watched.tensors) add(tensor);
  }
  return all;
}

double measured(const Pooled& all, Measure measure) {
  if (!all.is_known) return kNoValue;
  if (measure == Measure::NotFinite) return all.bad;
  if (measure == Measure::Zeros) return all.has_zeros && all.count > 0 ? all.zeros / all.count : kNoValue;
  if (all.finite() <= 0) return kNoValue;
  const double mean = all.sum / all.finite();
  switch (measure) {
    case Measure::Norm:
      return std::sqrt(all.square);
    case Measure::Mean:
      return mean;
    case Measure::Std:
      return std::sqrt(std::max(0.0, all.square / all.finite() - mean * mean));
    case Measure::Min:
      return all.has_extremes ? all.min : kNoValue;
    case Measure::Max:
      return all.has_extremes ? all.max : kNoValue;
    default:
      return kNoValue;
  }
}

double not_finite(const TrainingView& training, const Watched& watched) {
  double found = 0;
  bool is_known = false;
  for (const TrainingSubject subject : {TrainingSubject::Activations, TrainingSubject::OutputGradients,
                                        TrainingSubject::Parameters, TrainingSubject::Gradients}) {
    const Pooled all = pooled(training, watched, subject);
    is_known = is_known || all.is_known;
    found += all.bad;
  }
  return is_known ? found : kNoValue;
}

double value_of_module(const TrainingView& training, const Watched& watched, Measure measure) {
  constexpr double kNsPerMs = 1e6;
  if (measure == Measure::NotFinite) return not_finite(training, watched);
  const auto* times = training.times(watched.module);
  if (times == nullptr) return kNoValue;
  switch (measure) {
    case Measure::ForwardTime:
      return static_cast<double>(times->second.forward_ns()) / kNsPerMs;
    case Measure::BackwardTime:
      return static_cast<double>(times->second.backward_ns()) / kNsPerMs;
    case Measure::OutputBytes:
      return static_cast<double>(times->second.bytes());
    default:
      return kNoValue;
  }
}

double value_of(const TrainingView& training, const Watched& watched, ModuleStatistic statistic) {
  if (statistic.of == StatisticOf::Module) return value_of_module(training, watched, statistic.measure);
  constexpr std::array<TrainingSubject, 5> kSubjects = {TrainingSubject::Gradients, TrainingSubject::Updates,
                                                        TrainingSubject::Parameters, TrainingSubject::Activations,
                                                        TrainingSubject::OutputGradients};
  const Pooled all = pooled(training, watched, kSubjects[static_cast<std::size_t>(statistic.of)]);
  if (statistic.measure != Measure::Ratio) return measured(all, statistic.measure);
  return measured(all, Measure::Norm) / measured(pooled(training, watched, TrainingSubject::Parameters), Measure::Norm);
}

std::string text_of_value(double value, Measure measure) {
  if (std::isnan(value)) return {};
  switch (measure) {
    case Measure::ForwardTime:
    case Measure::BackwardTime:
      return fmt::format("{:.3g} ms", value);
    case Measure::Zeros:
      return fmt::format("{:.1f}%", value * 100);
    case Measure::NotFinite:
      return value > 0 ? thousands(static_cast<std::uint64_t>(value)) : "none";
    case Measure::OutputBytes:
      return short_bytes(static_cast<std::uint64_t>(value));
    default:
      return fmt::format("{:.3g}", value);
  }
}

constexpr std::array kOfTensors = {Measure::Norm, Measure::Mean,  Measure::Std,      Measure::Min,
                                   Measure::Max,  Measure::Zeros, Measure::NotFinite};
constexpr std::array kOfUpdates = {Measure::Norm, Measure::Ratio, Measure::Mean,  Measure::Std,
                                   Measure::Min,  Measure::Max,   Measure::Zeros, Measure::NotFinite};
constexpr std::array kOfModules = {Measure::ForwardTime, Measure::BackwardTime, Measure::OutputBytes,
                                   Measure::NotFinite};
constexpr int kStatisticSubjects = 6;

}  // namespace

std::span<const Measure> measures_of(StatisticOf of) {
  if (of == StatisticOf::Module) return kOfModules;
  if (of == StatisticOf::Updates) return kOfUpdates;
  return kOfTensors;
}

ModuleStatistic turned_measure(ModuleStatistic statistic, int by) {
  const auto measures = measures_of(statistic.of);
  const auto count = static_cast<std::ptrdiff_t>(measures.size());
  const auto at = std::find(measures.begin(), measures.end(), statistic.measure) - measures.begin();
  statistic.measure = measures[static_cast<std::size_t>(((at + by) % count + count) % count)];
  return statistic;
}

ModuleStatistic turned_subject(ModuleStatistic statistic, int by) {
  const int at = (static_cast<int>(statistic.of) + by) % kStatisticSubjects;
  statistic.of = static_cast<StatisticOf>((at + kStatisticSubjects) % kStatisticSubjects);
  const auto measures = measures_of(statistic.of);
  if (std::find(measures.begin(), measures.end(), statistic.measure) == measures.end()) statistic.measure = measures[0];
  return statistic;
}

std::string_view subject_name(StatisticOf of) {
  constexpr std::array<std::string_view, kStatisticSubjects> kWords = {"Gradients",   "Updates",          "Weights",
                                                                       "Activations", "Output gradients", "Modules"};
  return kWords[static_cast<std::size_t>(of)];
}

std::string_view measure_name(Measure measure) {
  constexpr std::array<std::string_view, 11> kWords = {"Norm",         "Mean",          "Std",          "Min",
                                                       "Max",          "Zeros",         "Over weight",  "NaN and Inf",
                                                       "Forward time", "Backward time", "Output memory"};
  return kWords[static_cast<std::size_t>(measure)];
}

std::string statistic_name(ModuleStatistic statistic) {
  const std::string_view measure = measure_name(statistic.measure);
  if (statistic.of == StatisticOf::Module) return std::string(measure);
  std::string_view subject = subject_name(statistic.of);
  subject.remove_suffix(1);  // "Gradients" to "Gradient"
  if (statistic.measure == Measure::NotFinite) return fmt::format("{}: {}", subject_name(statistic.of), measure);
  return fmt::format("{} {}{}", subject, static_cast<char>(measure[0] + ('a' - 'A')), measure.substr(1));
}

std::vector<ModuleRow> module_rows(const TrainingView& training, ModuleStatistic statistic) {
  std::vector<ModuleRow> rows;
  const live::wire::TrainingModules* modules = training.modules();
  if (modules == nullptr) return rows;
  const std::vector<Watched> all = watched_modules(*modules);
  rows.reserve(all.size());
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Watched& watched : all) {
    const std::uint32_t i = watched.module;
    ModuleRow row;
    row.module = i;
    const std::uint32_t parent = modules->parent()->Get(i);
    row.depth = parent == UINT32_MAX ? 0 : rows[parent].depth + 1;
    const std::string_view path = live::text_of(modules->path()->Get(i));
    row.name = path.substr(path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
    row.class_name = live::text_of(modules->class_name()->Get(i));
    if (row.name.empty()) row.name = "(model)";
    row.value = value_of(training, watched, statistic);
    row.text = text_of_value(row.value, statistic.measure);
    const double bad = not_finite(training, watched);
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

std::string span_text(const live::wire::Span& span, const live::wire::TrainingModules* modules) {
  using live::wire::SpanKind;
  constexpr double kNsPerMs = 1e6;
  std::string name = live::wire::EnumNameSpanKind(span.kind());
  if (span.kind() == SpanKind::Watch) name = "Watching";
  const bool is_forward = span.kind() == SpanKind::ModuleForward;
  if (modules != nullptr && (is_forward || span.kind() == SpanKind::ModuleBackward) &&
      span.module_() < modules->path()->size()) {
    const std::string_view path = live::text_of(modules->path()->Get(span.module_()));
    name = fmt::format("{} {}", path.empty() ? "(model)" : path, is_forward ? "forward" : "backward");
  }
  return fmt::format("{}, {:.3g} ms from {:.3g} ms on", name,
                     static_cast<double>(span.end_ns() - span.begin_ns()) / kNsPerMs,
                     static_cast<double>(span.begin_ns()) / kNsPerMs);
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

bool is_over(live::wire::TrainingState state) {
  using live::wire::TrainingState;
  return state == TrainingState::Finished || state == TrainingState::Failed || state == TrainingState::Stopped;
}

std::string group_text(const live::wire::Training& training, std::uint32_t rate) {
  const auto* const names = training.group_names();
  std::string text = names != nullptr && rate < names->size() ? std::string(live::text_of(names->Get(rate))) : "";
  if (text.empty()) text = fmt::format("group {}", rate);
  const auto* const sizes = training.group_sizes();
  if (sizes != nullptr && rate < sizes->size() && sizes->Get(rate) > 0) {
    text += fmt::format(" ({} {})", thousands(sizes->Get(rate)), sizes->Get(rate) == 1 ? "tensor" : "tensors");
  }
  return text;
}

std::string alert_text(const live::wire::TrainingAlert& alert) {
  using live::wire::SpanKind;
  const SpanKind phase = alert.phase();
  const bool is_backward = phase == SpanKind::Backward || phase == SpanKind::ModuleBackward;
  std::string text =
      fmt::format("{} in {}{}", live::text_of(alert.what()),
                  is_backward                    ? "the gradient of "
                  : phase == SpanKind::Optimizer ? "what the optimizer wrote to "
                                                 : "the output of ",
                  alert.path()->size() == 0 ? std::string_view("the model") : live::text_of(alert.path()));
  if (alert.op()->size() > 0)
    text += fmt::format(" ({}{})", live::text_of(alert.op()), alert.is_op_about() ? " or an op shortly before it" : "");
  if (alert.line() > 0) text += fmt::format(" at {}:{}", live::text_of(alert.file()), alert.line());
  text += fmt::format(", step {}", thousands(alert.step() + 1));
  if (alert.paused()) text += ": the run is paused";
  return text;
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
