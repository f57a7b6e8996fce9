#pragma once

#include "core/ops/attention_tiles.cuh"
#include "core/ops/warp_fragments.cuh"

// What the kernels of attention by tensor cores share: tiles of 16-bit rows in shared memory, and what a warp holds of
// products. Not for callers of ops.
namespace nns::ops {

constexpr float kLog2E = 1.44269504088896340736F, kLn2 = 0.69314718055994530942F;

/// A tile of rows of `width` items in shared memory. Rows are 8 items longer than they must be, so that eight of them
/// lie in different banks.
template <class Bits, int in_width>
struct FlashTile {
  static constexpr int kWidth = in_width, kStep = in_width + 8, kPieces = in_width / 8;
  static constexpr int bytes(int rows) { return rows * kStep * static_cast<int>(sizeof(Bits)); }
  Bits* items;

  /// The tile that begins `rows` further down.
  __device__ __forceinline__ FlashTile behind(int rows) const { return {items + rows * kStep}; }

  /// Begins to load rows [first, first + rows) of a matrix that has `total`, of `width` items; what is not there
  /// becomes zeros. The whole block of `threads` calls it, and waits by finish_copies() and a barrier.
  template <int rows, int threads>
  __device__ __forceinline__ void begin_load(const MatrixRows& from, std::int64_t offset, int first, int total,
                                             int width) const {
    const std::byte* const data = from.data + offset + first * from.row_stride;
    const int seen = total - first;
    const int thread = static_cast<int>(threadIdx.x);
    if (rows_are_packed(from, data, width, 2)) {
      constexpr int kRowsAtOnce = threads / kPieces;
      const int piece = thread % kPieces;
      const bool is_inside = piece * 8 < width;
      const std::byte* at = data + thread / kPieces * from.row_stride + piece * 16;
      Bits* to = items + thread / kPieces * kStep + piece * 8;
#pragma unroll
      for (int row = thread / kPieces; row < rows; row += kRowsAtOnce) {
        const bool is_there = is_inside && row < seen;
        begin_copy(to, is_there ? at : from.data + offset, is_there);
        at += kRowsAtOnce * from.row_stride;
        to += kRowsAtOnce * kStep;
      }
      return;
    }
    for (int i = thread; i < rows * kWidth; i += threads) {
      const int row = i / kWidth, column = i % kWidth;
      Bits item{};
      if (row < seen && column < width) {
        item = item_at<Bits>(data + row * from.row_stride + column * from.column_stride);
      }
      items[row * kStep + column] = item;
    }
  }

  // Of 16 rows from `row` on, 16 items from `column` on: operand a.
  __device__ __forceinline__ void load_left(unsigned (&to)[4], int row, int column) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_matrices(to, items + (row + lane % 16) * kStep + column + lane / 16 * 8);
  }
  // The rows as columns of operand b: the tile is a factor that lies as its transpose. Registers 0 and 1 are of rows
  // from `row` on, 2 and 3 of those behind the first 8.
  __device__ __forceinline__ void load_right_turned(unsigned (&to)[4], int row, int column) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_matrices(to, items + (row + lane % 8 + lane / 16 * 8) * kStep + column + lane / 8 % 2 * 8);
  }
  // The rows as rows of operand b. Registers 0 and 1 are of columns from `column` on, 2 and 3 of those behind the
  // first 8.
  __device__ __forceinline__ void load_right(unsigned (&to)[4], int row, int column) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_turned_matrices(to, items + (row + lane % 16) * kStep + column + lane / 16 * 8);
  }

  /// Writes rows [begin, begin + 16) of the tile, by one warp, to rows from `first` on of a matrix that has `total` of
  /// `width` items. Must hold: what is in the tile was written by this warp, and __syncwarp() called since.
  __device__ __forceinline__ void store(int begin, const MatrixRows& to, std::int64_t offset, int first, int total,
                                        int width) const {
    std::byte* const data = to.data + offset + first * to.row_stride;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int seen = total - first < 16 ? total - first : 16;
    if (rows_are_packed(to, data, width, 2)) {
      const int piece = lane % kPieces;
      if (piece * 8 >= width) return;
#pragma unroll
      for (int row = lane / kPieces; row < 16; row += 32 / kPieces) {
        if (row >= seen) break;
        put_item(data + row * to.row_stride + piece * 16,
                 item_at<uint4>(reinterpret_cast<const std::byte*>(items + (begin + row) * kStep + piece * 8)));
      }
      return;
    }
    for (int i = lane; i < seen * kWidth; i += 32) {
      const int row = i / kWidth, column = i % kWidth;
      if (column < width)
        put_item(data + row * to.row_stride + column * to.column_stride, items[(begin + row) * kStep + column]);
    }
  }
  /// Puts a warp's product of 16 rows into rows from `begin` on, times `upper` for the first 8 and `lower` for the
  /// rest.
  __device__ __forceinline__ void put(int begin, const float (&product)[in_width / 8][4], float upper,
                                      float lower) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, row = begin + lane / 4, column = lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < in_width / 8; ++n) {
      const auto at = [&](int r) { return reinterpret_cast<std::byte*>(items + r * kStep + n * 8 + column); };
      put_item(at(row), packed<Bits>(product[n][0] * upper, product[n][1] * upper));
      put_item(at(row + 8), packed<Bits>(product[n][2] * lower, product[n][3] * lower));
    }
  }
};

