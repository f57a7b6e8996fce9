#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nns::checkpoint {

/// What one walk over a block of floats adds up. With NaN or infinite values among them `distance` is not finite, and
/// the rest means nothing.
struct FloatMoments {
  float low = 0;
  float high = 0;
  std::uint64_t zeros = 0;
  double distance = 0;  ///< sum of value - pivot
  double square = 0;    ///< sum of (value - pivot) squared
};

/// Must hold: count is not 0. The body is chosen by file: what this processor does at once (float_moments_x86.cpp), or
/// what every processor has.
FloatMoments add_floats(const float* values, std::size_t count, double pivot);

/// How floats are stored that are added up as they lie there, at any alignment.
enum class StoredFloat : std::uint8_t { Float32, Float16, BFloat16 };
/// add_floats() of what is stored. Must hold: count is not 0.
FloatMoments add_stored(StoredFloat format, const std::byte* items, std::size_t count, double pivot);
FloatMoments add_stored_any(StoredFloat format, const std::byte* items, std::size_t count, double pivot);
FloatMoments add_stored_avx2(StoredFloat format, const std::byte* items, std::size_t count, double pivot);
FloatMoments add_stored_avx512(StoredFloat format, const std::byte* items, std::size_t count, double pivot);
/// All bodies that this processor can run, slowest first.
std::vector<decltype(&add_stored)> stored_bodies();

/// float16 and bfloat16 codes at any alignment as the floats that they are, NaN included. Chosen by file as
/// add_floats().
void halves_to_floats(const std::byte* codes, std::size_t count, float* into);
void halves_to_floats_any(const std::byte* codes, std::size_t count, float* into);
void halves_to_floats_f16c(const std::byte* codes, std::size_t count, float* into);
void bfloat16s_to_floats(const std::byte* codes, std::size_t count, float* into);
void bfloat16s_to_floats_any(const std::byte* codes, std::size_t count, float* into);
void bfloat16s_to_floats_avx2(const std::byte* codes, std::size_t count, float* into);

/// The bodies: vectors of 16 bytes, which every target has, and of 32 (x86-64 with AVX2 and FMA).
FloatMoments add_floats_128(const float* values, std::size_t count, double pivot);
FloatMoments add_floats_256(const float* values, std::size_t count, double pivot);

}  // namespace nns::checkpoint
