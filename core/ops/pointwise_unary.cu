#include "core/ops/elements.cuh"
#include "core/ops/unary_formulas.h"

// Formulas of one input.
#define NNS_CUDA_UNARY NNS_LAUNCH_ROW
#define NNS_CUDA_ACTIVATION(name, inputs, settings, types)
#define NNS_CUDA_BINARY(name, inputs, settings, types)
#include "core/ops/cuda_formulas.def"
