#pragma once

#include "core/ops/device_floats.cuh"

// In place of core/ops/warp_matrix.cuh: the first thread of a warp does it all.
namespace nns::ops {

struct BFloat16Bits {
  unsigned short bits;
  float number() const { return bfloat16_number(bits); }
  static BFloat16Bits of(float number) { return {bfloat16_bits(number)}; }
};
struct HalfBits {
  unsigned short bits;
  float number() const { return half_number(bits); }
  static HalfBits of(float number) { return {half_bits(number)}; }
};

template <bool a_turned, bool b_turned, class Bits>
void warp_product(const Bits* a, int a_step, const Bits* b, int b_step, float* c, int c_step, int depth, bool adds) {
  __syncwarp();
  for (int row = 0; row < 16 && threadIdx.x % 32 == 0; ++row) {
    for (int column = 0; column < 16; ++column) {
      float sum = adds ? c[row * c_step + column] : 0;
      for (int k = 0; k < depth; ++k) {
        const Bits left = a_turned ? a[k * a_step + row] : a[row * a_step + k];
        const Bits right = b_turned ? b[column * b_step + k] : b[k * b_step + column];
        sum += left.number() * right.number();
      }
      c[row * c_step + column] = sum;
    }
  }
  __syncwarp();
}

}  // namespace nns::ops
