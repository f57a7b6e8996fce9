#pragma once

#include <string>
#include <vector>

#include "core/python/eval/machine.h"

namespace nns::python {

/// All that a program finds: builtins, the standard library, torch, and the parts of other packages that model sources
/// import (einops, numpy, torchvision).
void add_python(Machine& machine);

/// Every module that a program can import beside its own, sorted. Names that begin with an underscore are nnscope's.
/// Imports torch. Errors: what that raises.
PyResult<std::vector<std::string>> importable_modules(Machine& machine);

}  // namespace nns::python
