#pragma once

#include <string_view>

#include "core/object/interpreter.h"

namespace nns::python {

/// Where the function of C++ is that torch.nn.functional shows as, or whose caller is, `name`: "torch._C._nn.linear" of
/// "linear". Empty: the function is Python in PyTorch. Graphs of programs name it so.
std::string_view inner_path(std::string_view name);

/// The modules of these: torch._C._nn, torch._C._linalg, torch._C._fft. Must hold: those that show them are filled.
void fill_inner_functions(object::Interpreter& interpreter);

}  // namespace nns::python
