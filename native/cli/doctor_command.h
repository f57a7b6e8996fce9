#pragma once

#include "native/cli/terminal.h"

namespace nns::cli {

/// Prints what this machine has for computing on GPUs, what is missing, and what would be needed.
/// Returns kFine, also where nothing can be computed on a GPU: that is an answer; kFound if a part that is there fails.
int run_doctor(const Terminal& terminal);

}  // namespace nns::cli
