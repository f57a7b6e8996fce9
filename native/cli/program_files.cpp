#include "native/cli/program_files.h"

#include <fmt/format.h>
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
  machine.process_id = ::getpid();
}

}  // namespace nns::cli
