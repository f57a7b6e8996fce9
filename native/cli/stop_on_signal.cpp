#include "native/cli/stop_on_signal.h"

namespace nns::cli {

namespace {

volatile sig_atomic_t was_signalled = 0;

}  // namespace

StopOnSignal::StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { was_signalled = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_);
}

StopOnSignal::~StopOnSignal() { ::sigaction(SIGINT, &before_, nullptr); }

bool StopOnSignal::stopped() { return was_signalled != 0; }

}  // namespace nns::cli
