#include "tests/python/program.h"

#include <fstream>
#include <optional>
#include <sstream>

#include "core/python/eval/run.h"

namespace nns::tests {

ProgramResult run_python(const std::string& source, const ProgramWorld& world) {
  ProgramResult result;
  object::Interpreter in;
  python::Machine& machine = python::Machine::of(in);
  machine.streams.out = [&](std::string_view text) { result.out += text; };
  machine.streams.error = [&](std::string_view text) { result.err += text; };
  machine.limits.steps = 200'000'000;
  python::add_python(machine);
  if (!world.folder.empty()) {
    const auto read = [&world](const std::string& name) -> std::optional<std::string> {
      std::ifstream stream(world.folder / name, std::ios::binary);
      if (!stream) return std::nullopt;
      std::ostringstream text;
      text << stream.rdbuf();
      return std::move(text).str();
    };
    machine.streams.open_file = [read](const std::string& name) -> python::OpenedFile<base::ByteSource> {
      const std::optional<std::string> text = read(name);
      if (!text) return python::FileRefusal{object::ErrorKind::FileNotFoundError, name};
      const auto* const bytes = reinterpret_cast<const std::byte*>(text->data());
      return base::make_memory_source(name, {bytes, bytes + text->size()});
    };
    python::add_source_folder(machine, read);
  }
  if (world.uses_stand_ins) machine.use_stand_ins();
  const object::PyResult<object::Value> done = python::run_program(machine, "program.py", source);
  if (!done.ok()) {
    result.error_type = done.error().type();
    result.error_message = done.error().message();
    result.traceback = python::traceback_text(machine, done.error());
  }
  return result;
}

}  // namespace nns::tests
