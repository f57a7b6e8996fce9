#include "native/host/file_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace nns::host {

namespace {

using base::Error;
using base::Result;

std::string system_message(int number) { return std::generic_category().message(number); }

Error file_error(std::string_view what, int number, std::string where) {
  return Error{.found = fmt::format("{}: {}", what, system_message(number)),
               .expected = {},
               .where = std::move(where),
               .offset = {}};
}

class FileSource final : public base::ByteSource {
 public:
  FileSource(std::string name, int descriptor, std::uint64_t size)
      : name_(std::move(name)), descriptor_(descriptor), size_(size) {}
  ~FileSource() override { ::close(descriptor_); }
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    // Linux reads at most 2,147,479,552 bytes a call.
    constexpr std::size_t kMostPerCall = std::size_t{1} << 30;
    while (!into.empty()) {
      const ssize_t count =
          ::pread(descriptor_, into.data(), std::min(into.size(), kMostPerCall), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        Error error = file_error("reading failed", errno, name_);
        error.offset = offset;
        return error;
      }
      if (count == 0) {
        return Error{.found = fmt::format("the file became shorter after it was opened with {} bytes", size_),
                     .expected = {},
                     .where = name_,
                     .offset = offset};
      }
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  std::string name_;
  int descriptor_;
  std::uint64_t size_;
};

}  // namespace

Result<std::shared_ptr<base::ByteSource>> open_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK a named pipe would hold the program until somebody writes into it.
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return file_error("cannot be opened", errno, path.string());

  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const int number = errno;
    ::close(descriptor);
    return file_error("cannot be examined", number, path.string());
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return Error{.found = S_ISDIR(status.st_mode) ? "is a folder" : "is a device, pipe or socket",
                 .expected = "a regular file",
                 .where = path.string(),
                 .offset = {}};
  }
  return std::shared_ptr<base::ByteSource>(
      std::make_shared<FileSource>(path.string(), descriptor, static_cast<std::uint64_t>(status.st_size)));
}

}  // namespace nns::host
