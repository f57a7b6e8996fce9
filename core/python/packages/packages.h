#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// All that a program finds: builtins, the standard library, torch, and the parts of other packages that model sources
/// import (einops, numpy, torchvision).
void add_python(Machine& machine);

}  // namespace nns::python
