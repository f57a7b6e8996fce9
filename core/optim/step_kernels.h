#pragma once

#include "core/ops/cuda_elements.h"
#include "core/optim/rule_formulas.h"
#include "core/optim/step_work.h"

// The kernels of optimisers' steps: each queues its work; what went wrong in a launch, cudaGetLastError() tells. Not
// for callers of optim.
namespace nns::optim {

/// Numbers are float, of Float64 double; the 16-bit floats are rounded once, when they are written.
void launch_sgd(const StepWork<SgdOptions, SgdScalars>& step, ops::StreamHandle stream);
void launch_adam(const StepWork<AdamOptions, AdamScalars>& step, ops::StreamHandle stream);
#define NNS_DEVICE_STEP(rule, name) \
  void launch_step(const StepWork<rule##Options, rule##Scalars>& step, ops::StreamHandle stream);
#include "core/optim/device_steps.def"
#undef NNS_DEVICE_STEP

}  // namespace nns::optim
