#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/python/eval/machine.h"
#include "native/cli/run_command.h"

namespace nns::cli {

/// The whole text of a file; none if there is no such file or it may not be read.
std::optional<std::string> read_text(const std::filesystem::path& path);

/// Gives the machine what a program of `options.file` may use: builtins, libraries, torch, sys.argv, files and modules
/// of its folder, limits.
void open_world(python::Machine& machine, const RunOptions& options);

}  // namespace nns::cli
