#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/live/recording.h"

/// The bytes of a recording's heads: for its reader and writer only.
namespace nns::live {

inline constexpr std::string_view kRecordingMagic = "NNSCOPE\n";
inline constexpr std::uint32_t kRecordingVersion = 1;
inline constexpr std::size_t kRecordingHeadBytes = 16;
inline constexpr std::uint32_t kChunkMark = 0x4B484343;  // "CCHK"
inline constexpr std::uint32_t kTailMark = 0x4C494154;   // "TAIL"
inline constexpr std::size_t kTailBytes = 16;
inline constexpr std::size_t kRecordHeadBytes = 16;
/// A message, and what a chunk unpacks to, at most: a damaged length must not ask for more.
inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMostChunkBytes = kMostMessageBytes + (std::size_t{16} << 20U);

/// As it lies in the file. `head_crc` is over what stands before it.
struct ChunkHead {
  std::uint32_t mark = kChunkMark;
  std::uint32_t kind = 0;
  std::uint64_t first_event = 0;
  std::uint64_t first_us = 0;
  std::uint32_t events = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t packed_crc = 0;
  std::uint64_t zero = 0;
  std::uint32_t also_zero = 0;
  std::uint32_t head_crc = 0;
};
static_assert(sizeof(ChunkHead) == 56);

/// One chunk as the index lists it.
struct IndexRow {
  std::uint64_t offset = 0;
  std::uint64_t first_event = 0;
  std::uint64_t first_us = 0;
  std::uint32_t events = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t kind = 0;
};
static_assert(sizeof(IndexRow) == 40);

/// The last bytes of a whole recording.
struct RecordingTail {
  std::uint64_t index_offset = 0;
  std::uint32_t mark = kTailMark;
  std::uint32_t crc = 0;  ///< over the eight bytes of `index_offset`
};
static_assert(sizeof(RecordingTail) == kTailBytes);

inline std::uint32_t checksum(std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), begin, bytes.size()));
}

inline std::uint32_t head_checksum(const ChunkHead& head) {
  return checksum(std::as_bytes(std::span(&head, 1)).first(offsetof(ChunkHead, head_crc)));
}

}  // namespace nns::live
