#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "ui/host/save_file.h"

namespace nns::host {

/// A file of this machine. It is written beside `path` and takes its place when finish() succeeds; before, an older
/// file of that name stays as it is. "-" is standard output. Errors: `path` is there and `replaces` is false; the
/// folder may not be written.
base::Result<std::unique_ptr<SaveFile>> open_file_save(const std::filesystem::path& path, bool replaces);

/// Where downloads go: the desktop's folder for them, else the home folder, else the working one.
std::filesystem::path downloads_folder();
/// `name` in `folder`, or "name (2).svg" and so on where that is taken.
std::filesystem::path free_name(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace nns::host
