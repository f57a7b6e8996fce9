// The product of matrices in the vectors of one processor. gemm.cpp includes this once for each kind of processor,
// hence no guard; only the table there calls it.
//
// Both factors are packed into panels that lie as the innermost loop reads them, so that any strides will do; the
// result is built in tiles that stay in registers.
// Method: K. Goto, R. van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "core/ops/gemm_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums of a tile, vectors of `b` and one item of `a` fill the registers: 32 of them, or 16, of which a product
// takes one where there is no fused multiply-add.
constexpr bool kHas32Registers = HWY_TARGET <= HWY_AVX3;
constexpr bool kFuses = HWY_TARGET <= HWY_AVX2;
constexpr int kTileRows = kHas32Registers ? 8 : kFuses ? 6 : 4;
constexpr int kTileVectors = kHas32Registers ? 3 : 2;
// Steps that `b` is fetched ahead, where it was packed for other rows and has left the first cache since.
constexpr int kStepsAhead = 16;
// Lines that are asked for ahead while others are copied: each may lie on a page of its own.
constexpr std::int64_t kLinesAhead = 8;

template <class T>
using Vectors = hn::ScalableTag<T>;
template <class T>
using Lanes = hn::Vec<Vectors<T>>;

template <class T>
HWY_INLINE std::int64_t lanes_of() {
  return static_cast<std::int64_t>(hn::Lanes(Vectors<T>()));
}

// Four lines of four items that lie `line_stride` apart, exchanged, as four rows `width` apart.
template <class T>
HWY_INLINE void transpose_four(const T* from, std::int64_t line_stride, T* into, std::int64_t width) {
  if constexpr (sizeof(T) == 4) {
    const hn::FixedTag<T, 4> d;
    const hn::Repartition<std::uint64_t, decltype(d)> pairs;
    const auto a = hn::LoadU(d, from);
    const auto b = hn::LoadU(d, from + line_stride);
    const auto c = hn::LoadU(d, from + 2 * line_stride);
    const auto e = hn::LoadU(d, from + 3 * line_stride);
    const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, into);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, into + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, into + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, into + 3 * width);
  } else {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) into[i * width + j] = from[j * line_stride + i];
    }
  }
}

// Two such lines.
template <class T>
HWY_INLINE void transpose_two(const T* from, std::int64_t line_stride, T* into, std::int64_t width) {
  if constexpr (sizeof(T) == 4) {
    const hn::FixedTag<T, 4> d;
    const hn::Half<decltype(d)> half;
    const auto a = hn::LoadU(d, from);
    const auto b = hn::LoadU(d, from + line_stride);
    const auto low = hn::InterleaveLower(d, a, b);
    const auto high = hn::InterleaveUpper(d, a, b);
    hn::StoreU(hn::LowerHalf(half, low), half, into);
    hn::StoreU(hn::UpperHalf(half, low), half, into + width);
    hn::StoreU(hn::LowerHalf(half, high), half, into + 2 * width);
    hn::StoreU(hn::UpperHalf(half, high), half, into + 3 * width);
  } else {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 2; ++j) into[i * width + j] = from[j * line_stride + i];
    }
  }
}

// kWidth lines that lie side by side, at every step of the depth.
template <int kWidth, class T>
HWY_INLINE void copy_lines(const T* from, std::int64_t depth_stride, std::int64_t depth, T* into) {
  for (std::int64_t p = 0; p < depth; ++p) {
    hwy::Prefetch(from + kLinesAhead * depth_stride);
    std::memcpy(into, from, static_cast<std::size_t>(kWidth) * sizeof(T));
    from += depth_stride;
    into += kWidth;
  }
}

// The same for kPanels panels whose lines all lie side by side: a cache line is read once for all of them.
template <int kWidth, int kPanels, class T>
HWY_INLINE void copy_panels(const T* from, std::int64_t depth_stride, std::int64_t depth, T* into) {
  constexpr std::int64_t kItemsOfCacheLine = 64 / sizeof(T);
  for (std::int64_t p = 0; p < depth; ++p) {
    const T* const ahead = from + kLinesAhead * depth_stride;
    for (std::int64_t i = 0; i < std::int64_t{kWidth} * kPanels; i += kItemsOfCacheLine) hwy::Prefetch(ahead + i);
#pragma GCC unroll 8
    for (int panel = 0; panel < kPanels; ++panel) {
      std::memcpy(into + panel * kWidth * depth, from + panel * kWidth, static_cast<std::size_t>(kWidth) * sizeof(T));
    }
    from += depth_stride;
    into += kWidth;
  }
}

