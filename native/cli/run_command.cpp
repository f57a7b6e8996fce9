#include "native/cli/run_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/exception_hooks.h"
#include "core/python/eval/run.h"
#include "core/tensor/tensor.h"
#include "native/cli/event_file.h"
#include "native/cli/exit_status.h"
#include "native/cli/interrupt_on_signal.h"
#include "native/cli/program_world.h"
#include "native/cli/rank_world.h"
#include "native/cli/terminal.h"

namespace nns::cli {

// What sys.exit(status) means to the shell. Behaviour: CPython Python/pythonrun.c,
// _Py_HandleSystemExitAndKeyboardInterrupt.
int exit_status_of(object::Interpreter& interpreter, const object::PyError& leave) {
  const auto& arguments = leave.exception().arguments();
  if (!arguments || arguments->size() == 0 || (*arguments)[0].is_none()) return kFine;
  const object::Value& status = (*arguments)[0];
  if (status.is_int() || status.is_bool()) return static_cast<int>(status.as_int() & 0xFF);
  const object::PyResult<std::string> text = object::str(interpreter, status);
  fmt::print(stderr, "{}\n", text.ok() ? text.value() : std::string());
  return kFound;
}

int status_of_uncaught(python::Machine& machine, const object::PyError& error) {
  if (error.is(object::ErrorKind::SystemExit)) return exit_status_of(machine.interpreter(), error);
  python::tell_uncaught(machine, error);
  return kFound;
}

int run_program_file(const RunOptions& options) {
  if (options.processes > 0) return options.takes_turns ? run_program_in_turns(options) : run_program_as_ranks(options);
  std::optional<std::string> text = read_program(options.file);
  if (!text) return kBadInput;
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  open_world(machine, options);
  const std::optional<python::ProgramOptions> asked = program_options(options, *text);
  if (!asked) return kBadInput;
  give_options(machine, *asked);
  give_ranks(machine, options);
  const InterruptOnSignal interrupts(machine);
  std::unique_ptr<EventFile> events;
  if (!options.events.empty()) {
    events = EventFile::open(machine, options.events, options.file);
    if (events == nullptr) {
      print_error(fmt::format("cannot write {}", options.events));
      return kBadInput;
    }
  }
  const std::string path = std::filesystem::absolute(options.file).lexically_normal().string();
  const bool is_helper = is_spawned();
  object::PyResult<object::Value> done =
      python::run_program(machine, options.file, *std::move(text), path, is_helper ? "__mp_main__" : "__main__");
  if (is_helper && done.ok()) done = call_spawned(machine);
  std::fflush(stdout);
  // Behind an exception, which is told first; a process that was spawned tells its own elsewhere.
  const bool is_told = !done.ok() && (!is_helper || done.error().is(object::ErrorKind::SystemExit));
  const int status = is_told ? status_of_uncaught(machine, done.error()) : kFine;
  python::end_program(machine);
  const bool is_stopped = !done.ok() && done.error().is(object::ErrorKind::KeyboardInterrupt);
  std::string untold;
  if (!done.ok() && !is_told) untold = python::traceback_text(machine, done.error());
  const bool is_done = done.ok();
  done = object::Value();
  python::drop_program(machine);
  std::fflush(stdout);
  if (events != nullptr && !events->close()) {
    print_error(fmt::format("{} is not whole: it could not be written to its end", options.events));
  }
  if (is_done) return kFine;
  if (!is_told) {
    tell_spawner(untold);
    return kFound;
  }
  return is_stopped ? kStopped : status;
}

}  // namespace nns::cli
