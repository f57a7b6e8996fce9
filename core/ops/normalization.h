#pragma once

#include "core/ops/node.h"

// What the derivatives of normalizations share. Not for callers of ops.
namespace nns::ops {

/// y = (x - mean) * invstd * weight + bias with mean and variance over `dims`, as formulas that can be differentiated.
/// All tensors have the number of dimensions of `x`, or broadcast to it.
struct NormalizationFormula {
  Term x, grad;
  /// Without a tensor: 1.
  Term weight;
  Dims dims;
  double eps = 0;
  /// Given: constants in place of the statistics of `x`.
  Term fixed_mean, fixed_invstd;

  /// The gradient of x, and the items whose sums over the batch are those of weight and bias.
  struct Gradients {
    Term x, weight, bias;
  };
  Gradients gradients(Interpreter& interpreter) const;
};

/// Errors: RuntimeError  the parameters of a normalization of `input` have another dtype; for halves float32 will do.
PyResult<void> check_parameter_dtype(OpCall& call, const Tensor& input, const Tensor* parameter);

}  // namespace nns::ops
