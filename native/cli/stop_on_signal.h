#pragma once

#include <signal.h>

namespace nns::cli {

/// While it lives the first Ctrl+C sets stopped(), and the second ends the program.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  static bool stopped();

 private:
  struct sigaction before_ = {};
};

}  // namespace nns::cli
