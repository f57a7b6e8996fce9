#pragma once

#include "core/ops/cuda_kernels.h"

// Norms of dense rows that a warp or a block keeps in registers. Not for callers of ops.
namespace nns::ops {

/// Whether the kernels of this file take such rows: 16-bit floats or float32, all of it aligned to 16 bytes, no longer
/// than a block keeps.
bool takes_dense_norm(const LayerNormWork& work);
bool takes_dense_norm(const LayerNormBackwardWork& work);

/// Layer norm, or with `mean` none RMS norm: the mean is taken for 0. Must hold: takes_dense_norm(work).
void launch_dense_norm(const LayerNormWork& work, StreamHandle stream);
/// The gradient of the input, and the parts of those of the parameters.
void launch_dense_norm_backward(const LayerNormBackwardWork& work, StreamHandle stream);

}  // namespace nns::ops
