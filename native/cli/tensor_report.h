#pragma once

#include "native/cli/inspect_command.h"

namespace nns::cli {

/// Prints the statistics of one tensor, or of a part of it, of each input; goes on after a bad one. With `json` one
/// input gives an object and several give a list, in which a bad one is {"input", "error"}.
/// Returns an ExitStatus: kBadInput if a file, the tensor, the part or its values cannot be read, kStopped after
/// Ctrl+C.
int run_tensor_report(const InspectOptions& options, const Terminal& terminal);

}  // namespace nns::cli
