#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nns::base {

/// A byte that begins no code point.
constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
/// How many code points begin in `text`.
std::size_t count_code_points(std::string_view text);
/// The longest beginning of `text` of at most `most` bytes that ends between two code points.
std::string_view first_utf8(std::string_view text, std::size_t most);

/// Offset of the first byte of the first sequence that is not well-formed UTF-8 (overlong, surrogate, above U+10FFFF,
/// cut short), or nothing if all of `text` is. Cost: memory speed for ASCII.
/// Behaviour: The Unicode Standard, table 3-7.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// `text` with every byte that is not UTF-8 written as "\xHH".
std::string escape_invalid_utf8(std::string_view text);

/// The code point that begins at `at`, and its size in bytes; a byte that begins none stands for itself. Surrogates of
/// three bytes (WTF-8) are read.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 1;
};
CodePoint code_point_at(std::string_view text, std::size_t at);
/// Appends `code_point` to `out`. Must hold: code_point <= 0x10FFFF. Surrogates are written as three bytes (WTF-8).
void append_utf8(char32_t code_point, std::string& out);

}  // namespace nns::base
