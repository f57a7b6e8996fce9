#include "ui/exports/png_chunk.h"

#include <algorithm>
#include <array>

namespace nns::exports {

namespace {

constexpr std::array<std::uint32_t, 256> kCrc = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    table[byte] = crc;
  }
  return table;
}();

std::uint32_t add_crc(std::uint32_t crc, std::string_view bytes) {
  for (const char c : bytes) crc = (crc >> 8U) ^ kCrc[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
  return crc;
}

std::uint32_t adler_of(std::string_view bytes) {
  constexpr std::uint32_t kModulus = 65521;
  constexpr std::size_t kNoOverflow = 5552;  // so many bytes may be added before the sums are reduced
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  while (!bytes.empty()) {
    for (const char c : bytes.substr(0, kNoOverflow)) {
      a += static_cast<unsigned char>(c);
      b += a;
    }
    a %= kModulus;
    b %= kModulus;
    bytes.remove_prefix(std::min(bytes.size(), kNoOverflow));
  }
  return (b << 16U) | a;
}

/// A zlib stream whose blocks are stored. Behaviour: RFC 1950, RFC 1951 section 3.2.4.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMostBlock = 65535;
  std::string out("\x78\x01");
  for (std::string_view rest = bytes;;) {
    const std::string_view block = rest.substr(0, kMostBlock);
    rest.remove_prefix(block.size());
    const auto size = static_cast<std::uint32_t>(block.size());
    out += rest.empty() ? '\x01' : '\x00';
    for (const std::uint32_t number : {size, ~size}) {
      out += static_cast<char>(number & 0xFFU);
      out += static_cast<char>((number >> 8U) & 0xFFU);
    }
    out += block;
    if (rest.empty()) break;
  }
  put_u32(out, adler_of(bytes));
  return out;
}

}  // namespace

void put_u32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 32; shift != 0;) out += static_cast<char>((value >> (shift -= 8U)) & 0xFFU);
}

std::string png_chunk(std::string_view type, std::string_view data) {
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(data.size()));
  out += type;
  out += data;
  put_u32(out, ~add_crc(add_crc(UINT32_MAX, type), data));
  return out;
}

std::string png_of_indices(std::uint32_t width, std::uint32_t height, std::string_view palette,
                           std::span<const std::uint8_t> indices) {
  std::string head;
  put_u32(head, width);
  put_u32(head, height);
  head += std::string_view("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette
  std::string rows;
  rows.reserve(indices.size() + height);
  for (std::uint32_t row = 0; row < height; ++row) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(indices.data()) + std::size_t{row} * width, width);
  }
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", head) + png_chunk("PLTE", palette) + png_chunk("IDAT", stored(rows)) +
         png_chunk("IEND", {});
}

void put_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U; };
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const unsigned group = (byte(at) << 16U) | (byte(at + 1) << 8U) | byte(at + 2);
    const std::size_t rest = bytes.size() - at;
    for (unsigned digit = 0; digit < 4; ++digit)
      out += digit <= rest ? kDigits[(group >> (18U - 6U * digit)) & 63U] : '=';
  }
}

}  // namespace nns::exports
