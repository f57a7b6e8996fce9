#pragma once

#include <string>
#include <vector>

#include "core/python/eval/machine.h"

namespace nns::python {

/// Makes torch and what belongs to it importable: its modules are made at the first import of torch.
void add_torch(Machine& machine);
/// Those of its modules that are written in Python; importing torch makes the others.
std::vector<std::string> torch_python_modules();

}  // namespace nns::python
