#include "native/cli/program_world.h"

#include <fstream>
#include <sstream>

#include "core/dynamo/engine.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/python/stdlib/stdlib.h"
#include "core/train/training.h"
#include "native/cli/program_files.h"

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

void open_world(python::Machine& machine, const RunOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
  if (!options.strict_imports) machine.use_stand_ins();
  if (options.max_steps > 0) machine.limits.steps = options.max_steps;
  python::add_python(machine);
  dynamo::add_dynamo(machine);
  train::add_training(machine, nullptr);
  std::vector<std::string> arguments{options.file};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  python::set_arguments(machine, arguments);
  give_files(machine, options, folder);
  python::add_source_folder(machine, [folder](const std::string& file) { return read_text(folder / file); });
}

}  // namespace nns::cli
