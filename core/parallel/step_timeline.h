#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::parallel {

/// One step of DistributedDataParallel as one rank made it: when its parts began and ended, and what was communicated.
/// Units: nanoseconds of the steady clock, which the ranks of one machine share; 0: it did not happen.
struct StepTimeline {
  struct Bucket {
    std::uint64_t bytes = 0;
    /// Indices of parameters, in the order in which the bucket holds them.
    std::vector<std::size_t> parameters;
    /// The last of its gradients was there and its communication began.
    std::int64_t launched_ns = 0;
    /// It was seen to be done: at the next gradient, or when it was waited for.
    std::int64_t done_ns = 0;
    /// How long the end of backward waited for it.
    std::int64_t wait_begin_ns = 0, wait_end_ns = 0;
  };
  int rank = 0, size = 1;
  /// Counts synchronised forwards, from 1.
  std::int64_t step = 0;
  std::int64_t forward_ns = 0, backward_ns = 0, end_ns = 0;
  std::vector<Bucket> buckets;
  std::vector<std::string> names;
  /// Parameters in the order in which their gradients arrived.
  std::vector<std::size_t> ready_order;
  /// Of each parameter before the step; ranks whose numbers differ do not train the same model.
  std::vector<std::uint64_t> checksums;
};

}  // namespace nns::parallel
