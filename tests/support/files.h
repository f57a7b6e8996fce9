#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::tests {

/// $NNSCOPE_TEST_DATA, the folder with files of other projects, if it is set and there.
std::optional<std::filesystem::path> test_data_folder();

/// A file read with pread, without view(): what a reader asks for is exactly what bytes_read() counts.
/// Must hold: the file can be opened.
std::shared_ptr<base::ByteSource> open_file(const std::filesystem::path& path);

/// The whole file.
std::vector<std::byte> read_file(const std::filesystem::path& path);
std::vector<std::byte> to_bytes(std::string_view text);

/// A folder that is deleted with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Writes `beginning`, then lets the file end at `size` without taking the space on the disk.
  std::filesystem::path write_sparse(std::string_view name, std::string_view beginning, std::uint64_t size) const;

 private:
  std::filesystem::path path_;
};

/// Files by name, in memory.
class MemoryFileSet final : public checkpoint::FileSet {
 public:
  void add(std::string name, std::string bytes) { files_[std::move(name)] = std::move(bytes); }
  /// How often open() says "on its way" before each file is there.
  void delay(int times) { delay_ = times; }
  /// As a server, which lists nothing; the names that were asked for are kept.
  void hide_names() { is_listed_ = false; }
  const std::vector<std::string>& asked() const { return asked_; }
  std::optional<base::Result<std::shared_ptr<base::ByteSource>>> open(std::string_view name) override;
  std::vector<std::string> names() override;

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, int> waited_;
  std::vector<std::string> asked_;
  bool is_listed_ = true;
  int delay_ = 0;
};

/// The files beside `path`.
class FolderFileSet final : public checkpoint::FileSet {
 public:
  explicit FolderFileSet(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::optional<base::Result<std::shared_ptr<base::ByteSource>>> open(std::string_view name) override;
  std::vector<std::string> names() override;

 private:
  std::filesystem::path folder_;
};

}  // namespace nns::tests
