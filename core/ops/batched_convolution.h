#pragma once

#include "core/ops/convolution_kernels.h"

// Convolutions of floats that compute as many samples at once as a vector has lanes: no place and no channel is padded,
// however narrow the images are. Not for callers of ops.
namespace nns::ops {

/// Whether this is the way for a convolution: two dimensions, enough samples to fill the lanes, few channels, and
/// images that stay in the second cache.
bool is_batched(const ConvolutionShape& shape);

/// correlate() and correlate_weight() of floats. Must hold: is_batched(shape).
void correlate_batched(const ConvolutionShape& shape, const float* in, const float* weight, const float* bias,
                       float* out);
void correlate_weight_batched(const ConvolutionShape& shape, const float* in, const float* out, float* weight);

}  // namespace nns::ops
