#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/dtype.h"

namespace nns::ops {

using tensor::DType;

/// The C++ types that numbers are computed in. Items of every dtype become one of these on the way in and are converted
/// on the way out, so that an op has a handful of bodies and not one a dtype. Wide enough for each dtype that uses it:
/// integers wrap around as in their own width when they are stored.
enum class Compute : std::uint8_t { Float, Double, Int64, UInt64, Bool, ComplexFloat, ComplexDouble };
inline constexpr std::size_t kComputes = 7;

/// The type that items of `dtype` are computed in: float for the 8- and 16-bit floats, as in PyTorch (at::opmath_type).
Compute compute_of(DType dtype);
/// Bytes of one number.
std::size_t compute_bytes(Compute compute);

/// Reads `count` items of `dtype` that lie `stride` bytes apart into `out`.
void load_items(DType dtype, const std::byte* at, std::int64_t stride, std::int64_t count, Compute to, void* out);
/// Writes them; what does not fit wraps around (integers) or becomes infinite (floats), a number that is not 0 is true.
void store_items(DType dtype, std::byte* at, std::int64_t stride, std::int64_t count, Compute from, const void* in);
/// Converts `count` numbers that lie in order.
void convert_numbers(Compute from, Compute to, const void* in, void* out, std::int64_t count);

}  // namespace nns::ops
