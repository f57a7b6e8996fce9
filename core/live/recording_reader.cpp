#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/byte_reader.h"
#include "core/live/recording.h"
#include "core/live/recording_chunks.h"

namespace nns::live {

namespace {

// Told since a keyframe: a writer's next one comes after four times the largest keyframe, in the chunk after.
constexpr std::uint64_t kMostReplayedBytes = std::uint64_t{5} * kMostChunkBytes;

base::Error damaged(const base::ByteSource& source, std::uint64_t offset, std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = source.name(), .offset = offset};
}

/// The head at `offset`, if a whole chunk of believable sizes lies there.
base::Result<ChunkHead> read_head(base::ByteSource& source, std::uint64_t offset) {
  const std::uint64_t left = source.size() - offset;
  if (left < sizeof(ChunkHead)) {
    return damaged(source, offset, fmt::format("{} bytes at the end", left), "a chunk, or the index");
  }
  ChunkHead head;
  NNS_TRY(source.read(offset, std::as_writable_bytes(std::span(&head, 1))));
  if (head.mark != kChunkMark || head.head_crc != head_checksum(head)) {
    return damaged(source, offset, "a damaged head of a chunk", "its mark and its checksum");
  }
  const bool is_known = head.kind >= static_cast<std::uint32_t>(ChunkKind::Events) &&
                        head.kind <= static_cast<std::uint32_t>(ChunkKind::Index);
  if (!is_known || head.raw_bytes > kMostChunkBytes) {
    return damaged(source, offset, fmt::format("a chunk of kind {} with {} bytes", head.kind, head.raw_bytes),
                   fmt::format("kinds 1 to 3, at most {} bytes", kMostChunkBytes));
  }
  if (head.packed_bytes > left - sizeof(ChunkHead)) {
    return damaged(source, offset, "a chunk that is cut off",
                   fmt::format("{} bytes after its head", head.packed_bytes));
  }
  return head;
}

/// What the chunk at `offset` unpacks to. Errors: its checksums, sizes or packed bytes are wrong.
base::Result<std::vector<std::byte>> unpack_at(base::ByteSource& source, std::uint64_t offset, const ChunkHead& head) {
  std::vector<std::byte> packed(head.packed_bytes);
  NNS_TRY(source.read(offset + sizeof(ChunkHead), packed));
  if (checksum(packed) != head.packed_crc) {
    return damaged(source, offset, "a chunk whose bytes are damaged", "its checksum");
  }
  // Deflate makes at most 1,032 bytes of one.
  if (std::uint64_t{head.raw_bytes} > std::uint64_t{head.packed_bytes} * 1032 + 64) {
    return damaged(source, offset, fmt::format("{} bytes in {} packed ones", head.raw_bytes, head.packed_bytes),
                   "what deflate can make");
  }
  std::vector<std::byte> raw(head.raw_bytes);
  uLongf size = head.raw_bytes;
  const int status = uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (status != Z_OK || size != head.raw_bytes) {
    return damaged(source, offset, "a chunk that does not unpack", fmt::format("{} bytes", head.raw_bytes));
  }
  return raw;
}

/// Calls `visit(index, record)` for the records of a chunk until it returns false.
template <class Visit>
base::Result<void> for_each_record(const base::ByteSource& source, const RecordedChunk& chunk,
                                   std::span<const std::byte> raw, const Visit& visit) {
  base::ByteReader reader(raw);
  for (std::uint32_t i = 0; i < chunk.events; ++i) {
    const auto at_us = reader.number<std::uint64_t>();
    const auto size = reader.number<std::uint32_t>();
    reader.number<std::uint32_t>();
    const auto bytes = reader.take(size);
    reader.take((8 - size % 8) % 8);
    if (!reader.ok()) {
      return damaged(source, chunk.offset, fmt::format("{} of {} records in a chunk", i, chunk.events), "all of them");
    }
    if (!visit(i, at_us, bytes)) return {};
  }
  return {};
}

RecordedMessage message_of(std::uint64_t at_us, std::span<const std::byte> bytes) { return {at_us, Bytes(bytes)}; }

}  // namespace

bool Recording::is_recording(std::span<const std::byte> head) {
  return head.size() >= kRecordingMagic.size() &&
         std::memcmp(head.data(), kRecordingMagic.data(), kRecordingMagic.size()) == 0;
}