/// What a warp holds of a product: `row_tiles` times 16 rows, by columns.
template <int row_tiles, int columns>
struct WarpProduct {
  float of[row_tiles][columns / 8][4];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
      for (int n = 0; n < columns / 8; ++n) {
        for (int i = 0; i < 4; ++i) of[r][n][i] = 0;
      }
    }
  }
  /// += rows of `left` from `row` on times the first `columns` rows of `right`, turned.
  template <class Bits, int width>
  __device__ __forceinline__ void add_turned(const FlashTile<Bits, width>& left, int row,
                                             const FlashTile<Bits, width>& right) {
#pragma unroll
    for (int k = 0; k < width; k += 16) {
      unsigned a[row_tiles][4];
#pragma unroll
      for (int r = 0; r < row_tiles; ++r) left.load_left(a[r], row + r * 16, k);
#pragma unroll
      for (int n = 0; n < columns; n += 16) {
        unsigned b[4];
        right.load_right_turned(b, n, k);
        multiply_both<Bits>(a, n, b);
      }
    }
  }
  /// += weights times the first `depth` rows of `right`.
  template <class Bits, int depth>
  __device__ __forceinline__ void add(const WarpProduct<row_tiles, depth>& weights,
                                      const FlashTile<Bits, columns>& right) {
#pragma unroll
    for (int k = 0; k < depth; k += 16) {
      unsigned a[row_tiles][4];
#pragma unroll
      for (int r = 0; r < row_tiles; ++r) {
        const float(&first)[4] = weights.of[r][k / 8], (&second)[4] = weights.of[r][k / 8 + 1];
        a[r][0] = packed<Bits>(first[0], first[1]);
        a[r][1] = packed<Bits>(first[2], first[3]);
        a[r][2] = packed<Bits>(second[0], second[1]);
        a[r][3] = packed<Bits>(second[2], second[3]);
      }
#pragma unroll
      for (int n = 0; n < columns; n += 16) {
        unsigned b[4];
        right.load_right(b, k, n);
        multiply_both<Bits>(a, n, b);
      }
    }
  }

 private:
  template <class Bits>
  __device__ __forceinline__ void multiply_both(const unsigned (&a)[row_tiles][4], int column, const unsigned (&b)[4]) {
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
      multiply_add<Bits>(of[r][column / 8], a[r], b[0], b[1]);
      multiply_add<Bits>(of[r][column / 8 + 1], a[r], b[2], b[3]);
    }
  }
};

/// What a warp knows of its rows and columns: where its product's number i of part n of tile r belongs.
struct WarpPlace {
  int row_in_block;
  int lane = static_cast<int>(threadIdx.x) % 32;
  __device__ int row(int r, int i) const { return row_in_block + r * 16 + lane / 4 + i / 2 * 8; }
  __device__ int column(int n, int i) const { return n * 8 + lane % 4 * 2 + i % 2; }
};

