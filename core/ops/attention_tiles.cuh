#pragma once

#include "core/ops/attention_work.h"
#include "core/ops/device_items.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/warp_matrix.cuh"

// Tiles of attention in shared memory; a block of 256 threads works on them together. Not for callers of ops.
namespace nns::ops {

constexpr int kWarps = kLineThreads / 32;

/// How a tile's items are kept, and the numbers that they become.
template <class Item>
struct TileItem {
  using Number = float;
  __device__ static float number(Item item) { return item.number(); }
  __device__ static Item of(float number) { return Item::of(number); }
};
template <>
struct TileItem<float> {
  using Number = float;
  __device__ static float number(float item) { return item; }
  __device__ static float of(float number) { return number; }
};
template <>
struct TileItem<double> {
  using Number = double;
  __device__ static double number(double item) { return item; }
  __device__ static double of(double number) { return number; }
};

/// Whether rows of `width` items of so many bytes, of which `data` is one, are read and written 16 bytes at a time.
__device__ __forceinline__ bool rows_are_packed(const MatrixRows& rows, const std::byte* data, int width,
                                                int item_bytes) {
  return rows.column_stride == item_bytes && width % (16 / item_bytes) == 0 &&
         (reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(rows.row_stride)) % 16 == 0;
}

/// Rows [first, first + rows) of a matrix with `total` rows of `width` items, the rest zeros. Must hold: no thread
/// still reads the tile.
template <class Item>
__device__ void load_tile(Item* tile, int step, int rows, int padded_width, const MatrixRows& from, std::int64_t offset,
                          std::int64_t first, std::int64_t total, int width) {
  const std::byte* const data = from.data + offset + first * from.row_stride;
  const int seen = static_cast<int>(total - first < rows ? total - first : rows);
  constexpr int kFew = 16 / static_cast<int>(sizeof(Item));
  if (rows_are_packed(from, data, width, static_cast<int>(sizeof(Item)))) {
    const int pieces = padded_width / kFew, own = width / kFew;
    for (int i = static_cast<int>(threadIdx.x); i < rows * pieces; i += kLineThreads) {
      const int row = i / pieces, piece = i - row * pieces;
      uint4 items{0, 0, 0, 0};
      if (row < seen && piece < own) items = item_at<uint4>(data + row * from.row_stride + piece * 16);
      put_item(reinterpret_cast<std::byte*>(tile + row * step + piece * kFew), items);
    }
    return;
  }
  for (int i = static_cast<int>(threadIdx.x); i < rows * padded_width; i += kLineThreads) {
    const int row = i / padded_width, column = i - row * padded_width;
    Item item{};
    if (row < seen && column < width) {
      item = item_at<Item>(data + row * from.row_stride + column * from.column_stride);
    }
    tile[row * step + column] = item;
  }
}

/// c (m x n) = [c +] a b, by the whole block. `turned`: the operand lies as its transpose. Must hold: m, n and depth
/// are multiples of 16; every thread calls it, after all have written the operands.
template <bool a_turned, bool b_turned, class Item, class Number>
__device__ void tile_product(const Item* a, int a_step, const Item* b, int b_step, Number* c, int c_step, int m, int n,
                             int depth, bool adds) {
  if constexpr (sizeof(Item) == 2) {
    const int columns = n / 16, tiles = m / 16 * columns;
    for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles; tile += kWarps) {
      const int row = tile / columns * 16, column = tile % columns * 16;
      warp_product<a_turned, b_turned>(a_turned ? a + row : a + row * a_step, a_step,
                                       b_turned ? b + column * b_step : b + column, b_step, c + row * c_step + column,
                                       c_step, depth, adds);
    }
  } else {
    // Four rows and four columns a thread.
    const int columns = n / 4, tiles = m / 4 * columns;
    for (int tile = static_cast<int>(threadIdx.x); tile < tiles; tile += kLineThreads) {
      const int row = tile / columns * 4, column = tile % columns * 4;
      Number sums[4][4] = {};
      for (int k = 0; k < depth; ++k) {
        Number left[4], right[4];
        for (int i = 0; i < 4; ++i) left[i] = a_turned ? a[k * a_step + row + i] : a[(row + i) * a_step + k];
        for (int i = 0; i < 4; ++i) right[i] = b_turned ? b[(column + i) * b_step + k] : b[k * b_step + column + i];
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
        }
      }
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          Number& to = c[(row + i) * c_step + column + j];
          to = adds ? to + sums[i][j] : sums[i][j];
        }
      }
    }
  }
}

/// The score of a query and a key of which `product` is the product: scaled and masked. Keys that are not there or not
/// to be seen: -inf.
template <class Number>
__device__ __forceinline__ Number score_of(const AttentionWork& work, std::int64_t mask_offset, std::int64_t query,
                                           std::int64_t key, Number product) {
  constexpr Number kNothing = -INFINITY;
  if (key >= work.keys || (work.is_causal && key > query)) return kNothing;
  Number score = product * static_cast<Number>(work.scale);
  if (work.mask.data == nullptr || query >= work.queries) return score;
  const std::byte* const at =
      work.mask.data + mask_offset + query * work.mask.row_stride + key * work.mask.column_stride;
  if (work.mask_dtype == DType::Bool) return item_at<unsigned char>(at) != 0 ? score : kNothing;
  return score + load_float<Number>(work.mask_dtype, at);
}

/// Writes rows of a tile of numbers to rows from `first` on of a matrix that has `total` of `width` items.
template <class Item, class Number>
__device__ void store_tile(const Number* tile, int step, int rows, const MatrixRows& to, std::int64_t offset,
                           std::int64_t first, std::int64_t total, int width) {
  std::byte* const data = to.data + offset + first * to.row_stride;
  const int seen = static_cast<int>(total - first < rows ? total - first : rows);
  for (int i = static_cast<int>(threadIdx.x); i < seen * width; i += kLineThreads) {
    const int row = i / width, column = i - row * width;
    put_item(data + row * to.row_stride + column * to.column_stride, TileItem<Item>::of(tile[row * step + column]));
  }
}

/// Parts of shared memory, one behind the other, each aligned to 32 bytes where its size is.
struct RoomForTiles {
  std::byte* next;
  template <class Item>
  __device__ Item* take(int items) {
    Item* const taken = reinterpret_cast<Item*>(next);
    next += static_cast<std::size_t>(items) * sizeof(Item);
    return taken;
  }
};

}  // namespace nns::ops
