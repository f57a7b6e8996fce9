#include "native/host/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

namespace nns::host {

namespace {

namespace fs = std::filesystem;

base::Error system_error(int number, const fs::path& path) {
  return {
      .found = std::generic_category().message(number), .expected = {}, .where = path.string(), .offset = std::nullopt};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

base::Result<void> write_all(int file, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno, path);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

base::Result<void> sync(const fs::path& path, int flags) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (file.number() < 0 || ::fsync(file.number()) != 0) return system_error(errno, path);
  return {};
}

class AppendedFile final : public base::ByteSink {
 public:
  AppendedFile(int file, fs::path path) : file_(file), path_(std::move(path)) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    return write_all(file_.number(), bytes, path_);
  }

 private:
  Descriptor file_;
  fs::path path_;
};

class RunFolder final : public train::RunFiles {
 public:
  explicit RunFolder(fs::path folder) : folder_(std::move(folder)) {}

  std::string folder() const override { return folder_.string(); }

  base::Result<std::unique_ptr<base::ByteSink>> append(const std::string& name) override {
    const fs::path path = folder_ / name;
    constexpr mode_t kReadable = 0644;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kReadable);
    if (file < 0) return system_error(errno, path);
    return std::unique_ptr<base::ByteSink>(std::make_unique<AppendedFile>(file, path));
  }

  base::Result<std::string> read(const std::string& name) override {
    const fs::path path = folder_ / name;
    std::ifstream stream(path, std::ios::binary);
    std::error_code error;
    if (!stream || !fs::is_regular_file(path, error)) return system_error(ENOENT, path);
    std::ostringstream text;
    text << stream.rdbuf();
    return std::move(text).str();
  }

  base::Result<void> replace(const std::string& name, std::string_view contents) override {
    const std::string part = name + ".part";
    const fs::path path = folder_ / part;
    constexpr mode_t kReadable = 0644;
    {
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadable));
      if (file.number() < 0) return system_error(errno, path);
      if (auto done = write_all(file.number(), std::as_bytes(std::span(contents.data(), contents.size())), path);
          !done.ok()) {
        remove(part);
        return done;
      }
    }
    return commit(part, name);
  }

  base::Result<void> commit(const std::string& from, const std::string& to) override {
    const fs::path source = folder_ / from, target = folder_ / to;
    NNS_TRY(sync(source, O_RDONLY));
    std::error_code error;
    fs::rename(source, target, error);
    if (error) return system_error(error.value(), target);
    return sync(target.parent_path(), O_RDONLY | O_DIRECTORY);
  }

  void remove(const std::string& name) override {
    std::error_code ignored;
    fs::remove(folder_ / name, ignored);
  }

  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / folder, error)) {
      if (entry.is_regular_file(error)) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::uint64_t size(const std::string& name) override {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(folder_ / name, error);
    return error ? 0 : static_cast<std::uint64_t>(bytes);
  }

 private:
  fs::path folder_;
};

}  // namespace

base::Result<std::shared_ptr<train::RunFiles>> open_run_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error).lexically_normal();
  fs::create_directories(whole / "checkpoints", error);
  if (error) return system_error(error.value(), whole);
  return std::shared_ptr<train::RunFiles>(std::make_shared<RunFolder>(whole));
}

std::filesystem::path new_run_folder(const fs::path& below, const fs::path& recipe) {
  const std::time_t now = std::time(nullptr);
  const std::string stem =
      (below / fmt::format("{}-{:%Y%m%d-%H%M%S}", recipe.stem().string(), fmt::localtime(now))).string();
  std::string folder = stem;
  for (int more = 2; fs::exists(folder); ++more) folder = fmt::format("{}-{}", stem, more);
  return folder;
}

}  // namespace nns::host
