#pragma once

#include <math.h>

#include <cstdint>
#include <cstring>
#include <functional>

// CUDA's words for the kernels of core/ops, so that a C++ compiler takes them and they run on the CPU: the threads of a
// block are fibers that go on in turn and wait for each other where the device's would.

// The names are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
// The blocks of a thread of the program run one after the other, so that a block's memory may be that of the thread.
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))

struct dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  dim3() = default;
  dim3(std::uint32_t in_x, std::uint32_t in_y = 1, std::uint32_t in_z = 1) : x(in_x), y(in_y), z(in_z) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) {
  return {x, y, z, w};
}

namespace nns::tests {

/// Where the running thread stands.
struct ThreadPlace {
  dim3 thread, block, block_size, grid_size;
};
extern thread_local ThreadPlace thread_place;

/// Runs `body` for every thread of the grid.
void run_grid(dim3 grid, dim3 block, const std::function<void()>& body);
/// Lets the running thread wait until all threads of its block that still run wait, too; or all of its warp.
void wait_for_block();
void wait_for_warp();
/// What the thread `lane` of the warp of the running thread gave; `mine` is what this one gives.
void exchange(const void* mine, void* theirs, std::size_t bytes, unsigned lane);
unsigned ballot(bool mine);
/// What all 32 threads of the warp gave, one behind the other: `bytes` (16 at most) each.
void gather(const void* mine, void* all, std::size_t bytes);

/// A block's memory whose size the launch says: exactly so large, full of what is not a number.
class DynamicRoom {
 public:
  explicit DynamicRoom(std::size_t bytes);
  ~DynamicRoom();
  DynamicRoom(const DynamicRoom&) = delete;
  DynamicRoom& operator=(const DynamicRoom&) = delete;
  static thread_local std::byte* current;

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nns::tests

#define threadIdx nns::tests::thread_place.thread
#define blockIdx nns::tests::thread_place.block
#define blockDim nns::tests::thread_place.block_size
#define gridDim nns::tests::thread_place.grid_size

inline void __syncthreads() { nns::tests::wait_for_block(); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  T theirs;
  nns::tests::exchange(&value, &theirs, sizeof(T), (threadIdx.x % 32) ^ static_cast<unsigned>(mask));
  return theirs;
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  T theirs;
  nns::tests::exchange(&value, &theirs, sizeof(T), static_cast<unsigned>(lane));
  return theirs;
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned reach) {
  const unsigned lane = threadIdx.x % 32;
  T theirs;
  nns::tests::exchange(&value, &theirs, sizeof(T), lane >= reach ? lane - reach : lane);
  return theirs;
}
inline void __syncwarp() { nns::tests::wait_for_warp(); }
inline unsigned __ballot_sync(unsigned, bool mine) { return nns::tests::ballot(mine); }
inline float __logf(float x) { return logf(x); }
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sin(x * M_PI);
  *cosine = cos(x * M_PI);
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int atomicMax(int* at, int other) {
  const int found = *at;
  if (other > found) *at = other;
  return found;
}
template <class T>
T atomicAdd(T* at, T by) {
  const T found = *at;
  *at = found + by;
  return found;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
