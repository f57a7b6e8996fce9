#pragma once

#include <cstdint>

namespace nns::ops {

/// How convolutions on a GPU are computed where cuDNN is found: what torch.backends.cudnn and
/// torch.use_deterministic_algorithms set.
/// Behaviour: aten/src/ATen/Context.h.
struct CudnnSwitches {
  bool is_enabled = true;
  /// The first call of each kind and shape times several ways, and later ones take the fastest.
  bool benchmarks = false;
  /// How many ways it times; 0: all.
  std::int64_t benchmark_limit = 10;
  /// torch.backends.cudnn.deterministic: only ways that give the same bits each time.
  bool is_deterministic = false;
  /// torch.use_deterministic_algorithms: the same, for all ops.
  bool uses_deterministic_algorithms = false;
  /// Whether factors in float32 may be rounded to tf32, 19 bits.
  bool allows_tf32 = true;

  bool wants_same_bits() const { return is_deterministic || uses_deterministic_algorithms; }
};

}  // namespace nns::ops
