#include "native/cli/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/stdlib/folder_files.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/torch.h"
#include "native/cli/exit_status.h"
#include "native/cli/terminal.h"

namespace nns::cli {
namespace {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

// What sys.exit(status) means to the shell. Behaviour: CPython Python/pythonrun.c,
// _Py_HandleSystemExitAndKeyboardInterrupt.
int status_of(object::Interpreter& interpreter, const object::PyError& leave) {
  const auto& arguments = leave.exception().arguments();
  if (!arguments || arguments->size() == 0 || (*arguments)[0].is_none()) return kFine;
  const object::Value& status = (*arguments)[0];
  if (status.is_int() || status.is_bool()) return static_cast<int>(status.as_int() & 0xFF);
  const object::PyResult<std::string> text = object::str(interpreter, status);
  fmt::print(stderr, "{}\n", text.ok() ? text.value() : std::string());
  return kFound;
}

}  // namespace

int run_program_file(const RunOptions& options) {
  const std::filesystem::path path(options.file);
  std::optional<std::string> text = read_text(path);
  if (!text) {
    print_error(fmt::format("cannot read {}: no such file, or it may not be read", options.file));
    return kBadInput;
  }
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  if (options.max_steps > 0) machine.limits.steps = options.max_steps;
  python::add_python(machine);
  std::vector<std::string> arguments{options.file};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  python::set_arguments(machine, arguments);
  const auto files = std::make_shared<python::FolderFiles>(
      path.parent_path(), std::vector<std::filesystem::path>(options.writable.begin(), options.writable.end()));
  machine.files = files;
  machine.streams.read_file = [files](const std::string& name) { return files->read(name); };
  machine.process_id = getpid();
  python::add_source_folder(
      machine, [folder = path.parent_path()](const std::string& file) { return read_text(folder / file); });
  const object::PyResult<object::Value> done = python::run_program(
      machine, options.file, *std::move(text), (std::filesystem::path(files->folder()) / path.filename()).string());
  std::fflush(stdout);
  if (done.ok()) return kFine;
  if (done.error().is(object::ErrorKind::SystemExit)) return status_of(interpreter, done.error());
  const std::string shown = python::traceback_text(machine, done.error());
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  return kFound;
}

}  // namespace nns::cli
