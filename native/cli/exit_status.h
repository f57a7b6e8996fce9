#pragma once

namespace nns::cli {

/// What the program tells the shell.
enum ExitStatus : int {
  kFine = 0,  ///< done; nothing dangerous was found
  kFound =
      1,  ///< a file names something dangerous, two files differ, or the program itself failed (disk full, port taken)
  kBadInput = 2,   ///< wrong usage, or input that cannot be read
  kStopped = 130,  ///< by Ctrl+C, as shells tell of it
};

}  // namespace nns::cli