/// Scores of queries from `first` on for keys from `begin` on: -inf where a key is not there or not to be seen, and
/// with a mask (not `is_plain`) scaled, times log2(e).
template <bool is_plain, int row_tiles, int columns>
__device__ __forceinline__ void hide_keys(const AttentionWork& work, std::int64_t mask_offset, const WarpPlace& place,
                                          int first, int begin, WarpProduct<row_tiles, columns>& scores) {
  const int keys = static_cast<int>(work.keys);
  if (is_plain && begin + columns <= keys && !(work.is_causal && begin + columns > first + place.row_in_block + 1)) {
    return;
  }
#pragma unroll
  for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
    for (int n = 0; n < columns / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int query = first + place.row(r, i), key = begin + place.column(n, i);
        float& score = scores.of[r][n][i];
        if constexpr (is_plain) {
          if (key >= keys || (work.is_causal && key > query)) score = -INFINITY;
        } else {
          score = score_of(work, mask_offset, query, key, score) * kLog2E;
        }
      }
    }
  }
}

/// use(i, what dropout makes of the weight) for the four weights that a thread has of a part of a product: i / 2 counts
/// rows that are 8 apart from each other, i % 2 two neighbouring columns, of which the first is even. Without `drops`
/// it makes 1 of each.
template <bool drops, class Use>
__device__ __forceinline__ void drop_of_queries(const AttentionWork& work, std::int64_t batch, int query, int key,
                                                Use use) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if constexpr (drops) {
      const auto numbers = work.dropout.numbers(batch, work.queries, (query + half * 8) / 2, key / 2);
      const bool is_odd = query % 2 != 0;
      use(half * 2, work.dropout.factor(is_odd ? numbers.of[2] : numbers.of[0]));
      use(half * 2 + 1, work.dropout.factor(is_odd ? numbers.of[3] : numbers.of[1]));
    } else {
      use(half * 2, 1.0F);
      use(half * 2 + 1, 1.0F);
    }
  }
}
/// The same of a product whose rows are keys.
template <bool drops, class Use>
__device__ __forceinline__ void drop_of_keys(const AttentionWork& work, std::int64_t batch, int key, int query,
                                             Use use) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if constexpr (drops) {
      const auto numbers = work.dropout.numbers(batch, work.queries, query / 2, (key + half * 8) / 2);
      const bool is_odd = key % 2 != 0;
      use(half * 2, work.dropout.factor(is_odd ? numbers.of[1] : numbers.of[0]));
      use(half * 2 + 1, work.dropout.factor(is_odd ? numbers.of[3] : numbers.of[2]));
    } else {
      use(half * 2, 1.0F);
      use(half * 2 + 1, 1.0F);
    }
  }
}

/// Calls use<Bits, width, is_plain, drops>() for what a kernel is compiled for. `is_plain`: nothing but the diagonal
/// hides keys, and the scale is above 0, so that -inf times it is -inf. `drops`: with dropout.
template <class Use>
void with_flash_kernel(const AttentionWork& work, Use use) {
  const auto of_width = [&]<class Bits, int width>() {
    const bool is_plain = work.mask.data == nullptr && work.scale > 0;
    if (work.dropout.is_on) {
      return is_plain ? use.template operator()<Bits, width, true, true>()
                      : use.template operator()<Bits, width, false, true>();
    }
    return is_plain ? use.template operator()<Bits, width, true, false>()
                    : use.template operator()<Bits, width, false, false>();
  };
  const auto of_items = [&]<class Bits>() {
    return flash_width(work) == 64 ? of_width.template operator()<Bits, 64>()
                                   : of_width.template operator()<Bits, kMostFlashWidth>();
  };
  return work.dtype == DType::BFloat16 ? of_items.template operator()<BFloat16Bits>()
                                       : of_items.template operator()<HalfBits>();
}

}  // namespace nns::ops
