#pragma once

// What the threads of one warp, or of a block of 256, know together. Not for callers of ops.
namespace nns::ops {

constexpr int kLineThreads = 256;

/// combine() of the values of all threads of a warp, in a fixed order; every thread gets it.
template <class T, class Combine>
__device__ __forceinline__ T across_warp(T value, Combine combine) {
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xFFFFFFFFU, value, step));
  return value;
}
/// The same of a block of `threads`. `room`: a value a warp in shared memory.
template <int threads = kLineThreads, class T, class Combine>
__device__ __forceinline__ T across_block(T value, T* room, Combine combine) {
  value = across_warp(value, combine);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  T whole = room[0];
  for (int warp = 1; warp < threads / 32; ++warp) whole = combine(whole, room[warp]);
  return whole;
}

/// The threads that share a line: a warp, or a whole block of 256. `room` as above.
template <int threads>
struct Team {
  static_assert(threads == 32 || threads == kLineThreads);
  static constexpr int kInBlock = kLineThreads / threads;
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % threads; }
  __device__ static std::int64_t first_line() {
    return static_cast<std::int64_t>(blockIdx.x) * kInBlock + static_cast<int>(threadIdx.x) / threads;
  }
  __device__ static std::int64_t line_step() { return static_cast<std::int64_t>(gridDim.x) * kInBlock; }
  template <class T, class Combine>
  __device__ static T combined(T value, T* room, Combine combine) {
    if constexpr (threads == 32)
      return across_warp(value, combine);
    else
      return across_block(value, room, combine);
  }
};

struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
/// Not a number where either is none.
struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

}  // namespace nns::ops
