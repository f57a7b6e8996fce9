#include "core/train/measured_step.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace nns::train {

namespace {

using parallel::MeasuredStep;

constexpr double kNanosecond = 1e-9;

double seconds_of(const StepReport& step, Phase phase) {
  return static_cast<double>(step.phase_ns[static_cast<std::size_t>(phase)]) * kNanosecond;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "blocks.0.mlp.2" is of "blocks.0"; "head" of what is around all: "".
std::string unit_of(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (is_number(path.substr(begin, end - begin))) return std::string(path.substr(0, end));
    begin = end + 1;
  }
  return {};
}

// What is measured of a module's unit in each step.
struct UnitTimes {
  std::vector<double> forward, backward, began;
};

class Measuring {
 public:
  explicit Measuring(const ModuleTable& table) : table_(table) {
    for (const ModuleTable::Parameter& one : table.tensors()) {
      if (one.optimizer == kNone || one.module == kNone) continue;
      bytes_[unit_of(table.modules()[one.module].path)] += static_cast<double>(one.tensor->nbytes());
    }
    for (const ModuleTable::Module& one : table.modules()) {
      // What has no parameters is of the unit around it.
      std::string unit = unit_of(one.path);
      std::uint32_t parent = one.parent;
      while (!bytes_.contains(unit) && parent != kNone) {
        unit = unit_of(table.modules()[parent].path);
        parent = table.modules()[parent].parent;
      }
      units_.push_back(bytes_.contains(unit) ? unit : std::string());
    }
  }

  void add(const StepReport& step) {
    std::map<std::string, double> forward, backward, began;
    std::vector<const Span*> of_units;
    std::uint64_t backward_begin = 0;
    std::map<std::uint32_t, std::uint64_t> left;
    for (const Span& span : step.spans) {
      if (span.kind == Span::Kind::Phase && span.phase == Phase::Backward) backward_begin = span.begin_ns;
      if (span.kind == Span::Kind::Phase || span.module >= units_.size()) continue;
      const double seconds = static_cast<double>(span.end_ns - span.begin_ns) * kNanosecond;
      if (span.kind == Span::Kind::ModuleBackward) {
        backward[units_[span.module]] += seconds;
        left[span.module] = span.end_ns;
      } else if (table_.modules()[span.module].path == units_[span.module]) {
        of_units.push_back(&span);
        forward[units_[span.module]] += seconds;
        const auto [place, is_new] = began.emplace(units_[span.module], static_cast<double>(span.begin_ns));
        if (!is_new) place->second = std::min(place->second, static_cast<double>(span.begin_ns));
      }
    }
    // A unit may lie within another: the time is that of the inner one.
    for (const Span* inner : of_units) {
      const Span* around = nullptr;
      for (const Span* outer : of_units) {
        const bool holds = outer != inner && outer->begin_ns <= inner->begin_ns && inner->end_ns <= outer->end_ns &&
                           outer->depth < inner->depth;
        if (holds && (around == nullptr || outer->depth > around->depth)) around = outer;
      }
      if (around != nullptr) {
        forward[units_[around->module]] -= static_cast<double>(inner->end_ns - inner->begin_ns) * kNanosecond;
      }
    }
    for (const auto& [unit, bytes] : bytes_) {
      times_[unit].forward.push_back(forward[unit]);
      times_[unit].backward.push_back(backward[unit]);
      times_[unit].began.push_back(began.contains(unit) ? began[unit] : 0);
    }
    ready_.resize(table_.tensors().size());
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const auto found = left.find(table_.tensors()[i].module);
      const bool is_known = found != left.end() && found->second >= backward_begin;
      ready_[i].push_back(is_known ? static_cast<double>(found->second - backward_begin) * kNanosecond
                                   : seconds_of(step, Phase::Backward));
    }
    forward_.push_back(seconds_of(step, Phase::Forward));
    backward_.push_back(seconds_of(step, Phase::Backward));
    other_.push_back(seconds_of(step, Phase::Data) + seconds_of(step, Phase::Optimizer) +
                     seconds_of(step, Phase::Other));
  }

  MeasuredStep result() {
    MeasuredStep made;
    made.forward = median(forward_);
    made.backward = median(backward_);
    made.other = median(other_);
    MeasuredStep::Unit rest{.name = "(the rest)", .forward = made.forward, .backward = made.backward, .bytes = 0};
    std::vector<std::pair<double, MeasuredStep::Unit>> units;
    for (const auto& [unit, bytes] : bytes_) {
      const UnitTimes& times = times_[unit];
      if (unit.empty()) {
        rest.bytes = bytes;
        continue;
      }
      MeasuredStep::Unit one{
          .name = unit, .forward = median(times.forward), .backward = median(times.backward), .bytes = bytes};
      rest.forward -= one.forward;
      rest.backward -= one.backward;
      units.emplace_back(median(times.began), std::move(one));
    }
    rest.forward = std::max(rest.forward, 0.0);
    rest.backward = std::max(rest.backward, 0.0);
    std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    made.units.push_back(std::move(rest));
    for (auto& [began, unit] : units) made.units.push_back(std::move(unit));
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const ModuleTable::Parameter& one = table_.tensors()[i];
      if (one.optimizer == kNone || !one.tensor->requires_grad()) continue;
      made.gradients.push_back(
          {one.path, static_cast<double>(one.tensor->nbytes()), std::min(median(ready_[i]), made.backward)});
    }
    std::stable_sort(made.gradients.begin(), made.gradients.end(),
                     [](const auto& a, const auto& b) { return a.ready < b.ready; });
    return made;
  }

 private:
  const ModuleTable& table_;
  /// By the name of a unit; of a module the unit that it is in.
  std::map<std::string, double> bytes_;
  std::vector<std::string> units_;
  std::map<std::string, UnitTimes> times_;
  /// Of each tensor, in each step.
  std::vector<std::vector<double>> ready_;
  std::vector<double> forward_, backward_, other_;
};

}  // namespace

MeasuredStep measured_step(const ModuleTable& table, std::span<const StepReport> steps) {
  Measuring measuring(table);
  for (const StepReport& step : steps) measuring.add(step);
  return measuring.result();
}

}  // namespace nns::train
