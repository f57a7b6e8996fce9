#pragma once

#include "core/ops/cuda_kernels.h"

// Items at places that tensors of integers name, running sums and triangles, on a GPU. Not for callers of ops.
namespace nns::ops {

/// The most indices that a kernel takes at once: x[i, j, :, k] has three.
inline constexpr std::size_t kMostIndices = 4;

/// One index: whole numbers that name places of one dimension.
struct DeviceIndex {
  const std::byte* data = nullptr;
  bool is_long = true;
  /// Of the dimension, and from one place to the next. Units of the stride: bytes.
  std::int64_t size = 0, stride = 0;
};

/// A walk over places. Operand 0: what is indexed, in the dimensions that no index names; operand 1: what lies beside
/// the indices; from 2 on: the indices.
struct IndexWork {
  WalkPlan<kMostIndices + 2> plan;
  std::byte* indexed = nullptr;
  std::byte* beside = nullptr;
  std::int64_t item_bytes = 4;
  std::int32_t indices = 0;
  DeviceIndex index[kMostIndices];
  /// -1 is the last place.
  bool takes_negative = false;
  int* complaint = nullptr;
};
/// beside = what the indices name.
void launch_take(const IndexWork& work, StreamHandle stream);
/// What the indices name = beside. Which of several for one place stays is not said.
void launch_put(const IndexWork& work, StreamHandle stream);
/// numbers[i] = the places that the indices name at place i of the walk, counted over their dimensions; -1 and a
/// complaint where there is none.
void launch_place_numbers(const IndexWork& work, std::int64_t* numbers, StreamHandle stream);

enum class ScanKind : std::uint8_t { Sum, Product, LogSumExp, Largest, Smallest };

/// Running results of `lines.count` lines of `length` items. Operand 0 of `lines` is the input, 1 the output.
struct ScanWork {
  ScanKind kind = ScanKind::Sum;
  WalkPlan<2> lines;
  std::int64_t length = 0;
  /// Units: bytes.
  std::int64_t in_stride = 0, out_stride = 0;
  DeviceNumbers in, out;
  /// Of extremes: where they stand in their lines; it lies as the output does.
  std::int64_t* places = nullptr;
  /// Whole numbers, else in double.
  bool is_whole = false;
};
void launch_scan(const ScanWork& work, StreamHandle stream);

/// The places of the items that are not 0. Each of `parts` blocks looks at `part_items` items of the walk, in order.
struct NonzeroWork {
  WalkPlan<1> plan;
  const std::byte* in = nullptr;
  std::int32_t item_bytes = 4;
  /// The bits that make an item other than 0: a sign does not.
  std::uint64_t bits = 0;
  std::int64_t parts = 1, part_items = 0;
  /// One more than there are parts: how many each has, and behind them how many there are.
  std::int64_t* counts = nullptr;
  /// `dims` numbers an item: its place in each dimension.
  std::int32_t dims = 0;
  std::int64_t sizes[WalkPlan<1>::kMostDims] = {};
  std::int64_t* out = nullptr;
};
void launch_nonzero_counts(const NonzeroWork& work, StreamHandle stream);
void launch_nonzero(const NonzeroWork& work, StreamHandle stream);

/// out = the items of `in` on one side of a diagonal, the others 0. Operand 0 of the walk is the input, 1 the output;
/// its items are those of matrices in order.
struct TriangleWork {
  WalkPlan<2> plan;
  std::int64_t rows = 0, columns = 0, diagonal = 0;
  bool keeps_lower = true;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::int64_t item_bytes = 4;
};
void launch_triangle(const TriangleWork& work, StreamHandle stream);

}  // namespace nns::ops
