#pragma once

#include "core/ops/cuda_kernels.h"
#include "core/ops/launch.cuh"

// Not for callers of ops.
namespace nns::ops {

/// Notes what is wrong, for the host to read; of what several threads say one stays. The word lies in the host's
/// memory, where not every machine lets a device compute and store at once: a plain store is enough.
__device__ __forceinline__ void complain(int* complaint, DeviceComplaint what) {
  volatile int* const word = complaint;
  if (*word == 0) *word = static_cast<int>(what);
}

}  // namespace nns::ops
