#pragma once

#include <cstdint>

namespace nns::tests {

/// The emulated cuDNN: what it was asked, and how it behaves. It knows three engines, the first two by its heuristics,
/// the last to fall back on. Threads: one.
struct EmulatedCudnn {
  static constexpr std::int64_t kFastEngine = 2, kExactOrderEngine = 1, kPlainEngine = 0;
  /// Plans that were made, and runs of plans.
  int plans = 0, runs = 0;
  /// Descriptors that were not destroyed yet.
  int descriptors = 0;
  /// Of the last run.
  std::int64_t engine = -1;
  /// Which of the engines fail when they run: a bit each.
  unsigned failing = 0;
  /// What the fast engine wants to work in; the others: nothing. Units: bytes.
  std::int64_t workspace_bytes = 4096;
  /// Whether a device can be used with it.
  bool takes_device = true;
};
EmulatedCudnn& emulated_cudnn();

}  // namespace nns::tests
