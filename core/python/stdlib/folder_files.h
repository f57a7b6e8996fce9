#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/python/eval/files.h"

namespace nns::python {

/// The files below one folder of the machine: all may be read, those below `writable` may be written too. Links that
/// lead out of the folders are not followed.
class FolderFiles final : public Files {
 public:
  FolderFiles(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& writable);

  std::string folder() const override;
  int info(const std::string& path, FileInfo& found) const override;
  int list(const std::string& path, std::vector<std::string>& names) const override;
  int write(const std::string& path, std::string_view bytes, WriteMode mode) override;
  int make_folder(const std::string& path) override;
  int remove(const std::string& path, bool is_folder) override;
  int rename(const std::string& from, const std::string& to) override;
  /// The bytes of a file that may be read.
  std::optional<std::string> read(const std::string& path) const;

 private:
  /// The path from the root on, without links; empty: the program may not see it, or not change it.
  std::filesystem::path resolved(const std::string& path, bool for_writing) const;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> writable_;
};

}  // namespace nns::python
