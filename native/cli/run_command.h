#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/python/eval/machine.h"

namespace nns::cli {

struct RunOptions {
  std::string file;
  /// What the program finds in sys.argv behind its own name.
  std::vector<std::string> arguments;
  /// Statements and turns of loops that it may run; 0: any number.
  std::uint64_t max_steps = 0;
  /// Units: bytes; 0: no limit.
  std::uint64_t max_memory = 0;
  /// Where what happens to modules is written (EventFile); empty: nowhere.
  std::string events;
  /// Packages that are not here raise at their import.
  bool strict_imports = false;
  /// Folders whose files it may read, besides its own folder, and those where it may write.
  std::vector<std::string> readable, writable;
  /// How many devices cpu:0, cpu:1, ... it finds, as if they were GPUs; 0: none.
  int virtual_devices = 0;
  /// As how many processes it runs, each a rank; 0: as this one.
  int processes = 0;
  /// The ranks take turns on one thread of this process instead, each in an interpreter of its own.
  bool takes_turns = false;
  /// Where rank0.out, rank1.out, ... are written; empty: they share standard output.
  std::string output_folder;
};

/// What an uncaught SystemExit means to the shell; writes its message to stderr.
int exit_status_of(object::Interpreter& interpreter, const object::PyError& leave);
/// What any uncaught exception means to the shell: exit_status_of(), or its traceback goes to stderr.
int status_of_uncaught(python::Machine& machine, const object::PyError& error);

/// Runs a Python program. What it prints goes to stdout; an exception that nobody caught is written on stderr with its
/// traceback. Returns 0, 1 after an exception, what sys.exit() was given, or kBadInput where the file cannot be read.
int run_program_file(const RunOptions& options);

}  // namespace nns::cli
