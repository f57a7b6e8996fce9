#pragma once

#include <string>

#include "core/python/torch/torch.h"

namespace nns::tests {

/// What a program wrote, and the exception that ended it: its class without the module, and str() of it.
struct ProgramResult {
  std::string out;
  std::string error_type;
  std::string error_message;
  std::string traceback;
};

/// Runs a Python program in a world of its own, as the main program; `name`: that of its file.
ProgramResult run_python(const std::string& source, const std::string& name = "program.py");

}  // namespace nns::tests
