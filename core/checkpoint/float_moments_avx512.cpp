// Compiled for x86-64 with AVX-512 (F, BW, DQ, VL) only; like the other such files it calls nothing of the standard
// library.
#include <immintrin.h>

#include "core/checkpoint/float_moments.h"

namespace nns::checkpoint {

namespace {

/// Sixteen items from `at` on as floats; those that `mask` leaves out are zero and are not read.
struct LoadFloats {
  static constexpr std::size_t kBytes = 4;
  static __m512 all(const std::byte* at) { return _mm512_loadu_ps(at); }
  static __m512 some(__mmask16 mask, const std::byte* at) { return _mm512_maskz_loadu_ps(mask, at); }
};
struct LoadHalves {
  static constexpr std::size_t kBytes = 2;
  static __m512 all(const std::byte* at) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  }
  static __m512 some(__mmask16 mask, const std::byte* at) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, at));
  }
};
struct LoadBrains {
  static constexpr std::size_t kBytes = 2;
  static __m512 widen(__m256i codes) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(codes), 16));
  }
  static __m512 all(const std::byte* at) { return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))); }
  static __m512 some(__mmask16 mask, const std::byte* at) { return widen(_mm256_maskz_loadu_epi16(mask, at)); }
};

constexpr std::size_t kAhead = 1024;  // bytes

/// Four pairs of sums, because one would wait for itself.
class Sums {
 public:
  explicit Sums(double pivot) : pivot_(_mm512_set1_pd(pivot)) {}

  template <int Turn>
  void add(__m512 values) {
    low_ = _mm512_min_ps(values, low_);
    high_ = _mm512_max_ps(values, high_);
    const __m512d left = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(values)), pivot_);
    const __m512d right = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1)), pivot_);
    distance_[Turn] = _mm512_add_pd(distance_[Turn], left);
    distance_[Turn + 1] = _mm512_add_pd(distance_[Turn + 1], right);
    square_[Turn] = _mm512_fmadd_pd(left, left, square_[Turn]);
    square_[Turn + 1] = _mm512_fmadd_pd(right, right, square_[Turn + 1]);
  }
  void add_some(__mmask16 mask, __m512 values) {
    low_ = _mm512_mask_min_ps(low_, mask, values, low_);
    high_ = _mm512_mask_max_ps(high_, mask, values, high_);
    const auto below = static_cast<__mmask8>(mask);
    const auto above = static_cast<__mmask8>(mask >> 8U);
    const __m512d left = _mm512_maskz_sub_pd(below, _mm512_cvtps_pd(_mm512_castps512_ps256(values)), pivot_);
    const __m512d right = _mm512_maskz_sub_pd(above, _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1)), pivot_);
    distance_[0] = _mm512_add_pd(distance_[0], left);
    distance_[1] = _mm512_add_pd(distance_[1], right);
    square_[0] = _mm512_fmadd_pd(left, left, square_[0]);
    square_[1] = _mm512_fmadd_pd(right, right, square_[1]);
  }
  FloatMoments take(std::uint64_t zeros) const {
    const auto all = [](const __m512d(&sums)[4]) {
      return _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(sums[0], sums[1]), _mm512_add_pd(sums[2], sums[3])));
    };
    FloatMoments moments;
    moments.low = _mm512_reduce_min_ps(low_);
    moments.high = _mm512_reduce_max_ps(high_);
    moments.zeros = zeros;
    moments.distance = all(distance_);
    moments.square = all(square_);
    return moments;
  }

 private:
  __m512d pivot_;
  __m512 low_ = _mm512_set1_ps(__builtin_inff());
  __m512 high_ = _mm512_set1_ps(-__builtin_inff());
  __m512d distance_[4] = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
  __m512d square_[4] = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
};

__mmask16 zeros_of(__m512 values) { return _mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_EQ_OQ); }

template <class Load>
FloatMoments add_all(const std::byte* items, std::size_t count, double pivot) {
  Sums sums(pivot);
  std::uint64_t zeros = 0;
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    // Memory is asked for ahead: the processor itself does not look beyond a page.
    const std::byte* const ahead = items + i * Load::kBytes + kAhead;
    _mm_prefetch(ahead, _MM_HINT_T0);
    if constexpr (Load::kBytes == 4) _mm_prefetch(ahead + 64, _MM_HINT_T0);
    const __m512 first = Load::all(items + i * Load::kBytes);
    const __m512 second = Load::all(items + (i + 16) * Load::kBytes);
    zeros += static_cast<std::uint64_t>(__builtin_popcount(_mm512_kunpackw(zeros_of(first), zeros_of(second))));
    sums.add<0>(first);
    sums.add<2>(second);
  }
  for (; i < count; i += 16) {
    const auto mask = static_cast<__mmask16>(count - i >= 16 ? 0xFFFFU : (1U << (count - i)) - 1U);
    const __m512 values = Load::some(mask, items + i * Load::kBytes);
    zeros += static_cast<std::uint64_t>(__builtin_popcount(static_cast<unsigned>(zeros_of(values) & mask)));
    sums.add_some(mask, values);
  }
  return sums.take(zeros);
}

}  // namespace

FloatMoments add_stored_avx512(StoredFloat format, const std::byte* items, std::size_t count, double pivot) {
  switch (format) {
    case StoredFloat::Float16:
      return add_all<LoadHalves>(items, count, pivot);
    case StoredFloat::BFloat16:
      return add_all<LoadBrains>(items, count, pivot);
    case StoredFloat::Float32:
      break;
  }
  return add_all<LoadFloats>(items, count, pivot);
}

}  // namespace nns::checkpoint
