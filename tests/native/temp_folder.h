#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/support/files.h"

namespace nns::tests {

/// A TemporaryFolder that also writes small files, with the folders above them.
class TempFolder : public TemporaryFolder {
 public:
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const {
    std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  /// `head`, then a hole up to `size`. False where the file system cannot hold such a file.
  bool write_sparse(const std::filesystem::path& name, std::string_view head, std::uint64_t size) const {
    return ::truncate(write(name, head).c_str(), static_cast<off_t>(size)) == 0;
  }
};

}  // namespace nns::tests
