#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "core/base/result.h"

namespace nns::host {

/// A file that is written piece by piece. Destroyed before finish() succeeded, it leaves no file behind.
/// Threads: the UI thread.
class SaveFile {
 public:
  virtual ~SaveFile() = default;
  SaveFile() = default;
  SaveFile(const SaveFile&) = delete;
  SaveFile& operator=(const SaveFile&) = delete;

  virtual void write(std::string_view bytes) = 0;
  /// Bytes of a PNG's picture: they become one zlib stream, which is written as IDAT chunks; `last` ends it.
  virtual void write_packed(std::string_view bytes, bool last) = 0;
  /// What was given and is not written yet. Units: bytes. Who has much to give waits while this is more than a few
  /// megabytes.
  virtual std::uint64_t pending() const = 0;
  /// Everything was given. Ask ended() from then on.
  virtual void finish() = 0;
  /// True once everything is written; false while something is on its way. Errors: disk full, no permission, ...
  virtual base::Result<bool> ended() const = 0;
  /// The person did not want it after all.
  virtual bool is_cancelled() const { return false; }
};

/// Asks the person where a file of this name is to be written, or takes the place where downloads go. `done` runs once,
/// on the UI thread: the file, nothing if the person cancelled, or why it cannot be written. Browsers allow it only
/// inside a click or key press.
void save_file(std::string_view name, const std::function<void(base::Result<std::unique_ptr<SaveFile>>)>& done);

}  // namespace nns::host
