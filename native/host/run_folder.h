#pragma once

#include <filesystem>
#include <memory>

#include "core/train/run_files.h"

namespace nns::host {

/// The folder of a run on this machine; it is made, with what lies above it. Files are written so that a kill or a
/// power cut leaves the old one or the new one: beside it, fsync, rename, fsync of the folder. Errors: it cannot be
/// made.
base::Result<std::shared_ptr<train::RunFiles>> open_run_folder(const std::filesystem::path& folder);
/// The folder for a new run of a recipe or file: `below`/NAME-DATE-TIME, and a number where that is there.
std::filesystem::path new_run_folder(const std::filesystem::path& below, const std::filesystem::path& recipe);
/// Where runs are kept unless somebody says otherwise, below the current folder.
inline constexpr const char* kRunsFolder = "nnscope-runs";

}  // namespace nns::host
