#pragma once

#include "core/tensor/float_formats.h"
#include "tests/cuda/emulation/device_language.h"

// In place of core/ops/device_floats.cuh: the conversions of the CPU.
namespace nns::ops {

inline float bfloat16_number(unsigned short bits) { return tensor::bfloat16_to_float(bits); }
inline unsigned short bfloat16_bits(float number) { return tensor::bfloat16_from_float(number); }
inline float half_number(unsigned short bits) { return tensor::half_to_float(bits); }
inline unsigned short half_bits(float number) { return tensor::half_from_float(number); }

}  // namespace nns::ops
