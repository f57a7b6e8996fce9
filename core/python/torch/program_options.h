#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::python {

/// What a program asks for itself.
struct ProgramOptions {
  int virtual_devices = 0;  ///< 0: it does not ask for any
  struct Setting {
    std::string name, value;
    std::size_t line = 0;  ///< from 1
  };
  /// Settings of torch._dynamo.config that a program cannot set by itself, as they are written.
  std::vector<Setting> config;
};

/// Reads the comments that stand before the first statement, each on a line of its own:
///   # nnscope: --virtual-devices 3
///   # nnscope: --config inline_inbuilt_nn_modules=false
/// Errors: another option, no number from 1 to tensor::kDeviceIndices, no NAME=VALUE.
base::Result<ProgramOptions> program_options_of(std::string_view program, std::string_view file);

}  // namespace nns::python
