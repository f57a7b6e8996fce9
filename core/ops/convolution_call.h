#pragma once

#include "core/ops/convolution_kernels.h"
#include "core/ops/op.h"

// The sizes of a call of the ops of convolution.cpp, whose shape rule has run. Not for callers of ops.
namespace nns::ops {

/// Of `convolution`.
PyResult<ConvolutionShape> convolution_of(OpCall& call);
/// Of `_convolution_weight_gradient`.
PyResult<ConvolutionShape> weight_gradient_of(OpCall& call);

}  // namespace nns::ops
