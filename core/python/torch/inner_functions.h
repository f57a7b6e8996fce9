#pragma once

#include "core/object/interpreter.h"

namespace nns::python {

/// Modules that programs do not import, but code of their graphs names: torch._C._nn, torch._C._linalg, torch._C._fft.
/// Must hold: torch.nn.functional and their like are filled.
void fill_inner_functions(object::Interpreter& interpreter);

}  // namespace nns::python
