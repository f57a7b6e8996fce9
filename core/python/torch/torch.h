#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// Makes torch and what belongs to it importable: its modules are made at the first import of torch.
void add_torch(Machine& machine);

/// All that a program finds: builtins, the standard library, torch.
void add_python(Machine& machine);

}  // namespace nns::python
