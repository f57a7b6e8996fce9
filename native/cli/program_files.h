#pragma once

#include <filesystem>

#include "core/python/eval/machine.h"
#include "native/cli/run_command.h"

namespace nns::cli {

/// Lets a program have files: it reads those below `folder` (its own, from where its paths start), and those below the
/// folders of --allow-read and --allow-write; it writes below those of --allow-write only. Links are followed first.
/// All others are refused with PermissionError, which names the option.
void give_files(python::Machine& machine, const RunOptions& options, const std::filesystem::path& folder);

}  // namespace nns::cli
