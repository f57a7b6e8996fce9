#include "tests/python/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "core/python/eval/run.h"
#include "core/python/stdlib/folder_files.h"

namespace nns::tests {

namespace {
int programs_run = 0;
}  // namespace

ProgramResult run_python(const std::string& source, const std::string& name) {
  ProgramResult result;
  object::Interpreter in;
  python::Machine& machine = python::Machine::of(in);
  machine.streams.out = [&](std::string_view text) { result.out += text; };
  machine.streams.error = [](std::string_view) {};
  machine.limits.steps = 200'000'000;
  // A folder of its own, which it may change, and which goes with it.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("nnscope_program_{}_{}", getpid(), ++programs_run);
  std::filesystem::create_directories(folder);
  const auto files = std::make_shared<python::FolderFiles>(folder, std::vector{folder});
  machine.files = files;
  machine.streams.read_file = [files](const std::string& path) { return files->read(path); };
  python::add_python(machine);
  const object::PyResult<object::Value> done = python::run_program(machine, name, source);
  if (!done.ok()) {
    result.error_type = done.error().type();
    result.error_message = done.error().message();
    result.traceback = python::traceback_text(machine, done.error());
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return result;
}

}  // namespace nns::tests
