// The loop of add_floats() for vectors of `Bytes` bytes. Included by files that are compiled for different processors:
// so it stands in an unnamed namespace and calls nothing of the standard library but memcpy, of which no copy for the
// wrong processor may be linked.
#pragma once

#include <cstring>

#include "core/checkpoint/float_moments.h"

namespace nns::checkpoint {
namespace {

// Spelled out: GCC takes no vector size that depends on a parameter.
template <std::size_t Bytes>
struct Vectors;
template <>
struct Vectors<16> {
  using Floats = float __attribute__((vector_size(16)));
  using Marks = std::int32_t __attribute__((vector_size(16)));
  using HalfFloats = float __attribute__((vector_size(8)));
  using Doubles = double __attribute__((vector_size(16)));
};
template <>
struct Vectors<32> {
  using Floats = float __attribute__((vector_size(32)));
  using Marks = std::int32_t __attribute__((vector_size(32)));
  using HalfFloats = float __attribute__((vector_size(16)));
  using Doubles = double __attribute__((vector_size(32)));
};

template <std::size_t Bytes>
FloatMoments add_floats_body(const float* values, std::size_t count, double pivot) {
  using Floats = typename Vectors<Bytes>::Floats;
  using Marks = typename Vectors<Bytes>::Marks;
  using HalfFloats = typename Vectors<Bytes>::HalfFloats;
  using Doubles = typename Vectors<Bytes>::Doubles;
  constexpr std::size_t kLanes = Bytes / sizeof(float);

  Floats low;
  Floats high;
  Marks zeros{};
  Doubles distance[2] = {};
  Doubles square[2] = {};
  for (std::size_t j = 0; j < kLanes; ++j) low[j] = high[j] = values[0];
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Floats block;
    __builtin_prefetch(values + i + 256);  // a kilobyte ahead, across the page's end
    std::memcpy(&block, values + i, sizeof block);
    low = block < low ? block : low;
    high = block > high ? block : high;
    zeros -= block == 0.0F;
    for (std::size_t half = 0; half < 2; ++half) {
      HalfFloats part;
      std::memcpy(&part, values + i + half * kLanes / 2, sizeof part);
      const Doubles away = __builtin_convertvector(part, Doubles) - pivot;
      distance[half] += away;
      square[half] += away * away;
    }
  }
  FloatMoments sum;
  sum.low = low[0];
  sum.high = high[0];
  for (std::size_t j = 0; j < kLanes; ++j) {
    sum.low = low[j] < sum.low ? low[j] : sum.low;
    sum.high = high[j] > sum.high ? high[j] : sum.high;
    sum.zeros += static_cast<std::uint64_t>(zeros[j]);
  }
  for (std::size_t j = 0; j < kLanes / 2; ++j) {
    sum.distance += distance[0][j] + distance[1][j];
    sum.square += square[0][j] + square[1][j];
  }
  for (; i < count; ++i) {
    const float value = values[i];
    sum.low = value < sum.low ? value : sum.low;
    sum.high = value > sum.high ? value : sum.high;
    sum.zeros += static_cast<std::uint64_t>(value == 0.0F);
    const double away = static_cast<double>(value) - pivot;
    sum.distance += away;
    sum.square += away * away;
  }
  return sum;
}

/// Adds `more`, which was found with the same pivot.
inline void join(FloatMoments& sum, const FloatMoments& more) {
  sum.low = more.low < sum.low ? more.low : sum.low;
  sum.high = more.high > sum.high ? more.high : sum.high;
  sum.zeros += more.zeros;
  sum.distance += more.distance;
  sum.square += more.square;
}

/// By way of a few kilobytes of floats: decode(items, count, into), then add(floats, count, pivot).
template <class Decode, class Add>
FloatMoments add_decoded(const std::byte* items, std::size_t item_bytes, std::size_t count, double pivot, Decode decode,
                         Add add) {
  constexpr std::size_t kBlock = 1024;
  float block[kBlock];
  FloatMoments sum;
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t part = count - done < kBlock ? count - done : kBlock;
    decode(items + done * item_bytes, part, block);
    const FloatMoments found = add(block, part, pivot);
    if (done == 0) {
      sum = found;
    } else {
      join(sum, found);
    }
  }
  return sum;
}

}  // namespace
}  // namespace nns::checkpoint
