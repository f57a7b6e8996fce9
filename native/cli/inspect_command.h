#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/cli/terminal.h"

namespace nns::cli {

struct InspectOptions {
  std::vector<std::string> inputs;  ///< paths, folders, web addresses; not empty
  bool json = false;
  bool statistics = false;
  bool scan = false;   ///< verdicts on files instead: scan_command.h
  std::string tensor;  ///< statistics of this tensor instead: tensor_report.h
  std::string slice;   ///< of this part of it; empty: all
  std::optional<std::uint32_t> depth;
  std::string filter;  ///< only what the search box would find for it; empty: everything
};

/// Prints what is in each input to standard output, and what is wrong to standard error; goes on after a bad one.
/// With `json` one input gives an object and several give a list, in which a bad one is {"input", "error"}.
/// Returns an ExitStatus: kBadInput if one could not be read, else kFound if one names something dangerous or the
/// filter matches nothing in any.
int run_inspect(const InspectOptions& options, const Terminal& terminal);

}  // namespace nns::cli
