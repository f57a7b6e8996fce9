#pragma once

#include "core/python/eval/function.h"

namespace nns::python {

/// The same function with as many positional parameters as it has parameters: what `*args`, `**kwargs` and keyword-only
/// ones hold is given by place.
Ref<Function> with_plain_parameters(Interpreter& interpreter, const Function& function);

}  // namespace nns::python
