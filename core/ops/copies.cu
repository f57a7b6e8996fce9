#include "core/ops/copy_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/pieces.cuh"

// Copies that follow strides. Where the items of the input lie side by side along another dimension than those of the
// output, tiles go through shared memory, so that both are read and written in rows.
namespace nns::ops {
namespace {

constexpr int kCopyThreads = 256;

template <class Unit>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const __grid_constant__ CopyWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kCopyThreads;
  Unit filling;
  memcpy(&filling, &work.pattern, sizeof(Unit));
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x; i < work.plan.count;
       i += step) {
    std::int64_t at[2];
    work.plan.offsets(i, at);
    put_item(work.out + at[0], work.in == nullptr ? filling : item_at<Unit>(work.in + at[1]));
  }
}

// Tiles of the two dimensions, and the plan of all other ones.
constexpr int kTile = 64, kTileRows = kCopyThreads / kTile;
struct TileWork {
  WalkPlan<2> others;
  std::byte* out = nullptr;
  const std::byte* in = nullptr;
  /// Side by side in the output, and in the input.
  std::int64_t columns = 0, rows = 0;
  /// Units: bytes.
  std::int64_t out_row_stride = 0, in_column_stride = 0;
  /// Of one plane, of which `others` has many. Must hold: there are fewer than 2^31 tiles.
  Divisor column_tiles, tiles;
};

template <class Unit>
__global__ void __launch_bounds__(kCopyThreads) tile_kernel(const __grid_constant__ TileWork work) {
  // One more in a row, so that the units of a column lie in different banks.
  __shared__ Unit tile[kTile][kTile + 1];
  const int own = static_cast<int>(threadIdx.x) % kTile, first_row = static_cast<int>(threadIdx.x) / kTile;
  const std::int64_t count = work.tiles.divisor * work.others.count;
  for (std::int64_t number = blockIdx.x; number < count; number += gridDim.x) {
    const std::uint32_t other = work.tiles.quotient(static_cast<std::uint32_t>(number));
    const std::uint32_t in_plane = static_cast<std::uint32_t>(number) - other * work.tiles.divisor;
    const std::uint32_t tile_row = work.column_tiles.quotient(in_plane);
    const std::int64_t row = std::int64_t{kTile} * tile_row;
    const std::int64_t column = std::int64_t{kTile} * (in_plane - tile_row * work.column_tiles.divisor);
    std::int64_t at[2];
    work.others.offsets(other, at);
    for (int k = first_row; k < kTile; k += kTileRows) {
      if (column + k >= work.columns || row + own >= work.rows) continue;
      tile[k][own] = item_at<Unit>(work.in + at[1] + (column + k) * work.in_column_stride +
                                   (row + own) * static_cast<std::int64_t>(sizeof(Unit)));
    }
    __syncthreads();
    for (int k = first_row; k < kTile; k += kTileRows) {
      if (row + k >= work.rows || column + own >= work.columns) continue;
      put_item(
          work.out + at[0] + (row + k) * work.out_row_stride + (column + own) * static_cast<std::int64_t>(sizeof(Unit)),
          tile[own][k]);
    }
    __syncthreads();
  }
}

template <class Unit>
void launch_tiles(const CopyWork& work, std::int32_t turned, StreamHandle stream) {
  TileWork tiles;
  tiles.out = work.out;
  tiles.in = work.in;
  tiles.columns = work.plan.dim[0].size;
  tiles.in_column_stride = work.plan.dim[0].strides[1];
  tiles.rows = work.plan.dim[turned].size;
  tiles.out_row_stride = work.plan.dim[turned].strides[0];
  for (std::int32_t k = 1; k < work.plan.dims; ++k) {
    if (k != turned) tiles.others.add(work.plan.dim[k].size, work.plan.dim[k].strides);
  }
  const auto tiles_of = [](std::int64_t items) { return static_cast<std::uint32_t>((items + kTile - 1) / kTile); };
  tiles.column_tiles = Divisor::of(tiles_of(tiles.columns));
  tiles.tiles = Divisor::of(tiles.column_tiles.divisor * tiles_of(tiles.rows));
  launch_kernel(tile_kernel<Unit>, blocks_for(tiles.tiles.divisor * tiles.others.count, 1), kCopyThreads, stream,
                tiles);
}

template <class Unit>
void launch(const CopyWork& work, StreamHandle stream) {
  if constexpr (sizeof(Unit) <= 8) {
    if (const std::int32_t turned = work.turned_dim(); turned > 0) return launch_tiles<Unit>(work, turned, stream);
  }
  launch_kernel(copy_kernel<Unit>, blocks_for(work.plan.count, kCopyThreads), kCopyThreads, stream, work);
}

}  // namespace

void launch_copy(const CopyWork& work, StreamHandle stream) {
  switch (work.unit_bytes) {
    case 1:
      return launch<unsigned char>(work, stream);
    case 2:
      return launch<unsigned short>(work, stream);
    case 4:
      return launch<unsigned>(work, stream);
    case 8:
      return launch<uint2>(work, stream);
    default:
      return launch<uint4>(work, stream);
  }
}

}  // namespace nns::ops
