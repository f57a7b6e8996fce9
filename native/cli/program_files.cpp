#include "native/cli/program_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "native/host/file_source.h"

namespace nns::cli {
namespace {

namespace fs = std::filesystem;
using object::ErrorKind;
using python::FileRefusal;
using python::WriteMode;

FileRefusal refusal(ErrorKind kind, int number, const std::string& path) {
  return {kind, fmt::format("[Errno {}] {}: '{}'", number, std::generic_category().message(number), path)};
}

FileRefusal system_refusal(int number, const std::string& path) {
  const ErrorKind kind = number == ENOENT                      ? ErrorKind::FileNotFoundError
                         : number == EEXIST                    ? ErrorKind::FileExistsError
                         : number == EISDIR                    ? ErrorKind::IsADirectoryError
                         : number == ENOTDIR                   ? ErrorKind::NotADirectoryError
                         : number == EACCES || number == EPERM ? ErrorKind::PermissionError
                                                               : ErrorKind::OSError;
  return refusal(kind, number, path);
}

// The folder with no links in its path.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
  if (error) return {};
  // "folder/" ends with an empty part, which nothing below the folder has.
  return found.has_filename() ? found : found.parent_path();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  if (folder.empty() || path.empty()) return false;
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

class FileSink final : public base::ByteSink {
 public:
  // Without a buffer: what a program has written is in the file, however it ends.
  FileSink(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {
    std::setvbuf(file_, nullptr, _IONBF, 0);
  }
  ~FileSink() override { std::fclose(file_); }
  base::Result<void> write(std::span<const std::byte> bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
    return base::Error{fmt::format("[Errno {}] {}", errno, std::generic_category().message(errno)), {}, path_, {}};
  }

 private:
  std::FILE* file_;
  std::string path_;
};

// What a program may have.
struct Folders {
  fs::path base;
  std::vector<fs::path> readable, writable;

  fs::path real(const std::string& path) const { return real_path(base / path); }
  static bool any_has(const std::vector<fs::path>& folders, const fs::path& path) {
    return std::any_of(folders.begin(), folders.end(), [&](const fs::path& one) { return is_below(path, one); });
  }
};

python::OpenedFile<base::ByteSource> open_to_read(const Folders& folders, const std::string& path) {
  const fs::path wanted = folders.real(path);
  if (!Folders::any_has(folders.readable, wanted)) {
    return FileRefusal{ErrorKind::PermissionError,
                       fmt::format("'{}' is not below the program's folder: nnscope run --allow-read FOLDER lets it "
                                   "read elsewhere",
                                   path)};
  }
  std::error_code error;
  const fs::file_status status = fs::status(wanted, error);
  if (!fs::exists(status)) return refusal(ErrorKind::FileNotFoundError, ENOENT, path);
  if (fs::is_directory(status)) return refusal(ErrorKind::IsADirectoryError, EISDIR, path);
  auto opened = host::open_file(wanted);
  if (!opened.ok()) return FileRefusal{ErrorKind::PermissionError, opened.error().message()};
  return std::move(opened).value();
}

python::OpenedFile<base::ByteSink> open_to_write(const Folders& folders, const std::string& path, WriteMode mode) {
  const fs::path wanted = folders.real(path);
  if (!Folders::any_has(folders.writable, wanted)) {
    return FileRefusal{ErrorKind::PermissionError,
                       fmt::format("programs write no files: '{}' (nnscope run --allow-write FOLDER lets them write "
                                   "below a folder)",
                                   path)};
  }
  const char* const how = mode == WriteMode::Append ? "abe" : mode == WriteMode::New ? "wbxe" : "wbe";
  std::FILE* const file = std::fopen(wanted.c_str(), how);
  if (file == nullptr) return system_refusal(errno, path);
  return std::make_shared<FileSink>(file, wanted.string());
}

}  // namespace

void give_files(python::Machine& machine, const RunOptions& options, const std::filesystem::path& folder) {
  Folders folders{.base = real_path(folder), .readable = {}, .writable = {}};
  folders.readable.push_back(folders.base);
  for (const std::string& one : options.readable) folders.readable.push_back(real_path(one));
  for (const std::string& one : options.writable) {
    folders.readable.push_back(real_path(one));
    folders.writable.push_back(real_path(one));
  }
  machine.streams.open_file = [folders](const std::string& path) { return open_to_read(folders, path); };
  machine.streams.create_file = [folders](const std::string& path, WriteMode mode) {
    return open_to_write(folders, path, mode);
  };
}

}  // namespace nns::cli
