#pragma once

// The 16-bit floats as the device converts them. Not for callers of ops.
namespace nns::ops {

/// The 16-bit floats. `convert.rn` is to the nearest, ties to even, as on the CPU.
__device__ __forceinline__ float bfloat16_number(unsigned short bits) {
  return __uint_as_float(static_cast<unsigned>(bits) << 16U);
}
__device__ __forceinline__ unsigned short bfloat16_bits(float number) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(number));
  return bits;
}
__device__ __forceinline__ float half_number(unsigned short bits) {
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}
__device__ __forceinline__ unsigned short half_bits(float number) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
  return bits;
}
/// Two of them in one word, the first one in its low half.
__device__ __forceinline__ unsigned bfloat16_pair(float low, float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ unsigned half_pair(float low, float high) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

__device__ __forceinline__ float float_of_bits(unsigned bits) { return __uint_as_float(bits); }
__device__ __forceinline__ unsigned bits_of_float(float number) { return __float_as_uint(number); }

}  // namespace nns::ops
