#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/python/packages/packages.h"

namespace nns::tests {

/// What a program wrote, and the exception that ended it: its class without the module, and str() of it.
struct ProgramResult {
  std::string out;
  std::string err;
  std::string error_type;
  std::string error_message;
  std::string traceback;
};

/// What of the world a program may see.
struct ProgramWorld {
  /// The name of the program's file.
  std::string name = "program.py";
  /// Modules and files of this folder; empty: a new folder, which the program may change and which goes with it.
  std::filesystem::path folder = {};
  /// Whether packages that are not here stand in (Machine::use_stand_ins).
  bool uses_stand_ins = false;
  /// What it finds in os.environ.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// How many devices cpu:0, cpu:1, ... there are, as if they were GPUs.
  int virtual_devices = 0;
};

/// Runs a Python program in a world of its own, as the main program.
ProgramResult run_python(const std::string& source, const ProgramWorld& world = {});

}  // namespace nns::tests
