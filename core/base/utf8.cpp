#include "core/base/utf8.h"

#include <algorithm>

#include <cstdint>
#include <cstring>

namespace nns::base {

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

/// Index of the first byte >= 0x80 at or after `at`; text.size() if there is none.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  while (text.size() - at >= 32) {
    std::uint64_t words[4];
    std::memcpy(words, text.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
    at += 32;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

/// Length of the well-formed sequence that begins at `at` with a byte >= 0x80, or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t ahead) -> unsigned {
    return at + ahead < text.size() ? static_cast<unsigned char>(text[at + ahead]) : 0U;
  };
  const auto continues = [&](std::size_t ahead) { return (byte(ahead) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::size_t count_code_points(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::string_view first_utf8(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && is_continuation(text[most])) --most;
  return text.substr(0, most);
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = skip_ascii(text, 0);
  while (at < text.size()) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at = skip_ascii(text, at + length);
  }
  return std::nullopt;
}

std::string escape_invalid_utf8(std::string_view text) {
  std::string shown;
  while (const auto bad = find_invalid_utf8(text)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[*bad]);
    shown.append(text.substr(0, *bad)).append("\\x");
    shown += kDigits[byte >> 4U];
    shown += kDigits[byte & 0xFU];
    text.remove_prefix(*bad + 1);
  }
  return shown.append(text);
}

void append_utf8(char32_t code_point, std::string& out) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&text](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(at);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (size == 1 || at + size > text.size()) return {lead, 1};
  char32_t point = lead & (0xFFU >> (size + 1U));
  for (std::size_t i = 1; i < size; ++i) point = (point << 6U) | (byte(at + i) & 0x3FU);
  return {point, size};
}

}  // namespace nns::base
