#include "tests/python/program.h"

#include "core/python/eval/run.h"

namespace nns::tests {

ProgramResult run_python(const std::string& source, const std::string& name) {
  ProgramResult result;
  object::Interpreter in;
  python::Machine& machine = python::Machine::of(in);
  machine.streams.out = [&](std::string_view text) { result.out += text; };
  machine.streams.error = [](std::string_view) {};
  machine.limits.steps = 200'000'000;
  python::add_python(machine);
  const object::PyResult<object::Value> done = python::run_program(machine, name, source);
  if (!done.ok()) {
    result.error_type = done.error().type();
    result.error_message = done.error().message();
    result.traceback = python::traceback_text(machine, done.error());
  }
  return result;
}

}  // namespace nns::tests
