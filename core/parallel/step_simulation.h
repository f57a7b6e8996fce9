#pragma once

#include <string>
#include <vector>

#include "core/parallel/network_model.h"

namespace nns::parallel {

/// A training step of one rank without communication, as it was measured. Units: seconds, bytes.
struct MeasuredStep {
  /// Forward and backward together, and what is neither: data, optimiser, the program itself.
  double forward = 0, backward = 0, other = 0;
  /// What is gathered together where parameters are sharded, in the order of their forwards; the first is what lies in
  /// none of the others. Their times sum up to those above.
  struct Unit {
    std::string name;
    double forward = 0, backward = 0;
    double bytes = 0;
  };
  std::vector<Unit> units;
  /// Gradients in the order in which they arrive; `ready`: since backward began.
  struct Gradient {
    std::string name;
    double bytes = 0, ready = 0;
  };
  std::vector<Gradient> gradients;

  double total() const { return forward + backward + other; }
};

enum class Strategy : std::uint8_t {
  DataParallel,  ///< DistributedDataParallel: every rank has all parameters; buckets of gradients are all-reduced
  FullyShard,    ///< fully_shard: parameters are gathered unit by unit, gradients reduce-scattered
};

struct SimulationOptions {
  Strategy strategy = Strategy::DataParallel;
  Network network;
  /// How many times as fast as where it was measured forward, backward and the rest are.
  double speedup = 1;
  /// How far a rank's computing varies from step to step: standard deviation by mean. All wait for the slowest.
  double jitter = 0;
  /// Limits of buckets, as DistributedDataParallel has them. Units: bytes.
  double first_bucket = 1024 * 1024, bucket = 25 * 1024 * 1024;
  /// Whether parameters are freed between forward and backward; those of the first unit stay.
  bool reshards_after_forward = true;
};

/// What one step is predicted to take. Units: seconds since it began, bytes.
struct StepPrediction {
  std::int64_t ranks = 1;
  double step = 0;
  /// Of it computing, as the slowest rank does it; and waiting for communication, which hides none of the rest.
  double compute = 0, exposed = 0;
  /// How long the network works, hidden or not.
  double communication = 0;
  struct Transfer {
    std::string what;
    double bytes = 0;
    /// It could begin; it began, when what was before it was through; it ended.
    double ready = 0, begin = 0, end = 0;
  };
  /// One behind the other, as they go through the network.
  std::vector<Transfer> transfers;

  double hidden_share() const { return communication > 0 ? 1 - exposed / communication : 1; }
  /// How much of its time a rank does what one alone would do.
  double efficiency(double alone) const { return step > 0 ? alone / step : 1; }
};

/// Predicts the step of `ranks` ranks of which each has as much data as the one that was measured.
/// Collectives go through the network one at a time, in the order in which they could begin, while computing goes on.
/// Must hold: ranks >= 1; the step has a unit.
StepPrediction simulate_step(const MeasuredStep& measured, const SimulationOptions& options, std::int64_t ranks);

}  // namespace nns::parallel