base::Result<std::unique_ptr<Recording>> Recording::open(std::shared_ptr<base::ByteSource> source) {
  auto recording = std::unique_ptr<Recording>(new Recording(std::move(source)));
  base::ByteSource& file = *recording->source_;
  std::array<std::byte, kRecordingHeadBytes> head{};
  if (file.size() < head.size()) return damaged(file, 0, fmt::format("{} bytes", file.size()), "a recording");
  NNS_TRY(file.read(0, head));
  if (!is_recording(head)) return damaged(file, 0, "another kind of file", "a recording, which begins with NNSCOPE");
  std::uint32_t version = 0;
  std::memcpy(&version, head.data() + kRecordingMagic.size(), sizeof version);
  if (version != kRecordingVersion) {
    return damaged(file, kRecordingMagic.size(), fmt::format("version {} of the format", version),
                   fmt::format("version {}", kRecordingVersion));
  }
  if (!recording->read_index()) NNS_TRY(recording->scan());
  for (std::size_t i = 0; i < recording->chunks_.size(); ++i) {
    const RecordedChunk& chunk = recording->chunks_[i];
    recording->duration_us_ = std::max(recording->duration_us_, chunk.first_us);
    if (chunk.kind != ChunkKind::Events) continue;
    recording->event_chunks_.push_back(i);
    recording->events_ = chunk.first_event + chunk.events;
  }
  return recording;
}

bool Recording::read_index() {
  base::ByteSource& file = *source_;
  RecordingTail tail;
  const std::uint64_t size = file.size();
  if (size < kRecordingHeadBytes + sizeof(ChunkHead) + kTailBytes) return false;
  if (!file.read(size - kTailBytes, std::as_writable_bytes(std::span(&tail, 1))).ok()) return false;
  if (tail.mark != kTailMark || tail.crc != checksum(std::as_bytes(std::span(&tail.index_offset, 1)))) return false;
  if (tail.index_offset < kRecordingHeadBytes || tail.index_offset > size - kTailBytes) return false;
  const auto head = read_head(file, tail.index_offset);
  if (!head.ok() || head->kind != static_cast<std::uint32_t>(ChunkKind::Index)) return false;
  if (std::uint64_t{head->events} * sizeof(IndexRow) != head->raw_bytes) return false;
  const auto raw = unpack_at(file, tail.index_offset, *head);
  if (!raw.ok()) return false;
  std::vector<RecordedChunk> chunks;
  chunks.reserve(head->events);
  base::ByteReader reader(*raw);
  std::uint64_t offset = kRecordingHeadBytes;
  std::uint64_t events = 0;
  std::uint64_t us = 0;
  for (std::uint32_t i = 0; i < head->events; ++i) {
    const auto row = reader.number<IndexRow>();
    const bool is_events = row.kind == static_cast<std::uint32_t>(ChunkKind::Events);
    if (!is_events && row.kind != static_cast<std::uint32_t>(ChunkKind::Keyframe)) return false;
    // Chunks lie one after the other and leave no event out.
    if (row.offset != offset || row.first_event != events || row.first_us < us || row.raw_bytes > kMostChunkBytes) {
      return false;
    }
    if (row.packed_bytes >
        tail.index_offset - offset - std::min<std::uint64_t>(tail.index_offset - offset, sizeof(ChunkHead))) {
      return false;
    }
    offset += sizeof(ChunkHead) + row.packed_bytes;
    us = row.first_us;
    if (is_events) events += row.events;
    chunks.push_back({row.offset, row.first_event, row.first_us, row.events, row.packed_bytes, row.raw_bytes,
                      static_cast<ChunkKind>(row.kind)});
  }
  if (offset != tail.index_offset) return false;
  chunks_ = std::move(chunks);
  return true;
}

base::Result<void> Recording::scan() {
  base::ByteSource& file = *source_;
  std::uint64_t offset = kRecordingHeadBytes;
  std::uint64_t events = 0;
  std::uint64_t us = 0;
  damage_ = damaged(file, file.size(), "a recording without its end", "the index that is written last");
  while (offset < file.size()) {
    auto head = read_head(file, offset);
    if (!head.ok()) {
      damage_ = std::move(head).error();
      break;
    }
    if (head->kind == static_cast<std::uint32_t>(ChunkKind::Index)) break;
    if (head->first_event != events || head->first_us < us) {
      damage_ = damaged(file, offset, fmt::format("a chunk that begins with event {}", head->first_event),
                        fmt::format("event {}", events));
      break;
    }
    const auto kind = static_cast<ChunkKind>(head->kind);
    chunks_.push_back(
        {offset, head->first_event, head->first_us, head->events, head->packed_bytes, head->raw_bytes, kind});
    us = head->first_us;
    if (kind == ChunkKind::Events) events += head->events;
    offset += sizeof(ChunkHead) + head->packed_bytes;
  }
  // Bytes that a crash never wrote are zeros behind a head that was: the last chunk may be a head alone.
  while (!chunks_.empty()) {
    const auto head = read_head(file, chunks_.back().offset);
    auto raw = head.ok() ? unpack_at(file, chunks_.back().offset, *head) : head.error();
    if (raw.ok()) break;
    damage_ = std::move(raw).error();
    chunks_.pop_back();
  }
  if (chunks_.empty()) return *damage_;
  return {};
}

