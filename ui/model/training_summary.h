#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/training_view.h"

namespace nns::model {

/// What the colour of a module says.
enum class ModuleStatistic : std::uint8_t {
  GradientNorm,
  UpdateRatio,  ///< norm of the update over norm of the weight
  ActivationMean,
  ActivationStd,
  ActivationZeros,  ///< share of zeros
  WeightNorm,
  ForwardTime,
  BackwardTime,
  NotFinite,  ///< NaN and Inf in anything that is watched
};
inline constexpr std::size_t kModuleStatistics = 9;
std::string_view statistic_name(ModuleStatistic statistic);

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

/// The state in words: "Running", "Paused".
std::string_view state_text(live::wire::TrainingState state);
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
