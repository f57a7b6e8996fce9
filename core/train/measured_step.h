#pragma once

#include <span>

#include "core/parallel/step_simulation.h"
#include "core/train/module_table.h"
#include "core/train/step_report.h"

namespace nns::train {

/// What the steps of a training took, as parallel::simulate_step() wants it: medians over steps that were watched with
/// StepPlan::timeline. Time that watching took is left out.
/// Units of fully_shard are what it is usually applied to: the items of lists of modules ("blocks.0"); the first is
/// what lies in none of them. A gradient is ready when backward has left its module. Must hold: there is a step; all
/// were made with the models that `table` has.
parallel::MeasuredStep measured_step(const ModuleTable& table, std::span<const StepReport> steps);

}  // namespace nns::train
