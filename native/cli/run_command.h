#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::cli {

struct RunOptions {
  std::string file;
  /// What the program finds in sys.argv behind its own name.
  std::vector<std::string> arguments;
  /// Folders below which it may write.
  std::vector<std::string> writable;
  /// Statements and turns of loops that it may run; 0: any number.
  std::uint64_t max_steps = 0;
};

/// Runs a Python program. What it prints goes to stdout; an exception that nobody caught is written on stderr with its
/// traceback. Returns 0, 1 after an exception, what sys.exit() was given, or kBadInput where the file cannot be read.
int run_program_file(const RunOptions& options);

}  // namespace nns::cli
