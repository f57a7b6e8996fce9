#include "tests/support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace nns::tests {

namespace {

class PreadSource final : public base::ByteSource {
 public:
  PreadSource(std::string name, int file, std::uint64_t size) : name_(std::move(name)), file_(file), size_(size) {}
  ~PreadSource() override { close(file_); }
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    while (!into.empty()) {
      const ssize_t got = pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
      if (got <= 0) return base::Error{std::strerror(errno), "readable bytes", name_, offset};
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

  std::string name_;
  int file_;
  std::uint64_t size_;
};

}  // namespace

std::optional<std::filesystem::path> test_data_folder() {
  const char* folder = std::getenv("NNSCOPE_TEST_DATA");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return std::nullopt;
  return std::filesystem::path(folder);
}

std::shared_ptr<base::ByteSource> open_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    fmt::print(stderr, "cannot open {}: {}\n", path.string(), std::strerror(errno));
    std::abort();
  }
  return std::make_shared<PreadSource>(path.string(), file, static_cast<std::uint64_t>(status.st_size));
}

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const auto source = open_file(path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(source->size()));
  if (!source->read(0, bytes).ok()) std::abort();
  return bytes;
}

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "nnscope_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write_sparse(std::string_view name, std::string_view beginning,
                                                    std::uint64_t size) const {
  const std::filesystem::path path = path_ / name;
  std::ofstream(path, std::ios::binary).write(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  std::filesystem::resize_file(path, size);
  return path;
}

std::optional<base::Result<std::shared_ptr<base::ByteSource>>> MemoryFileSet::open(std::string_view name) {
  asked_.emplace_back(name);
  if (waited_[std::string(name)]++ < delay_) return std::nullopt;
  const auto found = files_.find(std::string(name));
  if (found == files_.end())
    return base::Result<std::shared_ptr<base::ByteSource>>(
        base::Error{"no such file", {}, std::string(name), std::nullopt});
  return base::Result(base::make_memory_source(found->first, to_bytes(found->second)));
}

std::vector<std::string> MemoryFileSet::names() {
  std::vector<std::string> names;
  if (!is_listed_) return names;
  for (const auto& [name, bytes] : files_) names.push_back(name);
  return names;
}

std::optional<base::Result<std::shared_ptr<base::ByteSource>>> FolderFileSet::open(std::string_view name) {
  const std::filesystem::path path = folder_ / name;
  if (!std::filesystem::is_regular_file(path))
    return base::Result<std::shared_ptr<base::ByteSource>>(
        base::Error{"no such file", {}, path.string(), std::nullopt});
  return base::Result(open_file(path));
}

std::vector<std::string> FolderFileSet::names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace nns::tests
