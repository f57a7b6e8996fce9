#pragma once

#include "core/nn/module.h"

namespace nns::summary {

/// A copy of a module that can be called without a trace in the module: its attributes, buffers and tensors are its
/// own. `on_meta`: its tensors are meta tensors, so that nothing is copied and nothing computed; else it shares the
/// parameters, which a call does not change.
/// Errors: what the program's own __deepcopy__ raises.
object::PyResult<object::Ref<nn::Module>> isolated_copy(object::Interpreter& interpreter, nn::Module& model,
                                                        bool on_meta);

}  // namespace nns::summary
