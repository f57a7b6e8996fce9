#pragma once

#include "core/ops/device_floats.cuh"
#include "core/ops/walk_plan.h"

// Item numbers below 2^31 as places in planes. Not for callers of ops.
namespace nns::ops {

/// A number split into what is counted by a divisor and the rest.
struct Split {
  std::uint32_t above, rest;
};
__device__ __forceinline__ Split split(Divisor by, std::uint32_t number) {
  const std::uint32_t above = by.quotient(number);
  return {above, number - above * by.divisor};
}
inline Divisor divisor_of(std::int64_t size) { return Divisor::of(static_cast<std::uint32_t>(size < 1 ? 1 : size)); }

/// Depth, height and width.
struct Box {
  Divisor y, x, plane;
  __device__ void places(std::uint32_t number, std::int64_t (&at)[3]) const {
    const Split row = split(x, number);
    const Split plane_of = split(y, row.above);
    at[2] = row.rest;
    at[1] = plane_of.rest;
    at[0] = plane_of.above;
  }
};
inline Box box_of(std::int64_t z, std::int64_t y, std::int64_t x) {
  return {divisor_of(y), divisor_of(x), divisor_of(z * y * x)};
}

}  // namespace nns::ops
