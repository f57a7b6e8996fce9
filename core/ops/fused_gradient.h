#pragma once

#include <optional>

#include "core/ops/float_rows.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Not for callers of ops.
namespace nns::ops {

/// The gradient of an op that works item by item, in one pass over the gradient of the result and `read`. `floats`: a
/// kernel for float32 on the CPU; `kernels`: for all else.
/// None where the derivative itself is recorded, or where these are not floats of one dtype, shape and device: then a
/// formula of ops is what remains.
std::optional<Term> fused_gradient(const Backward& b, const Term& read, ElementKernel floats,
                                   const KernelTable& kernels);

template <class Formula>
std::optional<Term> fused_gradient(const Backward& b, const Term& read, ElementKernel floats) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, float, double>();
  return fused_gradient(b, read, floats, kTable);
}

}  // namespace nns::ops
