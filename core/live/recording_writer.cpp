#include <zlib.h>

#include <algorithm>

#include "core/live/recording.h"
#include "core/live/recording_chunks.h"

namespace nns::live {

namespace {

// A chunk is unpacked whole to show one event of it, and lost whole by a crash: this is a few milliseconds of either.
constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;
// Between keyframes, so that a seek reads few chunks; a large keyframe must pay for itself.
constexpr std::uint64_t kKeyframeEveryBytes = std::uint64_t{1} << 20U;

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_record(std::vector<std::byte>& to, std::uint64_t at_us, std::span<const std::byte> message) {
  append(to, at_us);
  append(to, static_cast<std::uint32_t>(message.size()));
  append(to, std::uint32_t{0});
  to.insert(to.end(), message.begin(), message.end());
  to.resize((to.size() + 7) / 8 * 8);
}

base::Error too_large(std::uint64_t bytes) {
  return {.found = "a message of " + std::to_string(bytes) + " bytes to record",
          .expected = "at most 64 MiB",
          .where = "recording",
          .offset = {}};
}

}  // namespace

base::Result<void> RecordingWriter::put(std::span<const std::byte> bytes) {
  auto written = sink_.write(bytes);
  if (written.ok()) {
    offset_ += bytes.size();
  } else {
    is_over_ = true;
  }
  return written;
}

base::Result<void> RecordingWriter::begin() {
  if (has_begun_) return {};
  has_begun_ = true;
  std::vector<std::byte> head;
  for (const char c : kRecordingMagic) head.push_back(static_cast<std::byte>(c));
  append(head, kRecordingVersion);
  append(head, std::uint32_t{0});
  return put(head);
}

base::Result<void> RecordingWriter::write_chunk(ChunkKind kind, std::span<const std::byte> raw, RecordedChunk about) {
  NNS_TRY(begin());
  uLongf packed_bytes = compressBound(static_cast<uLong>(raw.size()));
  std::vector<std::byte> chunk(sizeof(ChunkHead) + packed_bytes);
  // Can only fail for lack of memory, which throws or aborts before, or of space, of which there is enough.
  if (compress2(reinterpret_cast<Bytef*>(chunk.data() + sizeof(ChunkHead)), &packed_bytes,
                reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()), Z_BEST_SPEED) != Z_OK) {
    return base::Error{.found = "no memory to pack a chunk", .expected = {}, .where = "recording", .offset = offset_};
  }
  chunk.resize(sizeof(ChunkHead) + packed_bytes);
  about.offset = offset_;
  about.kind = kind;
  about.packed_bytes = static_cast<std::uint32_t>(packed_bytes);
  about.raw_bytes = static_cast<std::uint32_t>(raw.size());
  ChunkHead head;
  head.kind = static_cast<std::uint32_t>(kind);
  head.first_event = about.first_event;
  head.first_us = about.first_us;
  head.events = about.events;
  head.packed_bytes = about.packed_bytes;
  head.raw_bytes = about.raw_bytes;
  head.packed_crc = checksum(std::span(chunk).subspan(sizeof(ChunkHead)));
  head.head_crc = head_checksum(head);
  std::memcpy(chunk.data(), &head, sizeof head);
  NNS_TRY(put(chunk));
  chunks_.push_back(about);
  return {};
}

base::Result<void> RecordingWriter::add(std::uint64_t at_us, std::span<const std::byte> message) {
  if (message.size() > kMostMessageBytes) return too_large(message.size());
  if (is_over_) return {};
  last_us_ = std::max(last_us_, at_us);
  if (raw_.empty()) {
    filling_ = RecordedChunk{};
    filling_.first_event = events_;
    filling_.first_us = last_us_;
  }
  append_record(raw_, last_us_, message);
  ++filling_.events;
  ++events_;
  return raw_.size() >= kChunkBytes ? flush() : base::Result<void>{};
}

bool RecordingWriter::wants_keyframe() const {
  return !is_over_ && (chunks_.empty() || since_keyframe_bytes_ >= std::max(kKeyframeEveryBytes, 4 * keyframe_bytes_));
}

base::Result<void> RecordingWriter::add_keyframe(std::uint64_t at_us,
                                                 std::span<const std::span<const std::byte>> messages) {
  if (is_over_) return {};
  NNS_TRY(flush());
  last_us_ = std::max(last_us_, at_us);
  std::vector<std::byte> raw;
  for (const auto& message : messages) {
    if (message.size() > kMostMessageBytes) return too_large(message.size());
    append_record(raw, last_us_, message);
    if (raw.size() > kMostChunkBytes) return too_large(raw.size());
  }
  RecordedChunk about;
  about.first_event = events_;
  about.first_us = last_us_;
  about.events = static_cast<std::uint32_t>(messages.size());
  keyframe_bytes_ = raw.size();
  since_keyframe_bytes_ = 0;
  return write_chunk(ChunkKind::Keyframe, raw, about);
}

base::Result<void> RecordingWriter::flush() {
  if (raw_.empty() || is_over_) return {};
  since_keyframe_bytes_ += raw_.size();
  auto written = write_chunk(ChunkKind::Events, raw_, filling_);
  raw_.clear();
  return written;
}

base::Result<void> RecordingWriter::finish() {
  if (is_over_) return {};
  NNS_TRY(begin());
  NNS_TRY(flush());
  std::vector<std::byte> rows;
  for (const RecordedChunk& chunk : chunks_) {
    append(rows, IndexRow{chunk.offset, chunk.first_event, chunk.first_us, chunk.events, chunk.packed_bytes,
                          chunk.raw_bytes, static_cast<std::uint32_t>(chunk.kind)});
  }
  RecordedChunk about;
  about.first_event = events_;
  about.first_us = last_us_;
  about.events = static_cast<std::uint32_t>(chunks_.size());
  RecordingTail tail;
  tail.index_offset = offset_;
  tail.crc = checksum(std::as_bytes(std::span(&tail.index_offset, 1)));
  NNS_TRY(write_chunk(ChunkKind::Index, rows, about));
  is_over_ = true;
  return put(std::as_bytes(std::span(&tail, 1)));
}

}  // namespace nns::live
