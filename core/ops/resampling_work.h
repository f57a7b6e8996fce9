#pragma once

#include "core/ops/cuda_kernels.h"

// Items that are weighted sums of others along each dimension, on a GPU: the maps are those of resampling.h. Not for
// callers of ops.
namespace nns::ops {

/// One part of an item, as kernels read it.
template <class T>
struct ResamplePart {
  T weight;
  std::int64_t at;
};

/// Along one dimension.
struct ResampleAxis {
  std::int64_t in = 1, out = 1;
  /// Where the parts of each item begin; one more than there are items. None: item i is item i of the input.
  const std::int64_t* starts = nullptr;
  /// ResamplePart of the type of numbers.
  const std::byte* parts = nullptr;
};

/// Dense planes of up to three dimensions: the last ones of both tensors.
struct ResampleWork {
  ResampleAxis axes[3];
  std::int64_t planes = 0;
  DeviceNumbers in, out;
  /// The type of numbers: Float, Double or Int64.
  Compute compute = Compute::Float;
  /// Results are rounded to bytes and cut off.
  bool rounds = false;
};
void launch_resample(const ResampleWork& work, StreamHandle stream);

}  // namespace nns::ops
