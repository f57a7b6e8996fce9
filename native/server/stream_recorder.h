#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/live/broadcast.h"

namespace nns::server {

/// Writes a stream into a file, on a thread of its own, as one more viewer of it: whoever makes the stream never waits
/// for the disk. After a crash all but the last two seconds can be read. When the disk is full the recording ends, the
/// stream goes on.
/// Lifetime: `stream` must outlive the recorder; its destructor writes the rest and the index.
class StreamRecorder {
 public:
  /// Errors: the file cannot be made, or is there already (unless `overwrites`).
  static base::Result<std::unique_ptr<StreamRecorder>> start(live::Broadcast& stream, const std::filesystem::path& file,
                                                             bool overwrites);
  ~StreamRecorder();
  StreamRecorder(const StreamRecorder&) = delete;
  StreamRecorder& operator=(const StreamRecorder&) = delete;

  /// Why nothing more is written, or nothing.
  std::optional<base::Error> error() const;

 private:
  struct State;
  explicit StreamRecorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace nns::server
