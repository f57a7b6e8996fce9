#pragma once

#include "core/object/interpreter.h"
#include "core/optim/rule_formulas.h"
#include "core/optim/step_work.h"

// Not for callers of optim.
namespace nns::optim {

/// The steps of optimisers on a GPU. What gives an interpreter its ops on a GPU is one, too.
class DeviceSteps {
 public:
  virtual ~DeviceSteps() = default;
  /// Queue one step of the parameters of `step`. Errors: AcceleratorError  the launch failed.
  virtual object::PyResult<void> sgd(object::Interpreter& interpreter,
                                     const StepWork<SgdOptions, SgdScalars>& step) = 0;
  virtual object::PyResult<void> adam(object::Interpreter& interpreter,
                                      const StepWork<AdamOptions, AdamScalars>& step) = 0;
#define NNS_DEVICE_STEP(rule, name)                                     \
  virtual object::PyResult<void> step(object::Interpreter& interpreter, \
                                      const StepWork<rule##Options, rule##Scalars>& step) = 0;
#include "core/optim/device_steps.def"
#undef NNS_DEVICE_STEP
};

}  // namespace nns::optim
