#pragma once

#include <string>
#include <vector>

namespace nns::cli {

struct OpenOptions {
  std::vector<std::string> inputs;  ///< paths, folders, web addresses; empty: the first screen
};

/// Shows the explorer with the inputs; on a machine without a display as a web page (run_serve()).
/// Returns an ExitStatus.
int run_open(const OpenOptions& options);

}  // namespace nns::cli