// `count` lines (rows of a, columns of b) of `depth` items each, side by side: into[p * width + line]. Lines up to
// `width`, at most kWidth, that are not there are 0.
template <int kWidth, class T>
HWY_INLINE void pack_panel(const T* from, std::int64_t line_stride, std::int64_t depth_stride, std::int64_t count,
                           std::int64_t depth, std::int64_t width, T* into) {
  std::int64_t line = 0;
  if (line_stride == 1 && count == kWidth && width == kWidth)
    return copy_lines<kWidth>(from, depth_stride, depth, into);
  if (depth_stride == 1) {
    constexpr std::int64_t kItemsOfCacheLine = 64 / sizeof(T);
    const std::int64_t whole = depth / 4 * 4;
    for (; line + 4 <= count; line += 4) {
      const T* const at = from + line * line_stride;
      for (std::int64_t p = 0; p < whole; p += 4) {
        // The next lines begin somewhere else: nothing but this fetches them in time.
        if (p % kItemsOfCacheLine == 0) {
          for (int i = 4; i < 8; ++i) hwy::Prefetch(at + i * line_stride + p);
        }
        transpose_four(at + p, line_stride, into + p * width + line, width);
      }
    }
    for (; line + 2 <= count; line += 2) {
      const T* const at = from + line * line_stride;
      for (std::int64_t p = 0; p < whole; p += 4) transpose_two(at + p, line_stride, into + p * width + line, width);
    }
    for (std::int64_t p = whole; p < depth; ++p) {
      for (std::int64_t i = 0; i < line; ++i) into[p * width + i] = from[i * line_stride + p];
    }
  }
  for (std::int64_t p = 0; line < count && p < depth; ++p) {
    for (std::int64_t i = line; i < count; ++i) into[p * width + i] = from[i * line_stride + p * depth_stride];
  }
  for (std::int64_t p = 0; count < width && p < depth; ++p)
    std::fill(into + p * width + count, into + (p + 1) * width, T());
}

// Writes or adds `count` sums. A function of its own: inlined, GCC 12 sees copies beyond `part` that are none.
template <class T>
HWY_NOINLINE void store_part(const T* part, T* at, std::int64_t count, bool adds) {
  for (std::int64_t j = 0; j < count; ++j) at[j] = adds ? at[j] + part[j] : part[j];
}
// Writes or adds the sums of the columns from `first` on, of which `columns` are there.
template <class T>
HWY_INLINE void store_sums(Lanes<T> sums, T* at, std::int64_t first, std::int64_t columns, bool adds) {
  const Vectors<T> d;
  const std::int64_t lanes = lanes_of<T>();
  if (first + lanes <= columns) [[likely]] {
    hn::StoreU(adds ? hn::Add(hn::LoadU(d, at), sums) : sums, d, at);
  } else if (first < columns) {
    HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(sums, d, part);
    store_part(part, at, columns - first, adds);
  }
}

// A tile of the result: kRows rows of kVectors vectors, of which `rows` and `columns` lie inside.
template <int kRows, int kVectors, class T>
HWY_INLINE void multiply_tile(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::int64_t depth, T* HWY_RESTRICT out,
                              std::int64_t out_stride, std::int64_t rows, std::int64_t columns, bool adds) {
  const Vectors<T> d;
  const std::int64_t lanes = lanes_of<T>();
  Lanes<T> sums[static_cast<std::size_t>(kRows)][static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (int i = 0; i < kRows && i < rows; ++i) {
    hwy::Prefetch(out + i * out_stride);
    hwy::Prefetch(out + i * out_stride + kVectors * lanes - 1);
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    Lanes<T> line[static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) line[v] = hn::Load(d, b + v * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Lanes<T> item = hn::Set(d, a[i]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(item, line[v], sums[i][v]);
    }
    constexpr int kVectorsOfCacheLine = std::max<int>(1, 64 / HWY_MAX_BYTES);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; v += kVectorsOfCacheLine) hwy::Prefetch(b + (kStepsAhead * kVectors + v) * lanes);
    a += kTileRows;
    b += kVectors * lanes;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    if (i >= rows) return;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      store_sums(sums[i][v], out + i * out_stride + lanes * v, lanes * v, columns, adds);
    }
  }
}

