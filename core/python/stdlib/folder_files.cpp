#include "core/python/stdlib/folder_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>

namespace nns::python {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

int errno_of(const std::error_code& error) {
  if (!error) return 0;
  return error.category() == std::generic_category() || error.category() == std::system_category() ? error.value()
                                                                                                   : EIO;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
  // "folder/" has an empty last part.
  if (!error && !found.has_filename() && found.has_relative_path()) found = found.parent_path();
  return error ? fs::path() : found;
}

}  // namespace

FolderFiles::FolderFiles(const fs::path& folder, const std::vector<fs::path>& writable)
    : folder_(without_links(folder)) {
  for (const fs::path& one : writable) {
    if (fs::path found = without_links(one); !found.empty()) writable_.push_back(std::move(found));
  }
}

std::string FolderFiles::folder() const { return folder_.string(); }

fs::path FolderFiles::resolved(const std::string& path, bool for_writing) const {
  if (folder_.empty() || path.empty() || path.find('\0') != std::string::npos) return {};
  fs::path found = without_links(folder_ / path);
  if (found.empty()) return {};
  const bool is_writable =
      std::any_of(writable_.begin(), writable_.end(), [&](const fs::path& one) { return is_below(one, found); });
  return is_writable || (!for_writing && is_below(folder_, found)) ? found : fs::path();
}

int FolderFiles::info(const std::string& path, FileInfo& found) const {
  fs::path where = resolved(path, false);
  if (where.empty() && !path.empty()) {
    // That the folders around its own are there, the program knows from folder().
    const fs::path around = without_links(folder_ / path);
    if (!around.empty() && is_below(around, folder_)) where = around;
  }
  if (where.empty()) return path.empty() ? ENOENT : EPERM;
  std::error_code error;
  const fs::file_status status = fs::status(where, error);
  if (!fs::exists(status)) return ENOENT;
  found.is_folder = fs::is_directory(status);
  found.size_bytes = fs::is_regular_file(status) ? fs::file_size(where, error) : 0;
  const fs::file_time_type written = fs::last_write_time(where, error);
  if (!error) {
    // The clock of files has an epoch of its own.
    const auto ago = fs::file_time_type::clock::now() - written;
    const auto at = std::chrono::system_clock::now() - std::chrono::duration_cast<std::chrono::microseconds>(ago);
    found.modified = std::chrono::duration<double>(at.time_since_epoch()).count();
  }
  found.id = std::hash<std::string>{}(where.string());
  return 0;
}

int FolderFiles::list(const std::string& path, std::vector<std::string>& names) const {
  const fs::path where = resolved(path, false);
  if (where.empty()) return path.empty() ? ENOENT : EPERM;
  std::error_code error;
  fs::directory_iterator entries(where, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    names.push_back(entries->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return errno_of(error);
}

int FolderFiles::write(const std::string& path, std::string_view bytes, WriteMode mode) {
  const fs::path where = resolved(path, true);
  if (where.empty()) return EPERM;
  std::error_code error;
  const fs::file_status status = fs::status(where, error);
  if (fs::is_directory(status)) return EISDIR;
  if (mode == WriteMode::Create && fs::exists(status)) return EEXIST;
  if (!fs::is_directory(where.parent_path(), error)) return ENOENT;
  std::ofstream stream(where, std::ios::binary | (mode == WriteMode::Append ? std::ios::app : std::ios::trunc));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  return stream ? 0 : EIO;
}

int FolderFiles::make_folder(const std::string& path) {
  const fs::path where = resolved(path, true);
  if (where.empty()) return EPERM;
  std::error_code error;
  if (fs::exists(where, error)) return EEXIST;
  fs::create_directory(where, error);
  return errno_of(error);
}

int FolderFiles::remove(const std::string& path, bool is_folder) {
  const fs::path where = resolved(path, true);
  if (where.empty()) return EPERM;
  std::error_code error;
  const fs::file_status status = fs::status(where, error);
  if (!fs::exists(status)) return ENOENT;
  if (fs::is_directory(status) != is_folder) return is_folder ? ENOTDIR : EISDIR;
  fs::remove(where, error);
  return errno_of(error);
}

int FolderFiles::rename(const std::string& from, const std::string& to) {
  const fs::path source = resolved(from, true);
  const fs::path target = resolved(to, true);
  if (source.empty() || target.empty()) return EPERM;
  std::error_code error;
  if (!fs::exists(source, error)) return ENOENT;
  fs::rename(source, target, error);
  return errno_of(error);
}

std::optional<std::string> FolderFiles::read(const std::string& path) const {
  const fs::path where = resolved(path, false);
  std::error_code error;
  if (where.empty() || !fs::is_regular_file(where, error)) return std::nullopt;
  std::ifstream stream(where, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace nns::python
