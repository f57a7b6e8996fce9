#include "native/cli/interrupt_on_signal.h"

namespace nns::cli {

namespace {

// For the handler, which gets nothing but a number.
std::atomic<python::Machine*> interrupted_machine = nullptr;

}  // namespace

InterruptOnSignal::InterruptOnSignal(python::Machine& machine) {
  interrupted_machine = &machine;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (python::Machine* const running = interrupted_machine) running->interrupt();
  };
  ::sigaction(SIGINT, &action, &before_);
}

InterruptOnSignal::~InterruptOnSignal() {
  ::sigaction(SIGINT, &before_, nullptr);
  interrupted_machine = nullptr;
}

}  // namespace nns::cli
