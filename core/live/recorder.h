#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/base/byte_sink.h"
#include "core/live/message.h"
#include "core/live/recording.h"
#include "core/live/training_view.h"

namespace nns::live {

/// Writes what a stream tells into a recording, with keyframes that it makes of what it was told itself: whoever opens
/// the recording at a keyframe sees what a viewer saw that was there from the beginning. Threads: one.
class Recorder {
 public:
  /// Lifetime: `sink` must outlive the recorder.
  explicit Recorder(base::ByteSink& sink) : writer_(sink) {}

  /// Errors: those of the sink; nothing is written afterwards, what was written can be read.
  base::Result<void> add(std::uint64_t at_us, const Message& message);
  /// What was told so far survives a crash from here on.
  base::Result<void> flush() { return writer_.flush(); }
  base::Result<void> finish() { return writer_.finish(); }
  std::uint64_t events() const { return writer_.events(); }
  std::uint64_t bytes_written() const { return writer_.bytes_written(); }

 private:
  base::Result<void> add_keyframe(std::uint64_t at_us);

  RecordingWriter writer_;
  std::map<std::uint32_t, TrainingView> trainings_;
  // Of what is no training's, in the order of the protocol's kinds.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Message> newest_;
};

}  // namespace nns::live