// The same for whatever part of a tile lies inside.
template <int kVectors, class T>
HWY_INLINE void multiply_rows(const T* a, const T* b, std::int64_t depth, T* out, std::int64_t out_stride,
                              std::int64_t rows, std::int64_t columns, bool adds) {
  if (rows <= 2) return multiply_tile<2, kVectors>(a, b, depth, out, out_stride, rows, columns, adds);
  if (rows <= 4) return multiply_tile<4, kVectors>(a, b, depth, out, out_stride, rows, columns, adds);
  multiply_tile<kTileRows, kVectors>(a, b, depth, out, out_stride, rows, columns, adds);
}
template <class T>
HWY_INLINE void multiply_edge(std::int64_t vectors, const T* a, const T* b, std::int64_t depth, T* out,
                              std::int64_t out_stride, std::int64_t rows, std::int64_t columns, bool adds) {
  if (vectors == 1) return multiply_rows<1>(a, b, depth, out, out_stride, rows, columns, adds);
  if constexpr (kTileVectors > 2) {
    if (vectors == 2) return multiply_rows<2>(a, b, depth, out, out_stride, rows, columns, adds);
  }
  multiply_rows<kTileVectors>(a, b, depth, out, out_stride, rows, columns, adds);
}

// The rows of a block of `a` times a panel of `b`, both packed.
template <class T>
HWY_INLINE void multiply_panel(const T* a, std::int64_t rows, const T* b, std::int64_t columns, std::int64_t depth,
                               T* out, std::int64_t out_stride, bool adds) {
  const std::int64_t lanes = lanes_of<T>();
  const std::int64_t vectors = (columns + lanes - 1) / lanes;
  std::int64_t row = 0;
  if (columns == lanes * kTileVectors) {
    for (; row + kTileRows <= rows; row += kTileRows) {
      multiply_tile<kTileRows, kTileVectors>(a + row * depth, b, depth, out + row * out_stride, out_stride, kTileRows,
                                             columns, adds);
    }
  }
  for (; row < rows; row += kTileRows) {
    multiply_edge(vectors, a + row * depth, b, depth, out + row * out_stride, out_stride,
                  std::min<std::int64_t>(kTileRows, rows - row), columns, adds);
  }
}

// A block of `a`, panel after panel.
template <class T>
HWY_INLINE void pack_rows(const T* from, std::int64_t row_stride, std::int64_t depth_stride, std::int64_t rows,
                          std::int64_t depth, T* into) {
  constexpr int kPanels = 8;
  std::int64_t row = 0;
  if (row_stride == 1) {
    for (; row + kTileRows * kPanels <= rows; row += kTileRows * kPanels)
      copy_panels<kTileRows, kPanels>(from + row, depth_stride, depth, into + row * depth);
  }
  for (; row < rows; row += kTileRows) {
    pack_panel<kTileRows>(from + row * row_stride, row_stride, depth_stride,
                          std::min<std::int64_t>(kTileRows, rows - row), depth, kTileRows, into + row * depth);
  }
}

template <class T>
void multiply_packed(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
                     bool accumulates, const FinishedParts<T>& finished, GemmScratch<T>& a_scratch,
                     GemmScratch<T>& b_scratch) {
  const std::int64_t lanes = lanes_of<T>();
  const std::int64_t width = lanes * kTileVectors;
  const auto rounded = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size * size; };
  // Blocks of like depth: a short last one would load and store every sum for next to nothing.
  const std::int64_t depths = std::max<std::int64_t>(1, (a.columns + GemmBlocks::kDepth - 1) / GemmBlocks::kDepth);
  const std::int64_t most_depth = (a.columns + depths - 1) / depths;
  T* const packed_a = a_scratch.at_least(rounded(std::min(a.rows, GemmBlocks::kRows), kTileRows) * most_depth);
  T* const packed_b = b_scratch.at_least(rounded(std::min(b.columns, GemmBlocks::kColumns), width) * most_depth);

  for (std::int64_t column = 0; column < out.columns; column += GemmBlocks::kColumns) {
    const std::int64_t columns = std::min(GemmBlocks::kColumns, out.columns - column);
    for (std::int64_t first = 0; first < a.columns; first += most_depth) {
      const std::int64_t depth = std::min(most_depth, a.columns - first);
      const bool adds = accumulates || first > 0;
      for (std::int64_t row = 0; row < out.rows; row += GemmBlocks::kRows) {
        const std::int64_t rows = std::min(GemmBlocks::kRows, out.rows - row);
        pack_rows(a.data + row * a.row_stride + first * a.column_stride, a.row_stride, a.column_stride, rows, depth,
                  packed_a);
        for (std::int64_t j = 0; j < columns; j += width) {
          const std::int64_t count = std::min(width, columns - j);
          T* const panel = packed_b + j * depth;
          // Packed for the first rows right before they read it: then it lies in the first cache.
          if (row == 0) {
            pack_panel<kTileVectors * HWY_MAX_BYTES / sizeof(T)>(
                b.data + first * b.row_stride + (column + j) * b.column_stride, b.column_stride, b.row_stride, count,
                depth, rounded(count, lanes), panel);
          }
          T* const at = out.data + row * out.row_stride + column + j;
          multiply_panel(packed_a, rows, panel, count, depth, at, out.row_stride, adds);
          if (finished && first + depth == a.columns) [[unlikely]]
            finished({at, rows, count, out.row_stride, 1});
        }
      }
    }
  }
}

