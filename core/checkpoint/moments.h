#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/checkpoint/float_moments.h"

namespace nns::checkpoint {

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

/// Whether one of the values is NaN or infinite.
template <class T>
bool has_non_finite(const T* values, std::size_t count) {
  if constexpr (kIsFloat<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kExponent = sizeof(T) == 4 ? Bits{0x7F800000U} : static_cast<Bits>(0x7FF0000000000000ULL);
    Bits found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, values + i, sizeof bits);
      found |= static_cast<Bits>((bits & kExponent) == kExponent);
    }
    return found != 0;
  } else {
    return false;
  }
}

/// Sums, extremes and zeros of finite values, added block by block. Eight lanes of accumulators, because one would wait
/// for itself; sums of squares are of distances from a value near the mean, because large means would swallow them.
template <class T>
class Moments {
 public:
  static constexpr std::size_t kLanes = 8;

  /// Adds nothing and gives false if one of the values is NaN or infinite.
  bool add_if_finite(const T* values, std::size_t count) {
    if constexpr (std::is_same_v<T, float>) {
      if (count == 0) return true;
      const double pivot = count_ == 0 ? pivot_of(values, count) : pivot_;
      return take(add_floats(values, count, pivot), count, pivot);
    } else {
      if (has_non_finite(values, count)) return false;
      add(values, count);
      return true;
    }
  }

  /// The same for floats as they are stored. Must hold: count() and `count` are not 0.
  bool add_stored_if_finite(StoredFloat format, const std::byte* items, std::size_t count) {
    return take(add_stored(format, items, count, pivot_), count, pivot_);
  }

  /// Must hold: all values are finite.
  void add(const T* values, std::size_t count) {
    if (count == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      add_if_finite(values, count);
      return;
    }
    if (count_ == 0) begin(values, count);
    count_ += count;
    const std::size_t whole = count / kLanes * kLanes;
    T low[kLanes];
    T high[kLanes];
    double sum[kLanes] = {};
    double distance[kLanes] = {};
    double square[kLanes] = {};
    std::uint64_t wrapped[kLanes] = {};
    std::uint32_t zero[kLanes] = {};
    std::fill_n(low, kLanes, low_);
    std::fill_n(high, kLanes, high_);
    const double pivot = pivot_;
    const auto lane = [&](T value, std::size_t j) {
      low[j] = value < low[j] ? value : low[j];
      high[j] = value > high[j] ? value : high[j];
      const auto exact = static_cast<double>(value);
      const double away = exact - pivot;
      sum[j] += exact;
      distance[j] += away;
      square[j] += away * away;
      zero[j] += static_cast<std::uint32_t>(value == T{0});
      if constexpr (!kIsFloat<T>) wrapped[j] += static_cast<std::uint64_t>(value);
    };
    for (std::size_t i = 0; i < whole; i += kLanes) {
      for (std::size_t j = 0; j < kLanes; ++j) lane(values[i + j], j);
    }
    for (std::size_t i = whole; i < count; ++i) lane(values[i], i - whole);
    for (std::size_t j = 0; j < kLanes; ++j) {
      low_ = std::min(low_, low[j]);
      high_ = std::max(high_, high[j]);
      sum_ += sum[j];
      distance_ += distance[j];
      square_ += square[j];
      wrapped_ += wrapped[j];
      zeros_ += zero[j];
    }
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t zeros() const { return zeros_; }
  /// Must hold for these two: count() is not 0.
  T low() const { return low_; }
  T high() const { return high_; }
  /// The extremes of the block that was added last, or something wider.
  T block_low() const { return std::is_same_v<T, float> ? block_low_ : low_; }
  T block_high() const { return std::is_same_v<T, float> ? block_high_ : high_; }
  double sum() const {
    if constexpr (std::is_same_v<T, float>) return pivot_ * static_cast<double>(count_) + distance_;
    return sum_;
  }
  /// Modulo 2^64; integers only.
  std::uint64_t wrapped_sum() const { return wrapped_; }
  double mean() const { return pivot_ + distance_ / static_cast<double>(count_); }
  /// Population.
  double deviation() const {
    const auto n = static_cast<double>(count_);
    return std::sqrt(std::max(0.0, (square_ - distance_ * distance_ / n) / n));
  }

 private:
  bool take(const FloatMoments& sum, std::size_t count, double pivot) {
    if (!std::isfinite(sum.distance)) return false;
    if (count_ == 0) {
      low_ = sum.low;
      high_ = sum.high;
      pivot_ = pivot;
    }
    block_low_ = sum.low;
    block_high_ = sum.high;
    low_ = std::min(low_, sum.low);
    high_ = std::max(high_, sum.high);
    zeros_ += sum.zeros;
    distance_ += sum.distance;
    square_ += sum.square;
    count_ += count;
    return true;
  }
  void begin(const T* values, std::size_t count) {
    low_ = high_ = values[0];
    pivot_ = pivot_of(values, count);
  }
  static double pivot_of(const T* values, std::size_t count) {
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += static_cast<double>(values[i]) / static_cast<double>(count);
    // With as few digits as a float has, so that its product with a count is exact up to 2^29 values.
    return std::is_same_v<T, float> ? static_cast<double>(static_cast<float>(mean)) : mean;
  }

  std::uint64_t count_ = 0;
  std::uint64_t zeros_ = 0;
  T low_ = 0;
  T high_ = 0;
  T block_low_ = 0;
  T block_high_ = 0;
  double pivot_ = 0;
  double sum_ = 0;
  double distance_ = 0;
  double square_ = 0;
  std::uint64_t wrapped_ = 0;
};

}  // namespace nns::checkpoint
