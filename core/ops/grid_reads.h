#pragma once

#include <array>
#include <cmath>
#include <cstdint>

// Which items of an image a place of a grid reads; compiled for the CPU and for CUDA. Not for callers of ops.
// Behaviour: aten/src/ATen/native/GridSampler.h.
namespace nns::ops::grid_reads {

enum class Between : std::uint8_t { Linear, Nearest, Cubic };
enum class Outside : std::uint8_t { Zeros, Border, Reflection };

/// A number and by how much it changes with the coordinate that it was made of.
template <class T>
struct Place {
  T at = 0;
  T slope = 1;
};

/// A coordinate of the grid in items of the image.
template <class T>
constexpr Place<T> in_items(T coordinate, std::int64_t size, bool aligns_corners) {
  const T extent = static_cast<T>(size);
  if (aligns_corners) return {(coordinate + 1) / 2 * (extent - 1), (extent - 1) / 2};
  return {((coordinate + 1) * extent - 1) / 2, extent / 2};
}

template <class T>
constexpr Place<T> clipped(Place<T> place, std::int64_t size) {
  const T last = static_cast<T>(size - 1);
  if (place.at <= 0) return {0, 0};
  if (place.at >= last) return {last, 0};
  return place;
}

/// Mirrored at the edges until it lies inside.
template <class T>
constexpr Place<T> reflected(Place<T> place, std::int64_t size, bool aligns_corners) {
  const std::int64_t twice_low = aligns_corners ? 0 : -1;
  const std::int64_t twice_high = aligns_corners ? 2 * (size - 1) : 2 * size - 1;
  if (twice_low == twice_high) return {0, 0};
  const T low = static_cast<T>(twice_low) / 2;
  const T span = static_cast<T>(twice_high - twice_low) / 2;
  T at = place.at - low;
  T slope = place.slope;
  if (at < 0) {
    at = -at;
    slope = -slope;
  }
  const T extra = std::fmod(at, span);
  const auto flips = static_cast<std::int64_t>(std::floor(at / span));
  if (flips % 2 == 0) return {extra + low, slope};
  return {span - extra + low, -slope};
}

template <class T>
constexpr Place<T> moved_inside(Place<T> place, std::int64_t size, Outside outside, bool aligns_corners) {
  if (outside == Outside::Border) return clipped(place, size);
  if (outside == Outside::Reflection) return clipped(reflected(place, size, aligns_corners), size);
  return place;
}

/// What is neither a number nor near the image is far outside of it.
template <class T>
constexpr T kept_finite(T at) {
  return std::abs(at) < T(1e9) ? at : T(-100);
}

/// The items along one dimension that a place reads: their indices (-1: outside, where there is 0), weights, and by how
/// much the weights change with the coordinate.
template <class T>
struct Reads {
  std::size_t count = 0;
  std::array<std::int64_t, 4> at{};
  std::array<T, 4> weight{};
  std::array<T, 4> slope{};
};

template <class T>
constexpr std::int64_t inside_or_none(T at, std::int64_t size) {
  return at >= 0 && at <= static_cast<T>(size - 1) ? static_cast<std::int64_t>(at) : -1;
}

template <class T>
constexpr std::array<T, 4> cubic_weights(T t) {
  constexpr T kA = T(-0.75);
  const auto near = [](T x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const auto far = [](T x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}
template <class T>
constexpr std::array<T, 4> cubic_slopes(T t) {
  constexpr T kA = T(-0.75);
  const auto near = [](T x) { return (3 * (kA + 2) * x - 2 * (kA + 3)) * x; };
  const auto far = [](T x) { return (3 * kA * x - 10 * kA) * x + 8 * kA; };
  return {far(t + 1), near(t), -near(1 - t), -far(2 - t)};
}

struct GridSettings {
  Between between = Between::Linear;
  Outside outside = Outside::Zeros;
  bool aligns_corners = false;
};

template <class T>
constexpr Reads<T> reads_of(T coordinate, std::int64_t size, const GridSettings& s) {
  Reads<T> reads;
  const Place<T> plain = in_items(coordinate, size, s.aligns_corners);
  if (s.between == Between::Cubic) {
    const T base = std::floor(kept_finite(plain.at));
    const T part = kept_finite(plain.at) - base;
    reads.count = 4;
    reads.weight = cubic_weights(part);
    reads.slope = cubic_slopes(part);
    for (std::size_t i = 0; i < 4; ++i) {
      reads.slope[i] *= plain.slope;
      const Place<T> item{base - 1 + static_cast<T>(i), 1};
      reads.at[i] = inside_or_none(moved_inside(item, size, s.outside, s.aligns_corners).at, size);
    }
    return reads;
  }
  Place<T> place = moved_inside(plain, size, s.outside, s.aligns_corners);
  place.at = kept_finite(place.at);
  if (s.between == Between::Nearest) {
    reads.count = 1;
    reads.at[0] = inside_or_none(std::nearbyint(place.at), size);
    reads.weight[0] = 1;
    return reads;
  }
  const T low = std::floor(place.at);
  reads.count = 2;
  reads.at = {inside_or_none(low, size), inside_or_none(low + 1, size)};
  reads.weight = {low + 1 - place.at, place.at - low};
  reads.slope = {-place.slope, place.slope};
  return reads;
}

}  // namespace nns::ops::grid_reads
