#pragma once

#include "core/ops/cuda_kernels.h"

// Attention on a GPU, tile by tile: never all weights at once. Not for callers of ops.
namespace nns::ops {

/// The widest rows of queries, keys and values that the kernels take.
inline constexpr std::int64_t kMostAttentionWidth = 256;

/// Matrices, one for each item of a walk. Units: bytes.
struct MatrixRows {
  const std::byte* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;
};

/// How large tiles are: `rows` queries by `rows` keys. In shared memory rows are a few items longer than they must be,
/// so that threads do not wait for each other's banks.
struct AttentionTiles {
  std::int32_t rows = 16;
  /// Multiples of 16.
  std::int32_t width = 16, value_width = 16;

  /// From one row to the next. Units: items.
  constexpr std::int32_t step() const { return width + 8; }
  constexpr std::int32_t value_step() const { return value_width + 8; }
  constexpr std::int32_t score_step() const { return rows + 8; }
  /// Bytes of shared memory. `item`: of a number as it is read, `number`: as it is computed.
  constexpr std::int64_t forward_bytes(std::int64_t item, std::int64_t number) const {
    return rows * (item * (2 * step() + value_step() + score_step()) + number * (value_step() + score_step() + 2));
  }
  constexpr std::int64_t backward_bytes(std::int64_t item, std::int64_t number) const {
    return rows * (item * (2 * step() + 2 * value_step() + 2 * score_step()) +
                   number * (step() + value_step() + 2 * score_step()));
  }
};
/// The largest tiles whose `bytes` (a member of AttentionTiles) fit into `room`; of 0 rows where none do.
constexpr AttentionTiles attention_tiles(std::int64_t width, std::int64_t value_width, std::int64_t item,
                                         std::int64_t number, std::int64_t room,
                                         std::int64_t (AttentionTiles::*bytes)(std::int64_t, std::int64_t) const) {
  const auto rounded = [](std::int64_t size) {
    return static_cast<std::int32_t>(size < 1 ? 16 : (size + 15) / 16 * 16);
  };
  AttentionTiles tiles{64, rounded(width), rounded(value_width)};
  while (tiles.rows >= 16 && (tiles.*bytes)(item, number) > room) tiles.rows /= 2;
  if (tiles.rows < 16) tiles.rows = 0;
  return tiles;
}

struct AttentionWork {
  /// Operands: query, key, value, mask, gradient of the result.
  WalkPlan<5> batches;
  std::int64_t queries = 0, keys = 0;
  std::int32_t width = 0, value_width = 0;
  MatrixRows query, key, value, mask, grad;
  /// Of query, key, value and gradient.
  tensor::DType dtype = tensor::DType::Float32;
  std::int64_t item_bytes = 4;
  tensor::DType mask_dtype = tensor::DType::Float32;
  double scale = 1;
  bool is_causal = false;
  AttentionTiles tiles;
  /// Dense. Of each row the logarithm of its sum of exponentials: float, of Float64 double.
  std::byte* out = nullptr;
  std::byte* log_sums = nullptr;

  constexpr std::int64_t query_tiles() const { return (queries + tiles.rows - 1) / tiles.rows; }
  constexpr std::int64_t key_tiles() const { return (keys + tiles.rows - 1) / tiles.rows; }
};
void launch_attention(const AttentionWork& work, StreamHandle stream);

struct AttentionBackwardWork {
  AttentionWork of;
  /// Dense: of the forward pass in `of.out` and `of.log_sums`, and the gradients.
  std::byte* query_grad = nullptr;
  std::byte* key_grad = nullptr;
  std::byte* value_grad = nullptr;
  /// Room for a number a row: float, of Float64 double.
  std::byte* shares = nullptr;
};
void launch_attention_backward(const AttentionBackwardWork& work, StreamHandle stream);

}  // namespace nns::ops
