#pragma once

#include <string>
#include <vector>

#include "native/cli/run_command.h"

namespace nns::cli {

struct CaptureOptions {
  RunOptions run;
  /// Settings of torch._dynamo.config: "inline_inbuilt_nn_modules=false".
  std::vector<std::string> config;
  bool json = false;
};

/// Runs a Python program and tells what torch.compile made of it: graphs, breaks, guards, recompiles, modules.
/// Returns 0, 1 after an exception of the program, or kBadInput where the file cannot be read.
int run_capture(const CaptureOptions& options);

}  // namespace nns::cli
