#pragma once

#include <string>
#include <vector>

#include "native/host/window.h"

namespace nns::cli {

struct OpenOptions {
  host::WindowOptions window;  ///< inputs: paths, folders, web addresses, "sample:NAME"; empty: the first screen
  std::string screenshot;      ///< not empty: draws off screen, writes this PNG and ends
};

/// Shows the explorer with the inputs in a window; on a machine without a display as a web page (run_serve()).
/// Paths that cannot be opened are told and left out. Returns an ExitStatus.
int run_open(OpenOptions options);

/// The same for one program, whose studio is shown.
int run_studio(OpenOptions options);

}  // namespace nns::cli
