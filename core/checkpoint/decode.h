#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// The C++ type in which values of a dtype are computed without loss.
enum class ValueClass : std::uint8_t {
  Float32,  ///< float32 and everything smaller
  Float64,  ///< float64; complex numbers as magnitudes
  Signed,
  Unsigned,
};
ValueClass value_class(tensor::DType dtype);

/// `count` items at `raw` (any alignment) as numbers; items that pack two give two.
/// Must hold: value_class(dtype) is that of `into`, and `into` has count x values_per_item(dtype) places.
void decode(tensor::DType dtype, const std::byte* raw, std::size_t count, float* into);
void decode(tensor::DType dtype, const std::byte* raw, std::size_t count, double* into);
void decode(tensor::DType dtype, const std::byte* raw, std::size_t count, std::int64_t* into);
void decode(tensor::DType dtype, const std::byte* raw, std::size_t count, std::uint64_t* into);

/// The same for every dtype: as float for pictures, as double for single numbers.
void decode_as_float(tensor::DType dtype, const std::byte* raw, std::size_t count, float* into);
void decode_as_double(tensor::DType dtype, const std::byte* raw, std::size_t count, double* into);

/// Sums of the real and the imaginary parts. Must hold: `dtype` is complex.
struct ComplexSum {
  double real = 0;
  double imaginary = 0;
};
ComplexSum sum_complex(tensor::DType dtype, const std::byte* raw, std::size_t count);

}  // namespace nns::checkpoint
