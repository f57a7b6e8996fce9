#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/live/message.h"

namespace nns::live {

/// What a viewer knows of the newest recording of one program: how long it is, its sources, and the moment that was
/// told last.
class TraceView {
 public:
  struct File {
    std::string name;
    std::string text;
    bool is_library = false;
  };

  /// How many recordings there were of the program; 0: none.
  std::uint32_t recording() const { return recording_; }
  std::uint32_t events() const { return events_; }
  /// Whether the program has ended, so that no more comes.
  bool is_complete() const { return is_complete_; }
  /// Whether the recording was full before that, and how many statements were left out.
  bool is_full() const { return is_full_; }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t bytes() const { return bytes_; }
  /// What happens in each of as many equal parts of it: one bit for each wire::TraceEvent.
  const std::vector<std::uint32_t>& overview() const { return overview_; }
  /// Null: not told.
  const File* file(std::uint32_t id) const;
  /// The number of the file with that name; nothing: it was not recorded.
  std::optional<std::uint32_t> file_with_name(std::string_view name) const;
  /// The newest, or null.
  const wire::TraceMoment* moment() const { return moment_ ? moment_->as<wire::TraceMoment>() : nullptr; }
  /// Grows with every change.
  std::uint64_t version() const { return version_; }

  /// What the program's console had been told before the recording began. Units: bytes.
  std::uint64_t output_begin() const { return output_begin_; }

  /// `written`: what the console has been told up to now.
  void add(const wire::TraceState& state, std::uint64_t written);
  void add(const wire::TraceFile& file, std::uint64_t written);
  /// `message` is a TraceMoment. One of an older recording is dropped.
  /// Errors: an event that is beyond the recording.
  base::Result<void> add_moment(Message message, std::uint64_t written);

 private:
  // Forgets what belongs to an older recording; false: this is of one.
  bool begin(std::uint32_t recording, std::uint64_t written);

  std::uint32_t recording_ = 0;
  std::uint32_t events_ = 0;
  bool is_complete_ = false;
  bool is_full_ = false;
  std::uint64_t left_out_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t output_begin_ = 0;
  std::vector<std::uint32_t> overview_;
  std::map<std::uint32_t, File> files_;
  std::optional<Message> moment_;
  std::uint64_t version_ = 0;
};

}  // namespace nns::live
