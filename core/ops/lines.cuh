#pragma once

// What the threads of one warp, or of a block of 256, know together. Not for callers of ops.
namespace nns::ops {

constexpr int kLineThreads = 256;

/// combine() of the values of all threads of a block, in a fixed order; every thread gets it. `room`: 8 values in
/// shared memory.
template <class T, class Combine>
__device__ __forceinline__ T across_block(T value, T* room, Combine combine) {
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xFFFFFFFFU, value, step));
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  T whole = room[0];
  for (int warp = 1; warp < kLineThreads / 32; ++warp) whole = combine(whole, room[warp]);
  return whole;
}

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
