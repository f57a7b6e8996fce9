#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::host {

/// A file to read, and the files that may belong to it.
struct OpenedFile {
  std::shared_ptr<base::ByteSource> source;  ///< null: a folder was opened, see checkpoint::open_folder()
  std::shared_ptr<checkpoint::FileSet> siblings;
};

/// The files of a folder. Names that leave the folder are refused by what they say; a symbolic link inside it is
/// followed, because download caches keep their files behind such links.
std::shared_ptr<checkpoint::FileSet> make_folder_files(std::filesystem::path folder);

/// Opens a file with its folder, or a folder as such.
/// Errors: as open_file(); the folder cannot be listed.
base::Result<OpenedFile> open_path(const std::filesystem::path& path);

}  // namespace nns::host
