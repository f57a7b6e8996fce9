#include "native/host/file_save.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace nns::host {

namespace {

namespace fs = std::filesystem;

class FileSave final : public SaveFile {
 public:
  FileSave(fs::path path, fs::path part, std::FILE* out)
      : path_(std::move(path)), part_(std::move(part)), out_(out), packed_(256U << 10U) {}

  ~FileSave() override {
    if (is_packing_) deflateEnd(&stream_);
    if (out_ != nullptr && out_ != stdout) std::fclose(out_);
    std::error_code none;
    if (!is_done_ && !part_.empty()) fs::remove(part_, none);
  }
  FileSave(const FileSave&) = delete;
  FileSave& operator=(const FileSave&) = delete;

  void write(std::string_view bytes) override {
    if (problem_ != 0 || out_ == nullptr || bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) problem_ = errno == 0 ? EIO : errno;
  }

  void write_packed(std::string_view bytes, bool last) override {
    if (problem_ != 0) return;
    // Pictures are runs and repeated rows: the fastest level packs them nearly as well as the slowest.
    if (!is_packing_ && deflateInit(&stream_, Z_BEST_SPEED) != Z_OK) {
      problem_ = ENOMEM;
      return;
    }
    if (!is_packing_) start_chunk();
    is_packing_ = true;
    stream_.next_in = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    while (true) {
      const int status = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      const bool is_full = stream_.avail_out == 0;
      if (is_full || status == Z_STREAM_END) {
        put_chunk(packed_.size() - stream_.avail_out);
        start_chunk();
      }
      if (status == Z_STREAM_END || (!is_full && stream_.avail_in == 0 && !last)) return;
    }
  }

  std::uint64_t pending() const override { return 0; }

  void finish() override {
    if (out_ == nullptr) return;
    if (std::fflush(out_) != 0 && problem_ == 0) problem_ = errno;
    if (out_ != stdout) {
      // The bytes first, then the name: after a power cut there is the old file or the whole new one.
      if (problem_ == 0 && ::fsync(::fileno(out_)) != 0) problem_ = errno;
      if (std::fclose(out_) != 0 && problem_ == 0) problem_ = errno;
      std::error_code failed;
      if (problem_ == 0) fs::rename(part_, path_, failed);
      if (failed) problem_ = failed.value();
    }
    out_ = nullptr;
    is_done_ = problem_ == 0;
  }

  base::Result<bool> ended() const override {
    if (problem_ == 0) return is_done_;
    return base::Error{
        "it cannot be written: " + std::generic_category().message(problem_), {}, path_.string(), std::nullopt};
  }

 private:
  void start_chunk() {
    stream_.next_out = packed_.data();
    stream_.avail_out = static_cast<unsigned>(packed_.size());
  }

  void put_chunk(std::size_t size) {
    if (size == 0) return;
    const auto number = [&](unsigned long value) {
      std::string bytes;
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((value >> shift) & 0xFFU);
      write(bytes);
    };
    number(size);
    write("IDAT");
    write({reinterpret_cast<const char*>(packed_.data()), size});
    number(crc32_z(crc32_z(0, reinterpret_cast<const unsigned char*>("IDAT"), 4), packed_.data(), size));
  }

  fs::path path_;
  fs::path part_;
  std::FILE* out_;
  z_stream stream_{};
  std::vector<unsigned char> packed_;
  bool is_packing_ = false;
  bool is_done_ = false;
  int problem_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<SaveFile>> open_file_save(const fs::path& path, bool replaces) {
  if (path == "-") return std::unique_ptr<SaveFile>(std::make_unique<FileSave>(path, fs::path(), stdout));
  std::error_code none;
  if (fs::is_directory(path, none) || (!replaces && fs::exists(fs::symlink_status(path, none)))) {
    return base::Error{"there is such a file already", "a name that is free (or --force)", path.string(), std::nullopt};
  }
  fs::path part = path;
  part += fmt::format(".{}.part", ::getpid());
  std::FILE* const out = std::fopen(part.c_str(), "wbx");
  if (out == nullptr) {
    return base::Error{
        "it cannot be written: " + std::generic_category().message(errno), {}, path.string(), std::nullopt};
  }
  return std::unique_ptr<SaveFile>(std::make_unique<FileSave>(path, std::move(part), out));
}

fs::path downloads_folder() {
  const char* home = std::getenv("HOME");
  std::error_code none;
  if (home == nullptr || !fs::is_directory(home, none)) return fs::current_path(none);
  if (fs::is_directory(fs::path(home) / "Downloads", none)) return fs::path(home) / "Downloads";
  return home;
}

fs::path free_name(const fs::path& folder, const fs::path& name) {
  std::error_code none;
  fs::path path = folder / name;
  for (int number = 2; fs::exists(path, none); ++number) {
    path = folder / fmt::format("{} ({}){}", name.stem().string(), number, name.extension().string());
  }
  return path;
}

}  // namespace nns::host
