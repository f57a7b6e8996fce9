#include "native/cli/program_world.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "core/dynamo/engine.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/python/stdlib/stdlib.h"
#include "core/tensor/tensor.h"
#include "core/train/training.h"
#include "native/cli/program_files.h"
#include "native/cli/terminal.h"
#include "native/host/memory_use.h"

namespace nns::cli {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

std::optional<std::string> read_program(const std::string& file) {
  std::optional<std::string> text = read_text(file);
  if (!text) print_error(fmt::format("cannot read {}: no such file, or it may not be read", file));
  return text;
}

namespace {

// Programs see nothing of the environment but what PyTorch's own settings there say.
constexpr const char* kSettings[] = {"TORCH_LOGS",          "TORCH_LOGS_OUT",        "TORCH_LOGS_FORMAT",
                                     "TORCHDYNAMO_VERBOSE", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"};

void give_settings(python::Machine& machine) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const char* const name : kSettings) {
    if (const char* const value = std::getenv(name); value != nullptr) given.emplace_back(name, value);
  }
  // What is wrong with os shows when the program imports it.
  if (!given.empty()) (void)python::set_environment(machine, given);
}

}  // namespace

void open_world(python::Machine& machine, const RunOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
  if (!options.strict_imports) machine.use_stand_ins();
  if (options.max_steps > 0) machine.limits.steps = options.max_steps;
  if (options.max_memory > 0) machine.set_memory_limit(options.max_memory, &host::memory_in_use);
  python::add_python(machine);
  dynamo::add_dynamo(machine);
  train::add_training(machine, nullptr);
  std::vector<std::string> arguments{options.file};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  python::set_arguments(machine, arguments);
  give_settings(machine);
  give_files(machine, options, folder);
  python::add_source_folder(machine, {[folder](const std::string& file) { return read_text(folder / file); }});
}

std::optional<python::ProgramOptions> program_options(const RunOptions& options, std::string_view text) {
  base::Result<python::ProgramOptions> asked = python::program_options_of(text, options.file);
  dynamo::Config config;
  const base::Result<void> checked =
      asked.ok() ? dynamo::set_flags(config, *asked, options.file) : base::Result<void>(asked.error());
  if (!checked.ok()) {
    print_error(checked.error().message());
    return std::nullopt;
  }
  if (options.virtual_devices > 0) asked->virtual_devices = options.virtual_devices;
  return std::move(asked).value();
}

void give_options(python::Machine& machine, const python::ProgramOptions& options) {
  tensor::TensorLibrary::of(machine.interpreter()).virtual_devices = options.virtual_devices;
  static_cast<void>(dynamo::set_flags(dynamo::Engine::of(machine).config(), options, {}));
}

}  // namespace nns::cli
