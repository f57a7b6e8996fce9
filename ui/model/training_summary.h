#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/training_view.h"

namespace nns::model {

/// Of what the colour of a module tells: of tensors that are its own, of what it gives, or of the module as a whole.
enum class StatisticOf : std::uint8_t { Gradients, Updates, Weights, Activations, OutputGradients, Module };
/// Which number of that.
enum class Measure : std::uint8_t {
  Norm,
  Mean,
  Std,
  Min,
  Max,
  Zeros,        ///< share of zeros
  Ratio,        ///< norm of the update over norm of the weight
  NotFinite,    ///< NaN and Inf; of a module, in anything that is watched of it
  ForwardTime,  ///< with what is below it
  BackwardTime,
  OutputBytes,  ///< of what it gave in one step
};
/// What the colour of a module says.
struct ModuleStatistic {
  StatisticOf of = StatisticOf::Gradients;
  Measure measure = Measure::Norm;
  friend bool operator==(const ModuleStatistic&, const ModuleStatistic&) = default;
};
/// What can be told of it, in the order in which it is offered.
std::span<const Measure> measures_of(StatisticOf of);
/// So many further in that order, around its end.
ModuleStatistic turned_measure(ModuleStatistic statistic, int by);
/// The same number of what is so many further, or its first one.
ModuleStatistic turned_subject(ModuleStatistic statistic, int by);
/// "Gradients", "Norm", and both: "Gradient norm".
std::string_view subject_name(StatisticOf of);
std::string_view measure_name(Measure measure);
std::string statistic_name(ModuleStatistic statistic);

struct ModuleRow {
  std::uint32_t module = 0;
  int depth = 0;
  std::string name;
  std::string class_name;
  double value = 0;  ///< NaN: nothing is known
  std::string text;  ///< of it; empty if nothing is known
  float shade = -1;  ///< 0 to 1 over the modules that are known, logarithmic where values span powers of ten; -1: none
  bool is_bad = false;  ///< NaN or Inf were in it
};

/// The modules of a training in their order, with one statistic. A module's tensors are those of it alone.
std::vector<ModuleRow> module_rows(const live::TrainingView& training, ModuleStatistic statistic);

/// The tensors of a module itself or, where it has none, of those below it.
std::vector<std::uint32_t> tensors_of(const live::wire::TrainingModules& modules, std::uint32_t module);
/// What touched a parameter, in words: "Gradient, norm 0.31, largest 0.02".
std::string touch_text(const live::wire::Touch& touch);

/// A part of a step in words: "layers.0 forward, 0.21 ms from 0.03 ms on". `modules`: that it is of; null: none are
/// known.
std::string span_text(const live::wire::Span& span, const live::wire::TrainingModules* modules);

/// The state in words: "Running", "Paused".
std::string_view state_text(live::wire::TrainingState state);
/// Whether it makes no step any more.
bool is_over(live::wire::TrainingState state);
/// What a group of parameters is called, with how many it has: "group 1 (12 tensors)"; by the number of its learning
/// rate.
std::string group_text(const live::wire::Training& training, std::uint32_t rate);
/// "NaN in the gradient of 1 (SqrtBackward0) at net.py:6, step 12: the run is paused".
std::string alert_text(const live::wire::TrainingAlert& alert);
/// "step 1,200 of 5,000, epoch 2.4 of 10".
std::string progress_text(const live::wire::Training& training);
/// "1 min 12 s".
std::string duration_text(double seconds);

/// A part of a step's time.
struct PhaseShare {
  std::string_view name;
  double ms = 0;     ///< the mean of the last steps
  double share = 0;  ///< of the step
};
/// The mean of the last `steps` steps by phase; empty before the first.
std::vector<PhaseShare> phase_shares(const live::TrainingSteps& steps, std::size_t last);

}  // namespace nns::model
