#pragma once

#include <cstdint>
#include <span>

#include "core/ops/update_moments.h"

// Adam in the widest vectors of the processor. Not for callers of optim.
namespace nns::ops::vectors {

/// One Adam step of parameters with gradients, without a largest square: the numbers that all rows share.
struct AdamStep {
  bool maximizes = false;
  /// 1: the parameter does not shrink; 0: nothing of it is added to the gradient.
  float shrink = 1, decay = 0;
  float weight1 = 0, beta2 = 0, weight2 = 0, root_of_correction = 1, eps = 0, rate = 0;
};
struct AdamRow {
  float* param = nullptr;
  const float* grad = nullptr;
  float *average = nullptr, *square = nullptr;
  std::int64_t count = 0;
};
void adam(const AdamStep& step, std::span<const AdamRow> rows);
/// The same numbers, and what is wanted of the row.
void adam_watched(const AdamStep& step, const AdamRow& row, UpdateMoments& wanted);

}  // namespace nns::ops::vectors
