#include "core/ops/binary_formulas.h"
#include "core/ops/elements.cuh"

// Operators of two inputs.
#define NNS_CUDA_UNARY(name, inputs, settings, types)
#define NNS_CUDA_ACTIVATION(name, inputs, settings, types)
#define NNS_CUDA_BINARY NNS_LAUNCH_ROW
#include "core/ops/cuda_formulas.def"
