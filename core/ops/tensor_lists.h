#pragma once

#include <span>

#include "core/ops/op.h"

namespace nns::ops {

/// Work on many tensors at once, in a few launches: what clipping of gradients does. What gives an interpreter its ops
/// on a GPU is one, too.
class TensorLists {
 public:
  virtual ~TensorLists() = default;
  /// Those of the interpreter's GPU where all of `tensors` fit: floats there that lie without gaps. Else null.
  static TensorLists* of(Interpreter& interpreter, std::span<const Ref<Tensor>> tensors);

  /// `out` = the norm of order `p` of all items together. Must hold: p > 0; at least one tensor.
  /// Errors: AcceleratorError  a launch failed.
  virtual PyResult<void> norm(std::span<const Ref<Tensor>> tensors, double p, const Tensor& out) = 0;
  /// Multiplies all items by the one item of `factor`.
  virtual PyResult<void> scale(std::span<const Ref<Tensor>> tensors, const Tensor& factor) = 0;
  /// Puts all items between the two. NaN stays.
  virtual PyResult<void> clamp(std::span<const Ref<Tensor>> tensors, double low, double high) = 0;
};

}  // namespace nns::ops
