#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/byte_sink.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/live/bytes.h"

/// Recordings of a stream: `.nnscope` files.
///
/// Format (numbers little-endian): a head of 16 bytes ("NNSCOPE\n", u32 version, u32 zero), then chunks, at the end an
/// index chunk and 16 bytes that tell where it begins. A chunk is a head of 56 bytes (ChunkHead in recording_chunks.h)
/// and a zlib stream of records: u64 microseconds since the beginning, u32 size, u32 zero, the message's bytes, zeros
/// up to a multiple of 8. An event chunk holds what was told, one after the other; a keyframe holds what a viewer that
/// comes at that event would be told first. Both heads and contents carry a CRC-32. A file that was cut off or damaged
/// is read chunk by chunk from the start: all whole chunks before the damage can be shown.
namespace nns::live {

/// What a chunk holds.
enum class ChunkKind : std::uint32_t { Events = 1, Keyframe = 2, Index = 3 };

/// Where a chunk lies, and what of the stream it holds.
struct RecordedChunk {
  std::uint64_t offset = 0;       ///< of its head in the file
  std::uint64_t first_event = 0;  ///< events before it
  std::uint64_t first_us = 0;     ///< microseconds since the recording began
  std::uint32_t events = 0;       ///< records in it; of a keyframe messages
  std::uint32_t packed_bytes = 0;
  std::uint32_t raw_bytes = 0;
  ChunkKind kind = ChunkKind::Events;
};

/// One message as it was told.
struct RecordedMessage {
  std::uint64_t at_us = 0;  ///< since the recording began
  Bytes bytes;
};

/// Writes a recording, one chunk after the other. Threads: one.
/// After an error nothing more is written: what was written before can be read.
class RecordingWriter {
 public:
  /// Lifetime: `sink` must outlive the writer.
  explicit RecordingWriter(base::ByteSink& sink) : sink_(sink) {}

  /// One message of the stream. Times never go back: an earlier one counts as the last one's.
  /// Errors: those of the sink (the disk is full); a message of more than 64 MiB.
  base::Result<void> add(std::uint64_t at_us, std::span<const std::byte> message);
  /// Whether so much was told since the last keyframe that a new one keeps seeking fast; true at the beginning.
  bool wants_keyframe() const;
  /// The messages that a viewer would be told that comes now.
  base::Result<void> add_keyframe(std::uint64_t at_us, std::span<const std::span<const std::byte>> messages);
  /// Ends the chunk that is being filled, so that a crash from here on does not lose it.
  base::Result<void> flush();
  /// Writes the rest and the index. Nothing can be added afterwards.
  base::Result<void> finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t bytes_written() const { return offset_; }

 private:
  base::Result<void> begin();
  base::Result<void> put(std::span<const std::byte> bytes);
  base::Result<void> write_chunk(ChunkKind kind, std::span<const std::byte> raw, RecordedChunk about);

  base::ByteSink& sink_;
  std::uint64_t offset_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t last_us_ = 0;
  std::uint64_t since_keyframe_bytes_ = 0;
  std::uint64_t keyframe_bytes_ = 0;
  std::vector<std::byte> raw_;
  RecordedChunk filling_;
  std::vector<RecordedChunk> chunks_;
  bool has_begun_ = false;
  bool is_over_ = false;
};

/// Reads a recording where it lies: opening it reads its index, or the heads of its chunks.
/// Threads: one at a time.
class Recording {
 public:
  /// Whether a file that begins with these bytes says that it is a recording.
  static bool is_recording(std::span<const std::byte> head);
  /// Errors: no recording, another version, damage before the first whole chunk.
  static base::Result<std::unique_ptr<Recording>> open(std::shared_ptr<base::ByteSource> source);

  std::uint64_t events() const { return events_; }
  /// Of its last chunk's first event, at least. Units: microseconds.
  std::uint64_t duration_us() const { return duration_us_; }
  const std::vector<RecordedChunk>& chunks() const { return chunks_; }
  /// What is wrong with the file, if it was cut off or damaged: what comes before it can be read.
  const std::optional<base::Error>& damage() const { return damage_; }

  /// The messages that show what a viewer saw when `event` events had been told (0 .. events()): the last keyframe's,
  /// then those after it. Errors: damage in one of the chunks that are needed; more than 400 MiB of them without a
  /// keyframe, which no writer leaves.
  base::Result<std::vector<RecordedMessage>> seek(std::uint64_t event);
  /// The events `first` .. `last` (exclusive), as they were told.
  base::Result<std::vector<RecordedMessage>> read(std::uint64_t first, std::uint64_t last);
  /// How many events had been told at that time, by the chunks' heads and one chunk's records.
  base::Result<std::uint64_t> event_at(std::uint64_t at_us);

 private:
  explicit Recording(std::shared_ptr<base::ByteSource> source) : source_(std::move(source)) {}
  bool read_index();
  base::Result<void> scan();
  base::Result<std::shared_ptr<const std::vector<std::byte>>> unpack(std::size_t chunk);

  std::shared_ptr<base::ByteSource> source_;
  std::vector<RecordedChunk> chunks_;
  std::vector<std::size_t> event_chunks_;
  std::uint64_t events_ = 0;
  std::uint64_t duration_us_ = 0;
  std::optional<base::Error> damage_;
  // The chunk that was read last: who plays a recording reads it many times.
  std::size_t kept_chunk_ = SIZE_MAX;
  std::shared_ptr<const std::vector<std::byte>> kept_;
};

}  // namespace nns::live