// Products that are too small to be packed.
constexpr std::int64_t kSmallDepth = 64, kSmallColumns = 64;
// A tile of a small product: `a` is read where it lies, the rows of `b` are whole vectors and lie `b_stride` apart; of
// the last vector `columns` are left for the result.
template <int kRows, int kVectors, class T>
HWY_INLINE void multiply_small_tile(const MatrixView<const T>& a, std::int64_t row, const T* HWY_RESTRICT b,
                                    std::int64_t b_stride, T* HWY_RESTRICT out, std::int64_t out_stride,
                                    std::int64_t columns, bool adds) {
  const Vectors<T> d;
  const std::int64_t lanes = lanes_of<T>();
  const T* from = a.data + row * a.row_stride;
  Lanes<T> sums[static_cast<std::size_t>(kRows)][static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (std::int64_t p = 0; p < a.columns; ++p) {
    Lanes<T> line[static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) line[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Lanes<T> item = hn::Set(d, from[i * a.row_stride]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(item, line[v], sums[i][v]);
    }
    from += a.column_stride;
    b += b_stride;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      store_sums(sums[i][v], out + i * out_stride + lanes * v, lanes * v, columns, adds);
    }
  }
}

template <int kVectors, class T>
HWY_INLINE void multiply_small_columns(const MatrixView<const T>& a, const T* b, std::int64_t b_stride,
                                       const MatrixView<T>& out, std::int64_t column, std::int64_t columns, bool adds) {
  std::int64_t row = 0;
  T* at = out.data + column;
  for (; row + kTileRows <= out.rows; row += kTileRows, at += kTileRows * out.row_stride)
    multiply_small_tile<kTileRows, kVectors>(a, row, b, b_stride, at, out.row_stride, columns, adds);
  for (; row + 4 <= out.rows; row += 4, at += 4 * out.row_stride)
    multiply_small_tile<4, kVectors>(a, row, b, b_stride, at, out.row_stride, columns, adds);
  for (; row < out.rows; ++row, at += out.row_stride)
    multiply_small_tile<1, kVectors>(a, row, b, b_stride, at, out.row_stride, columns, adds);
}

// Gives the same numbers as multiply_packed: each is one chain of sums along the depth, added to what is there.
template <class T>
void multiply_small(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
                    bool accumulates) {
  const std::int64_t lanes = lanes_of<T>();
  HWY_ALIGN T packed[static_cast<std::size_t>(kSmallDepth * kSmallColumns)];
  const T* from = b.data;
  std::int64_t stride = b.row_stride;
  if (b.column_stride != 1 || b.columns % lanes != 0) {
    stride = (b.columns + lanes - 1) / lanes * lanes;
    pack_panel<static_cast<int>(HWY_MAX_BYTES / sizeof(T))>(b.data, b.column_stride, b.row_stride, b.columns, b.rows,
                                                            stride, packed);
    from = packed;
  }
  for (std::int64_t column = 0; column < out.columns;) {
    const std::int64_t left = out.columns - column;
    if (left > lanes) {
      const std::int64_t columns = std::min(left, 2 * lanes);
      multiply_small_columns<2>(a, from + column, stride, out, column, columns, accumulates);
      column += columns;
    } else {
      multiply_small_columns<1>(a, from + column, stride, out, column, left, accumulates);
      column += left;
    }
  }
}

template <class T>
void multiply(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out, bool accumulates,
              const FinishedParts<T>& finished) {
  // Highway has no vectors of doubles for WebAssembly.
  if constexpr (sizeof(T) == 4 || HWY_HAVE_FLOAT64) {
    if (b.rows <= kSmallDepth && b.columns <= kSmallColumns && a.rows <= kSmallColumns && b.rows > 0) {
      multiply_small(a, b, out, accumulates);
      if (finished) finished({out.data, out.rows, out.columns, out.row_stride, 1});
      return;
    }
    static thread_local GemmScratch<T> a_scratch, b_scratch;
    multiply_packed(a, b, out, accumulates, finished, a_scratch, b_scratch);
  }
}

inline void multiply_floats(const MatrixView<const float>& a, const MatrixView<const float>& b,
                            const MatrixView<float>& out, bool accumulates, const FinishedParts<float>& finished) {
  multiply(a, b, out, accumulates, finished);
}
inline void multiply_doubles(const MatrixView<const double>& a, const MatrixView<const double>& b,
                             const MatrixView<double>& out, bool accumulates, const FinishedParts<double>& finished) {
  multiply(a, b, out, accumulates, finished);
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
