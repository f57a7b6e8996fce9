#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::python {

/// What is known of a file or a folder.
struct FileInfo {
  bool is_folder = false;
  std::uint64_t size_bytes = 0;
  /// Seconds since 1970.
  double modified = 0;
  /// Equal for two paths of one file.
  std::uint64_t id = 0;
};

/// Folders that a program may see and change, and names in them: whoever runs it provides them. What files hold comes
/// through Streams.
/// Paths are the program's own: relative ones begin at folder(). What cannot be done gives an errno of POSIX; EPERM: it
/// is the program that may not.
class Files {
 public:
  virtual ~Files() = default;

  /// The folder of the program, from the root on: os.getcwd().
  virtual std::string folder() const = 0;
  /// 0 and what is there, or an errno.
  virtual int info(const std::string& path, FileInfo& found) const = 0;
  /// 0 and the names in a folder, sorted, or an errno.
  virtual int list(const std::string& path, std::vector<std::string>& names) const = 0;

  virtual int make_folder(const std::string& path) = 0;
  /// A file; a folder only if `is_folder`, and if it is empty.
  virtual int remove(const std::string& path, bool is_folder) = 0;
  virtual int rename(const std::string& from, const std::string& to) = 0;
};

}  // namespace nns::python
