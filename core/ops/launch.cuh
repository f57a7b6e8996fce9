#pragma once

#include "core/ops/cuda_elements.h"

// Not for callers of ops.
namespace nns::ops {

/// Queues `kernel` for a grid of blocks. What went wrong, cudaGetLastError() tells.
template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, StreamHandle stream,
                   const Arguments&... arguments) {
  kernel<<<grid, block, 0, stream>>>(arguments...);
}

/// The same for a kernel that works in `room` bytes of shared memory: dynamic_room(). Must hold: the device has so many
/// for a block.
template <class... Parameters, class... Arguments>
void launch_kernel_with_room(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::int64_t room,
                             StreamHandle stream, const Arguments&... arguments) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room));
  kernel<<<grid, block, static_cast<std::size_t>(room), stream>>>(arguments...);
}

__device__ __forceinline__ std::byte* dynamic_room() {
  extern __shared__ __align__(128) std::byte nns_dynamic_room[];
  return nns_dynamic_room;
}

}  // namespace nns::ops
