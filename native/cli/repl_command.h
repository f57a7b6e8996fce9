#pragma once

#include "native/cli/run_command.h"

namespace nns::cli {

/// An interactive session: on a terminal with editing, history and completion (Tab), otherwise the lines of stdin.
/// Ctrl+C stops what runs with KeyboardInterrupt. `options.file`: empty. Returns what the session leaves with.
int run_repl(const RunOptions& options);

}  // namespace nns::cli
