// Compiled for x86-64 with AVX2, FMA and F16C only.
#include <immintrin.h>

#include "core/checkpoint/float_moments_body.h"

namespace nns::checkpoint {

FloatMoments add_floats_256(const float* values, std::size_t count, double pivot) {
  return add_floats_body<32>(values, count, pivot);
}

FloatMoments add_stored_avx2(StoredFloat format, const std::byte* items, std::size_t count, double pivot) {
  switch (format) {
    case StoredFloat::Float16:
      return add_decoded(items, 2, count, pivot, &halves_to_floats_f16c, &add_floats_256);
    case StoredFloat::BFloat16:
      return add_decoded(items, 2, count, pivot, &bfloat16s_to_floats_avx2, &add_floats_256);
    case StoredFloat::Float32:
      break;
  }
  // The loop of floats loads at any alignment: only the pointer's type says otherwise.
  if (reinterpret_cast<std::uintptr_t>(items) % alignof(float) == 0)
    return add_floats_256(reinterpret_cast<const float*>(items), count, pivot);
  const auto copy = [](const std::byte* from, std::size_t part, float* into) { std::memcpy(into, from, part * 4); };
  return add_decoded(items, 4, count, pivot, copy, &add_floats_256);
}

void bfloat16s_to_floats_avx2(const std::byte* codes, std::size_t count, float* into) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 2 * i));
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(block), 16);
    _mm256_storeu_ps(into + i, _mm256_castsi256_ps(bits));
  }
  if (i < count) bfloat16s_to_floats_any(codes + 2 * i, count - i, into + i);
}

void halves_to_floats_f16c(const std::byte* codes, std::size_t count, float* into) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 2 * i));
    _mm256_storeu_ps(into + i, _mm256_cvtph_ps(block));
  }
  if (i < count) halves_to_floats_any(codes + 2 * i, count - i, into + i);
}

}  // namespace nns::checkpoint