base::Result<std::shared_ptr<const std::vector<std::byte>>> Recording::unpack(std::size_t chunk) {
  if (kept_chunk_ == chunk) return kept_;
  const RecordedChunk& about = chunks_[chunk];
  NNS_TRY_ASSIGN(const ChunkHead head, read_head(*source_, about.offset));
  if (head.kind != static_cast<std::uint32_t>(about.kind) || head.first_event != about.first_event ||
      head.events != about.events || head.packed_bytes != about.packed_bytes || head.raw_bytes != about.raw_bytes) {
    return damaged(*source_, about.offset, "another chunk than the index tells", "the one of the index");
  }
  NNS_TRY_ASSIGN(auto raw, unpack_at(*source_, about.offset, head));
  kept_ = std::make_shared<const std::vector<std::byte>>(std::move(raw));
  kept_chunk_ = chunk;
  return kept_;
}

base::Result<std::vector<RecordedMessage>> Recording::seek(std::uint64_t event) {
  event = std::min(event, events_);
  std::vector<RecordedMessage> messages;
  std::uint64_t first = 0;
  // The last keyframe at or before the event.
  auto after = std::upper_bound(chunks_.begin(), chunks_.end(), event,
                                [](std::uint64_t at, const RecordedChunk& chunk) { return at < chunk.first_event; });
  while (after != chunks_.begin()) {
    --after;
    if (after->kind != ChunkKind::Keyframe) continue;
    const auto index = static_cast<std::size_t>(after - chunks_.begin());
    NNS_TRY_ASSIGN(const auto raw, unpack(index));
    NNS_TRY(for_each_record(*source_, *after, *raw,
                            [&](std::uint32_t, std::uint64_t at_us, std::span<const std::byte> bytes) {
                              messages.push_back(message_of(at_us, bytes));
                              return true;
                            }));
    first = after->first_event;
    break;
  }
  NNS_TRY_ASSIGN(auto rest, read(first, event));
  messages.insert(messages.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  return messages;
}

base::Result<std::vector<RecordedMessage>> Recording::read(std::uint64_t first, std::uint64_t last) {
  std::vector<RecordedMessage> messages;
  last = std::min(last, events_);
  if (first >= last) return messages;
  auto chunk = std::upper_bound(event_chunks_.begin(), event_chunks_.end(), first,
                                [&](std::uint64_t at, std::size_t i) { return at < chunks_[i].first_event; });
  if (chunk != event_chunks_.begin()) --chunk;
  std::uint64_t replayed = 0;
  for (auto at = chunk; at != event_chunks_.end() && chunks_[*at].first_event < last; ++at) {
    replayed += chunks_[*at].raw_bytes;
    if (replayed > kMostReplayedBytes) {
      return damaged(*source_, chunks_[*at].offset, fmt::format("{} bytes or more to replay at once", replayed),
                     fmt::format("a keyframe after at most {} bytes", kMostReplayedBytes));
    }
  }
  for (; chunk != event_chunks_.end() && chunks_[*chunk].first_event < last; ++chunk) {
    const RecordedChunk& about = chunks_[*chunk];
    NNS_TRY_ASSIGN(const auto raw, unpack(*chunk));
    NNS_TRY(for_each_record(*source_, about, *raw,
                            [&](std::uint32_t i, std::uint64_t at_us, std::span<const std::byte> bytes) {
                              const std::uint64_t at = about.first_event + i;
                              if (at >= last) return false;
                              if (at >= first) messages.push_back(message_of(at_us, bytes));
                              return true;
                            }));
  }
  return messages;
}

base::Result<std::uint64_t> Recording::event_at(std::uint64_t at_us) {
  auto chunk = std::upper_bound(event_chunks_.begin(), event_chunks_.end(), at_us,
                                [&](std::uint64_t at, std::size_t i) { return at < chunks_[i].first_us; });
  if (chunk == event_chunks_.begin()) return std::uint64_t{0};
  --chunk;
  const RecordedChunk& about = chunks_[*chunk];
  std::uint64_t event = about.first_event;
  NNS_TRY_ASSIGN(const auto raw, unpack(*chunk));
  NNS_TRY(for_each_record(*source_, about, *raw, [&](std::uint32_t, std::uint64_t told_us, std::span<const std::byte>) {
    if (told_us > at_us) return false;
    ++event;
    return true;
  }));
  return event;
}

}  // namespace nns::live
