#include "ui/text/letters.h"

#include <algorithm>
#include <array>

namespace nns::text {

namespace {

struct Span {
  char32_t first;
  char32_t last;
};

// What belongs to the letter before it: combining marks, variation selectors, tones of emoji, tags.
constexpr std::array kExtending = {
    Span{0x0300, 0x036F}, Span{0x0483, 0x0489},   Span{0x0591, 0x05BD},   Span{0x0610, 0x061A},   Span{0x064B, 0x065F},
    Span{0x0E31, 0x0E31}, Span{0x0E34, 0x0E3A},   Span{0x0E47, 0x0E4E},   Span{0x1AB0, 0x1AFF},   Span{0x1DC0, 0x1DFF},
    Span{0x200C, 0x200D}, Span{0x20D0, 0x20FF},   Span{0x302A, 0x302F},   Span{0x3099, 0x309A},   Span{0xFE00, 0xFE0F},
    Span{0xFE20, 0xFE2F}, Span{0x1F3FB, 0x1F3FF}, Span{0xE0020, 0xE007F}, Span{0xE0100, 0xE01EF},
};
constexpr char32_t kJoiner = 0x200D;

bool is_extending(char32_t value) {
  if (value < kExtending.front().first) return false;
  return std::any_of(kExtending.begin(), kExtending.end(),
                     [&](const Span& span) { return value >= span.first && value <= span.last; });
}
bool is_pictograph(char32_t value) {
  return (value >= 0x1F000 && value <= 0x1FAFF) || (value >= 0x2190 && value <= 0x2BFF);
}
bool is_regional(char32_t value) { return value >= 0x1F1E6 && value <= 0x1F1FF; }

std::uint32_t code_point_before(std::string_view line, std::uint32_t column) {
  std::uint32_t at = column - 1;
  while (at > 0 && is_continuation(line[at]) && column - at < 4) --at;
  // Bytes that do not make one code point are one by one.
  return at + code_point_at(line, at).length == column ? at : column - 1;
}

enum class Sort : std::uint8_t { Space, Name, Sign };
Sort sort_of(char byte) {
  if (byte == ' ' || byte == '\t') return Sort::Space;
  return is_name_byte(byte) ? Sort::Name : Sort::Sign;
}

}  // namespace

CodePoint code_point_at(std::string_view line, std::size_t at) {
  const auto first = static_cast<unsigned char>(line[at]);
  if (first < 0x80) return {first, 1};
  const std::uint32_t length = first >= 0xF0 && first <= 0xF4   ? 4
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xC2 && first <= 0xDF ? 2
                                                                : 1;
  if (length == 1 || at + length > line.size()) return {0xFFFD, 1};
  char32_t value = first & (0x7FU >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    if (!is_continuation(line[at + i])) return {0xFFFD, 1};
    value = (value << 6U) | (static_cast<unsigned char>(line[at + i]) & 0x3FU);
  }
  return {value, length};
}

std::uint32_t next_letter(std::string_view line, std::uint32_t column) {
  const auto size = static_cast<std::uint32_t>(line.size());
  if (column >= size) return size;
  const CodePoint first = code_point_at(line, column);
  std::uint32_t at = column + first.length;
  if (is_regional(first.value) && at < size) {
    const CodePoint second = code_point_at(line, at);
    if (is_regional(second.value)) at += second.length;
  }
  while (at < size) {
    const CodePoint next = code_point_at(line, at);
    if (!is_extending(next.value)) break;
    at += next.length;
    if (next.value != kJoiner || at >= size) continue;
    const CodePoint joined = code_point_at(line, at);
    if (is_pictograph(joined.value) && is_pictograph(first.value)) at += joined.length;
  }
  return at;
}

std::uint32_t previous_letter(std::string_view line, std::uint32_t column) {
  column = std::min(column, static_cast<std::uint32_t>(line.size()));
  if (column == 0) return 0;
  std::uint32_t at = code_point_before(line, column);
  if (static_cast<unsigned char>(line[at]) < 0x80) return at;
  // Letters are found forwards: from where one surely begins, an ASCII letter or the line's beginning.
  constexpr std::uint32_t kFar = 256;
  std::uint32_t from = at;
  while (from > 0 && at - from < kFar && static_cast<unsigned char>(line[from]) >= 0x80) {
    from = code_point_before(line, from);
  }
  std::uint32_t next = next_letter(line, from);
  while (next < column) {
    from = next;
    next = next_letter(line, from);
  }
  return from;
}

bool is_name_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || (value >= '0' && value <= '9') ||
         value == '_' || value >= 0x80;
}

std::uint32_t next_word(std::string_view line, std::uint32_t column) {
  const auto size = static_cast<std::uint32_t>(line.size());
  while (column < size && sort_of(line[column]) == Sort::Space) ++column;
  if (column >= size) return size;
  const Sort sort = sort_of(line[column]);
  while (column < size && sort_of(line[column]) == sort) ++column;
  return column;
}

std::uint32_t previous_word(std::string_view line, std::uint32_t column) {
  column = std::min(column, static_cast<std::uint32_t>(line.size()));
  while (column > 0 && sort_of(line[column - 1]) == Sort::Space) --column;
  if (column == 0) return 0;
  const Sort sort = sort_of(line[column - 1]);
  while (column > 0 && sort_of(line[column - 1]) == sort) --column;
  return column;
}

WordRange word_at(std::string_view line, std::uint32_t column) {
  const auto size = static_cast<std::uint32_t>(line.size());
  if (size == 0) return {};
  std::uint32_t at = std::min(column, size - 1);
  // Behind a name's last letter the name is meant.
  if (column > 0 && column <= size && (column == size || sort_of(line[column]) != Sort::Name) &&
      sort_of(line[column - 1]) == Sort::Name) {
    at = column - 1;
  }
  const Sort sort = sort_of(line[at]);
  WordRange found{at, at};
  while (found.begin > 0 && sort_of(line[found.begin - 1]) == sort) --found.begin;
  while (found.end < size && sort_of(line[found.end]) == sort) ++found.end;
  return found;
}

std::uint32_t cell_of(std::string_view line, std::uint32_t column, std::uint32_t tab) {
  std::uint32_t cell = 0;
  for (std::uint32_t at = 0; at < column && at < line.size();) {
    cell += line[at] == '\t' ? tab - cell % tab : 1;
    at = next_letter(line, at);
  }
  return cell;
}

std::uint32_t column_of(std::string_view line, std::uint32_t cell, std::uint32_t tab) {
  std::uint32_t now = 0;
  std::uint32_t at = 0;
  while (at < line.size() && now < cell) {
    now += line[at] == '\t' ? tab - now % tab : 1;
    at = next_letter(line, at);
  }
  return at;
}

}  // namespace nns::text
