#pragma once

#include "core/ops/cuda_elements.h"

// Copies of items as they are, and fills. Not for callers of ops.
namespace nns::ops {

/// Operand 0 of the plan is written, operand 1 read; its items are units of 1, 2, 4, 8 or 16 bytes. Without `in` all
/// units become what `pattern` begins with; then operand 1 lies as operand 0 does.
struct CopyWork {
  WalkPlan<2> plan;
  std::byte* out = nullptr;
  const std::byte* in = nullptr;
  std::int64_t unit_bytes = 0;
  std::array<unsigned char, 16> pattern{};

  /// Joins units that lie in a row in both operands, up to 16 bytes.
  constexpr void widen(std::uintptr_t out_at, std::uintptr_t in_at) {
    while (unit_bytes < 16 && plan.dims > 0 && plan.dim[0].size % 2 == 0) {
      const std::int64_t wider = 2 * unit_bytes;
      bool fits = out_at % static_cast<std::uintptr_t>(wider) == 0 && in_at % static_cast<std::uintptr_t>(wider) == 0;
      for (std::int32_t k = 0; k < plan.dims; ++k) {
        for (const std::int64_t stride : plan.dim[k].strides) {
          fits = fits && (k == 0 ? stride == unit_bytes : stride % wider == 0);
        }
      }
      if (!fits) return;
      plan.join_items(2);
      unit_bytes = wider;
    }
  }
  /// The dimension along which the input's units lie side by side where the output's do so along the innermost one; or
  /// 0. Such a copy goes by tiles.
  constexpr std::int32_t turned_dim() const {
    if (plan.dims < 2 || plan.dim[0].strides[0] != unit_bytes || plan.dim[0].strides[1] == unit_bytes) return 0;
    for (std::int32_t k = 1; k < plan.dims; ++k) {
      if (plan.dim[k].strides[1] == unit_bytes && plan.dim[k].size >= 16 && plan.dim[0].size >= 16) return k;
    }
    return 0;
  }
};
void launch_copy(const CopyWork& work, StreamHandle stream);

}  // namespace nns::ops
