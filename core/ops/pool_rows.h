#pragma once

#include <cstdint>

// The commonest pooling in the widest vectors of the processor. Not for callers of ops.
namespace nns::ops {

/// Windows of two rows and two columns that lie side by side and fill a plane from its first item on.
struct PooledPlane {
  const float* in = nullptr;
  std::int64_t in_width = 0;
  std::int64_t rows = 0, columns = 0;
  /// (rows, columns): the largest item of each window, or the last that is not a number, and its place in the plane.
  float* out = nullptr;
  std::int64_t* places = nullptr;
};
/// Must hold: the plane has fewer than 2^31 items.
void max_of_two_by_two(const PooledPlane& plane);

}  // namespace nns::ops
