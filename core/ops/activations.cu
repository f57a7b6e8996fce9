#include "core/ops/activation_formulas.h"
#include "core/ops/elements.cuh"
#include "core/ops/gradient_formulas.h"
#include "core/ops/several_formulas.h"

// Activations and formulas of several inputs.
#define NNS_CUDA_UNARY(name, inputs, settings, types)
#define NNS_CUDA_ACTIVATION NNS_LAUNCH_ROW
#define NNS_CUDA_BINARY(name, inputs, settings, types)
#include "core/ops/cuda_formulas.def"
