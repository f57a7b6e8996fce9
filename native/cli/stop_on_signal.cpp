#include "native/cli/stop_on_signal.h"

namespace nns::cli {

namespace {

volatile sig_atomic_t is_stopped = 0;

}  // namespace

StopOnSignal::StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { is_stopped = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_);
}

StopOnSignal::~StopOnSignal() { ::sigaction(SIGINT, &before_, nullptr); }

bool StopOnSignal::stopped() { return is_stopped != 0; }

}  // namespace nns::cli
