#pragma once

#include <string_view>

#include "core/nn/module.h"
#include "core/optim/optimizer.h"

namespace nns::optim {

/// torch.optim.swa_utils.<name> as a function object: get_ema_multi_avg_fn, get_swa_multi_avg_fn, get_ema_avg_fn,
/// get_swa_avg_fn, update_bn; Absent where there is none. The classes are OptimLibrary's: averaged_model, and SWALR
/// among the schedulers. Behaviour: torch/optim/swa_utils.py.
Value swa_function(Interpreter& interpreter, std::string_view name);

/// AveragedModel(model, ...): a copy of a model whose parameters are averages of those that it is shown.
/// Errors: what its constructor raises.
PyResult<Ref<nn::Module>> make_averaged_model(Interpreter& interpreter, const Value& model,
                                              const Keywords& keywords = {});

/// Called once, by OptimLibrary.
Class& make_averaged_model_class(Interpreter& interpreter);

}  // namespace nns::optim
