#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/python/eval/machine.h"
#include "core/python/torch/program_options.h"
#include "native/cli/run_command.h"

namespace nns::cli {

/// The whole text of a file; none if there is no such file or it may not be read.
std::optional<std::string> read_text(const std::filesystem::path& path);

/// Gives the machine what a program of `options.file` may use: builtins, libraries, torch, sys.argv, files and modules
/// of its folder, limits.
void open_world(python::Machine& machine, const RunOptions& options);

/// The text of a program that is to be run; none, and the person has been told, if there is none.
std::optional<std::string> read_program(const std::string& file);

/// What the program asks for in its comments, --virtual-devices of the command line before that; none, and the person
/// has been told, if that is wrong.
std::optional<python::ProgramOptions> program_options(const RunOptions& options, std::string_view text);
/// Lets the programs of a machine have it.
void give_options(python::Machine& machine, const python::ProgramOptions& options);

}  // namespace nns::cli
