#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/live/recording.h"
#include "core/session/jobs.h"

namespace nns::session {

/// Whether a file's name says that it is a recording.
bool is_recording_name(std::string_view name);

/// Opens a recording; `opened` gets it.
using RecordingOpened = std::function<base::Result<void>(std::unique_ptr<live::Recording> recording, std::string title,
                                                         std::uint64_t bytes)>;
std::unique_ptr<Job> make_open_recording_job(std::uint64_t request, std::uint64_t source, std::string name,
                                             std::string url, std::shared_ptr<SourceProvider> sources,
                                             RecordingOpened opened);

/// A recording that is open, and whose stream it tells again. It is no document: what it shows are trainings.
struct OpenRecording {
  std::unique_ptr<live::Recording> recording;
  std::string title;
  std::uint64_t bytes = 0;
};

/// Tells the stream of `shown` as it was when `event` events had been told: a RecordingState, then what a viewer saw,
/// with `number` in the place of the documents of then.
/// Errors: damage where it is read; nothing was sent then.
base::Result<void> tell_recording(std::uint64_t request, std::uint32_t number, OpenRecording& shown,
                                  std::uint64_t event, const Job::Send& send);

}  // namespace nns::session
