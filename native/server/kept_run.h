#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/session/running_program.h"

namespace nns::server {

/// Keeps the trainings that somebody starts in the explorer, as nnscope train keeps its own: each in a new folder below
/// `folder`, or without one below nnscope-runs, in the current folder or, where nothing can be written there, in the
/// home folder; with its numbers, its program, its checkpoints and a recording. `environment`: what is worth knowing of
/// this machine and program.
/// Threads: the keeper may be called on any, and what it gives is used on that one.
session::RunKeeper make_run_keeper(std::vector<std::pair<std::string, std::string>> environment,
                                   std::filesystem::path folder = {});

}  // namespace nns::server
