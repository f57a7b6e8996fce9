#pragma once

#include "core/ops/cuda_elements.h"
#include "tests/cuda/emulation/device_language.h"

// In place of core/ops/launch.cuh: the blocks one after the other, the threads of each in turn.
namespace nns::ops {

template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, StreamHandle, const Arguments&... arguments) {
  tests::run_grid(grid, block, [&] { kernel(arguments...); });
}

template <class... Parameters, class... Arguments>
void launch_kernel_with_room(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::int64_t room, StreamHandle,
                             const Arguments&... arguments) {
  const tests::DynamicRoom held(static_cast<std::size_t>(room));
  tests::run_grid(grid, block, [&] { kernel(arguments...); });
}
inline std::byte* dynamic_room() { return tests::DynamicRoom::current; }

}  // namespace nns::ops
