#pragma once

#include <string>

#include "native/cli/terminal.h"

namespace nns::cli {

struct DiffOptions {
  std::string a;       ///< before: a path, folder or web address
  std::string b;       ///< after; empty: A once more, of which two parts are compared
  std::string part_a;  ///< a module or tensor of A, to compare only that; empty: all
  std::string part_b;
  bool json = false;
  bool values = false;  ///< compare all values too
};

/// Prints what differs between two files to standard output, and what is wrong to standard error. Ctrl+C while values
/// are compared prints what is known so far; the second one ends the program at once.
/// Returns 0 if nothing differs, 1 if something does, 2 if a file cannot be read or something could not be compared,
/// 130 if it was stopped.
int run_diff(DiffOptions options, const Terminal& terminal);

}  // namespace nns::cli
