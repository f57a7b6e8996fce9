#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/utf8.h"

namespace nns::text {

using base::is_continuation;

struct CodePoint {
  char32_t value = 0;        ///< U+FFFD for bytes that are not UTF-8
  std::uint32_t length = 1;  ///< bytes
};
/// The code point that begins at `at`. Must hold: at < line.size().
CodePoint code_point_at(std::string_view line, std::size_t at);

/// Where the letter after `column` ends, as a person counts letters: with its combining marks, an emoji with what is
/// joined to it, two regional indicators together.
/// Differs: of the rules of Unicode's "Text Segmentation" those that matter for source text; scripts of India and
/// Hangul in pieces move by code point.
std::uint32_t next_letter(std::string_view line, std::uint32_t column);
/// Where the letter before `column` begins.
std::uint32_t previous_letter(std::string_view line, std::uint32_t column);

/// A letter, digit or underscore, or anything beyond ASCII: what names are made of.
bool is_name_byte(char byte);
/// Behind the word (or the run of signs) at `column`, spaces in front of it included.
std::uint32_t next_word(std::string_view line, std::uint32_t column);
/// The beginning of the word (or the run of signs) in front of `column`.
std::uint32_t previous_word(std::string_view line, std::uint32_t column);
struct WordRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
/// The word, or else the run of spaces or of signs, at `column`.
WordRange word_at(std::string_view line, std::uint32_t column);

/// In which cell of equal width `column` is, and the other way round; tabs end at every `tab` cells, all else takes
/// one a letter.
std::uint32_t cell_of(std::string_view line, std::uint32_t column, std::uint32_t tab = 4);
std::uint32_t column_of(std::string_view line, std::uint32_t cell, std::uint32_t tab = 4);

}  // namespace nns::text
