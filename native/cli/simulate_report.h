#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/parallel/step_simulation.h"
#include "native/cli/terminal.h"

namespace nns::cli {

struct Simulated {
  std::string name;
  std::uint64_t steps = 0;
  parallel::MeasuredStep measured;
  parallel::SimulationOptions options;
  /// Of one rank, and of those that were asked for.
  parallel::StepPrediction alone;
  std::vector<parallel::StepPrediction> predictions;
};

/// A table for people: a line for each number of ranks.
void print_simulation(std::FILE* out, const Simulated& simulated, const Terminal& terminal);
/// For programs: also what was measured, and each transfer. Times in seconds.
void write_simulation(std::FILE* out, const Simulated& simulated);

}  // namespace nns::cli
