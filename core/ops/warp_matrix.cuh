#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "core/ops/device_floats.cuh"

// Products of 16 x 16 matrices of 16-bit floats, by a warp. Not for callers of ops.
namespace nns::ops {

struct BFloat16Bits {
  using Unit = __nv_bfloat16;
  unsigned short bits;
  __device__ float number() const { return bfloat16_number(bits); }
  __device__ static BFloat16Bits of(float number) { return {bfloat16_bits(number)}; }
};
struct HalfBits {
  using Unit = __half;
  unsigned short bits;
  __device__ float number() const { return half_number(bits); }
  __device__ static HalfBits of(float number) { return {half_bits(number)}; }
};

/// c (16 x 16, rows c_step apart) = [c +] a b with a of 16 x depth, b of depth x 16. `turned`: the operand lies as its
/// transpose. Must hold: all threads of the warp call it; addresses are aligned to 32 bytes, steps to 16.
template <bool a_turned, bool b_turned, class Bits>
__device__ __forceinline__ void warp_product(const Bits* a, int a_step, const Bits* b, int b_step, float* c, int c_step,
                                             int depth, bool adds) {
  namespace wmma = nvcuda::wmma;
  using Unit = typename Bits::Unit;
  using ALayout = std::conditional_t<a_turned, wmma::col_major, wmma::row_major>;
  using BLayout = std::conditional_t<b_turned, wmma::col_major, wmma::row_major>;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  if (adds)
    wmma::load_matrix_sync(sums, c, static_cast<unsigned>(c_step), wmma::mem_row_major);
  else
    wmma::fill_fragment(sums, 0.0F);
  for (int k = 0; k < depth; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, Unit, ALayout> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, Unit, BLayout> right;
    wmma::load_matrix_sync(left, reinterpret_cast<const Unit*>(a_turned ? a + k * a_step : a + k),
                           static_cast<unsigned>(a_step));
    wmma::load_matrix_sync(right, reinterpret_cast<const Unit*>(b_turned ? b + k : b + k * b_step),
                           static_cast<unsigned>(b_step));
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::store_matrix_sync(c, sums, static_cast<unsigned>(c_step), wmma::mem_row_major);
}

}  // namespace nns::ops
