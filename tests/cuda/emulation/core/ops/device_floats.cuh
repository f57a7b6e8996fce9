#pragma once

#include <bit>

#include "core/tensor/float_formats.h"
#include "tests/cuda/emulation/device_language.h"

// In place of core/ops/device_floats.cuh: the conversions of the CPU.
namespace nns::ops {

inline float bfloat16_number(unsigned short bits) { return tensor::bfloat16_to_float(bits); }
inline unsigned short bfloat16_bits(float number) { return tensor::bfloat16_from_float(number); }
inline float half_number(unsigned short bits) { return tensor::half_to_float(bits); }
inline unsigned short half_bits(float number) { return tensor::half_from_float(number); }
inline unsigned bfloat16_pair(float low, float high) {
  return bfloat16_bits(low) | static_cast<unsigned>(bfloat16_bits(high)) << 16U;
}
inline unsigned half_pair(float low, float high) {
  return half_bits(low) | static_cast<unsigned>(half_bits(high)) << 16U;
}
inline float float_of_bits(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned bits_of_float(float number) { return std::bit_cast<unsigned>(number); }

}  // namespace nns::ops
