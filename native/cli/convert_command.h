#pragma once

#include <string>

#include "native/cli/terminal.h"

namespace nns::cli {

struct ConvertOptions {
  std::string input;   ///< path, folder, web address
  std::string output;  ///< file to write; its ending chooses the format unless `format` does
  std::string format;  ///< safetensors, torch; empty: by the ending
  bool force = false;
};

/// Writes the tensors of a file as another format. The new file takes its place when it is whole.
/// Returns an ExitStatus: kBadInput for input that cannot be read, an unknown ending and an output that is there
/// already; kFound where a tensor has no place in the format, or writing failed.
int run_convert(const ConvertOptions& options, const Terminal& terminal);

}  // namespace nns::cli
