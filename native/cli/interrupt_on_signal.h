#pragma once

#include <signal.h>

#include "core/python/eval/machine.h"

namespace nns::cli {

/// While it lives Ctrl+C raises KeyboardInterrupt in what the machine runs. One at a time.
class InterruptOnSignal {
 public:
  explicit InterruptOnSignal(python::Machine& machine);
  ~InterruptOnSignal();
  InterruptOnSignal(const InterruptOnSignal&) = delete;
  InterruptOnSignal& operator=(const InterruptOnSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace nns::cli
