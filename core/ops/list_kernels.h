#pragma once

#include "core/ops/cuda_elements.h"

// Kernels over many tensors at once. Each queues its work; what went wrong in a launch, cudaGetLastError() tells. Not
// for callers of ops.
namespace nns::ops {

/// The tensors of one launch: each has blocks of its own, one for every kItems items.
struct ListWork {
  static constexpr std::uint32_t kMostTensors = 256;
  static constexpr std::int64_t kItems = 8192;
  struct Items {
    std::byte* data = nullptr;
    std::int64_t count = 0;
    std::uint32_t first_block = 0;
    tensor::DType dtype = tensor::DType::Float32;
    std::uint8_t item_bytes = 4;
  };
  std::uint32_t tensors = 0;
  std::uint32_t blocks = 0;
  Items of[kMostTensors];

  constexpr bool is_full() const { return tensors == kMostTensors; }
  /// Must hold: not full.
  constexpr void add(std::byte* data, std::int64_t count, tensor::DType dtype, std::int64_t item_bytes) {
    if (count == 0) return;
    of[tensors++] = {data, count, blocks, dtype, static_cast<std::uint8_t>(item_bytes)};
    blocks += static_cast<std::uint32_t>((count + kItems - 1) / kItems);
  }
  /// The tensor that a block works on. Must hold: block < blocks.
  constexpr std::uint32_t tensor_of(std::uint32_t block) const {
    std::uint32_t low = 0, high = tensors;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (of[middle].first_block <= block)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};

/// parts[block] = what a norm of order `p` adds up (of infinity: the largest) over the items of a block.
void launch_norm_parts(const ListWork& work, double p, double* parts, StreamHandle stream);
/// out = the norm, of `count` parts. `out` is one item of `dtype`.
void launch_norm_of_parts(const double* parts, std::int64_t count, double p, std::byte* out, tensor::DType dtype,
                          StreamHandle stream);
/// Every item times the one at `factor`.
void launch_scale(const ListWork& work, const std::byte* factor, tensor::DType dtype, StreamHandle stream);
void launch_clamp(const ListWork& work, double low, double high, StreamHandle stream);

}  // namespace nns::ops
