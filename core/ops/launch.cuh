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

}  // namespace nns::ops
