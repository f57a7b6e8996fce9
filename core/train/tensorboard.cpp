#include "core/train/tensorboard.h"

#include <array>

#include "core/base/bits.h"

namespace nns::train {

namespace {

// By byte: the CRC of it alone.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = make_table();

// Wire types of protocol buffers.
enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) out.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  out.push_back(static_cast<char>(value));
}
void put_key(std::string& out, std::uint32_t field, Wire wire) {
  put_varint(out, field << 3U | static_cast<std::uint32_t>(wire));
}
template <class Bits>
void put_fixed(std::string& out, Bits bits) {
  for (std::size_t i = 0; i < sizeof bits; ++i) out.push_back(static_cast<char>(bits >> (8 * i) & 0xFFU));
}
void put_double(std::string& out, std::uint32_t field, double value) {
  put_key(out, field, Wire::Fixed64);
  put_fixed(out, base::bit_cast<std::uint64_t>(value));
}
void put_float(std::string& out, std::uint32_t field, float value) {
  put_key(out, field, Wire::Fixed32);
  put_fixed(out, base::bit_cast<std::uint32_t>(value));
}
void put_integer(std::string& out, std::uint32_t field, std::uint64_t value) {
  put_key(out, field, Wire::Varint);
  put_varint(out, value);
}
void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_key(out, field, Wire::Bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

// Behaviour: tensorflow/core/lib/hash/crc32c.h, Mask.
std::uint32_t masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(std::as_bytes(std::span(bytes.data(), bytes.size())));
  return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}

constexpr std::uint32_t kWallTime = 1, kEventStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
constexpr std::uint32_t kSummaryValue = 1, kTag = 1, kSimpleValue = 2, kStatus = 1, kStart = 1;

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) crc = kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xFFU] ^ (crc >> 8U);
  return ~crc;
}

base::Result<void> TensorBoardFile::write(std::string_view event) {
  std::string frame;
  put_fixed(frame, static_cast<std::uint64_t>(event.size()));
  put_fixed(frame, masked_crc(frame));
  frame += event;
  put_fixed(frame, masked_crc(event));
  return sink_->write(frame);
}

base::Result<void> TensorBoardFile::begin(double wall_time) {
  std::string event;
  put_double(event, kWallTime, wall_time);
  put_bytes(event, kFileVersion, "brain.Event:2");
  return write(event);
}

base::Result<void> TensorBoardFile::restart(double wall_time, std::uint64_t step) {
  std::string log, event;
  put_integer(log, kStatus, kStart);
  put_double(event, kWallTime, wall_time);
  put_integer(event, kEventStep, step);
  put_bytes(event, kSessionLog, log);
  return write(event);
}

base::Result<void> TensorBoardFile::add(double wall_time, std::uint64_t step, std::string_view tag, double value) {
  std::string point, summary, event;
  put_bytes(point, kTag, tag);
  put_float(point, kSimpleValue, static_cast<float>(value));
  put_bytes(summary, kSummaryValue, point);
  put_double(event, kWallTime, wall_time);
  put_integer(event, kEventStep, step);
  put_bytes(event, kSummary, summary);
  return write(event);
}

}  // namespace nns::train
