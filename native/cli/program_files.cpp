#include "native/cli/program_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "core/python/stdlib/folder_files.h"
#include "native/host/file_source.h"

namespace nns::cli {
namespace {

namespace fs = std::filesystem;
using python::FileRefusal;
using python::WriteMode;

FileRefusal system_refusal(int number) { return {number, std::generic_category().message(number)}; }

class ProgramFileSink final : public base::ByteSink {
 public:
  // Without a buffer: what a program has written is in the file, however it ends.
  ProgramFileSink(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {
    std::setvbuf(file_, nullptr, _IONBF, 0);
  }
  ~ProgramFileSink() override { std::fclose(file_); }
  base::Result<void> write(std::span<const std::byte> bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
    return base::Error{fmt::format("[Errno {}] {}", errno, std::generic_category().message(errno)), {}, path_, {}};
  }

 private:
  std::FILE* file_;
  std::string path_;
};

python::OpenedFile<base::ByteSource> open_to_read(const python::FolderFiles& folders, const std::string& path) {
  const fs::path wanted = folders.resolved(path, false);
  if (wanted.empty()) {
    return FileRefusal{EACCES,
                       "nnscope lets programs read only below their own folder and those that --allow-read names"};
  }
  std::error_code error;
  const fs::file_status status = fs::status(wanted, error);
  if (!fs::exists(status)) return system_refusal(ENOENT);
  if (fs::is_directory(status)) return system_refusal(EISDIR);
  auto opened = host::open_file(wanted);
  if (!opened.ok()) return FileRefusal{EACCES, opened.error().message()};
  return std::move(opened).value();
}

python::OpenedFile<base::ByteSink> open_to_write(const python::FolderFiles& folders, const std::string& path,
                                                 WriteMode mode) {
  const fs::path wanted = folders.resolved(path, true);
  if (wanted.empty()) {
    return FileRefusal{EACCES, "nnscope lets programs write only below folders that --allow-write names"};
  }
  const char* const how = mode == WriteMode::Append ? "abe" : mode == WriteMode::New ? "wbxe" : "wbe";
  std::FILE* const file = std::fopen(wanted.c_str(), how);
  if (file == nullptr) return system_refusal(errno);
  return std::make_shared<ProgramFileSink>(file, wanted.string());
}

// Must hold: nobody else cuts the file short while it is mapped; the program ends with SIGBUS then.
python::OpenedFile<std::byte> map_file(const python::FolderFiles& folders, const std::string& path,
                                       std::uint64_t bytes) {
  const fs::path wanted = folders.resolved(path, true);
  if (wanted.empty()) {
    return FileRefusal{EACCES, "nnscope lets programs write only below folders that --allow-write names"};
  }
  const int file = ::open(wanted.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return system_refusal(errno);
  struct ::stat found = {};
  bool is_long_enough = ::fstat(file, &found) == 0;
  if (is_long_enough && static_cast<std::uint64_t>(found.st_size) < bytes) {
    is_long_enough = ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
  }
  void* const begin = is_long_enough ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int number = errno;
  ::close(file);
  if (begin == MAP_FAILED) return system_refusal(number);
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(begin),
                                    [bytes](std::byte* data) { ::munmap(data, bytes); });
}

}  // namespace

void give_files(python::Machine& machine, const RunOptions& options, const std::filesystem::path& folder) {
  const auto paths = [](const std::vector<std::string>& names) {
    return std::vector<fs::path>(names.begin(), names.end());
  };
  const auto folders = std::make_shared<python::FolderFiles>(folder, paths(options.readable), paths(options.writable));
  machine.files = folders;
  machine.streams.open_file = [folders](const std::string& path) { return open_to_read(*folders, path); };
  machine.streams.create_file = [folders](const std::string& path, WriteMode mode) {
    return open_to_write(*folders, path, mode);
  };
  machine.streams.map_file = [folders](const std::string& path, std::uint64_t bytes) {
    return map_file(*folders, path, bytes);
  };
  machine.process_id = ::getpid();
}

}  // namespace nns::cli
