#pragma once

#include "core/ops/attention_dropout.h"
#include "core/ops/cuda_kernels.h"

// Attention on a GPU, tile by tile: never all weights at once. Not for callers of ops.
namespace nns::ops {

/// The widest rows of queries, keys and values that the kernels take.
inline constexpr std::int64_t kMostAttentionWidth = 256;

/// Matrices, one for each item of a walk. Units: bytes.
struct MatrixRows {
  std::byte* data = nullptr;
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
  /// What lies in batches: these are the operands of the walk. The last three are of the backward pass.
  enum Operand : std::uint8_t { kQuery, kKey, kValue, kMask, kGrad, kOut, kQueryGrad, kKeyGrad, kValueGrad, kOperands };
  WalkPlan<kOperands> batches;
  std::int64_t queries = 0, keys = 0;
  std::int32_t width = 0, value_width = 0;
  MatrixRows query, key, value, mask, grad, out;
  /// Of query, key, value, gradient and what comes out.
  tensor::DType dtype = tensor::DType::Float32;
  std::int64_t item_bytes = 4;
  tensor::DType mask_dtype = tensor::DType::Float32;
  double scale = 1;
  bool is_causal = false;
  AttentionDropout dropout;
  /// What a block has of shared memory. Units: bytes.
  std::int64_t room = 0;
  AttentionTiles tiles;
  /// Of each row the logarithm of its sum of exponentials, dense: float, of Float64 double.
  std::byte* log_sums = nullptr;

  constexpr std::int64_t query_tiles() const { return (queries + tiles.rows - 1) / tiles.rows; }
  constexpr std::int64_t key_tiles() const { return (keys + tiles.rows - 1) / tiles.rows; }
};
void launch_attention(const AttentionWork& work, StreamHandle stream);

struct AttentionBackwardWork {
  /// With what the forward pass gave in `out` and `log_sums`.
  AttentionWork of;
  MatrixRows query_grad, key_grad, value_grad;
  /// Room for a number a row: float, of Float64 double.
  std::byte* shares = nullptr;
};
void launch_attention_backward(const AttentionBackwardWork& work, StreamHandle stream);

/// The widest rows that the kernels by tensor cores take.
inline constexpr std::int32_t kMostFlashWidth = 128;
/// Items of a row in their tiles.
constexpr std::int32_t flash_width(const AttentionWork& work) {
  return work.width <= 64 && work.value_width <= 64 ? 64 : kMostFlashWidth;
}
/// Shared memory for a block, of which no kernel needs more: rows that are 8 items longer than they must be, and two
/// numbers for each of 128. Units: bytes.
constexpr std::int64_t flash_bytes(std::int64_t width) { return (width == 64 ? 512 : 384) * (width + 8) * 2 + 256 * 4; }
/// Whether those kernels are taken: 16-bit floats of no more than so many a row, where a block has `room` bytes of
/// shared memory, and so few rows that int counts them.
constexpr bool is_flash(const AttentionWork& work) {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 30U;
  return work.item_bytes == 2 && work.width <= kMostFlashWidth && work.value_width <= kMostFlashWidth &&
         work.queries <= kMostRows && work.keys <= kMostRows && flash_bytes(flash_width(work)) <= work.room;
}
/// Must hold: is_flash(work).
void launch_flash_attention(const AttentionWork& work, StreamHandle stream);
/// Gradients of queries, keys and values. Must hold: is_flash(work.of), `shares` is filled.
void launch_flash_attention_backward(const AttentionBackwardWork& work, StreamHandle stream);

}  // namespace nns::ops
