#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// Makes torch and what belongs to it importable: its modules are made at the first import of torch.
void add_torch(Machine& machine);

}  // namespace nns::python
