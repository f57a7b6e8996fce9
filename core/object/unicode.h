#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nns::object {

/// Texts are UTF-8; a lone surrogate of Python's is kept as the three bytes that UTF-8 would use for it.

/// How many bytes the character that begins at `at` has.
std::size_t character_size(std::string_view text, std::size_t at);
/// The code point that begins at `at`; an invalid byte stands for itself.
char32_t code_point_at(std::string_view text, std::size_t at);
/// Where the `index`th character begins; the end: there are fewer. Cost: linear.
std::size_t byte_offset(std::string_view text, std::size_t index);
/// How many characters begin before byte `offset`.
std::size_t character_index(std::string_view text, std::size_t offset);
/// The characters one by one, as parts of `text`.
std::vector<std::string_view> characters_of(std::string_view text);
/// The code points.
std::u32string code_points(std::string_view text);
void append_code_point(std::string& text, char32_t point);
std::string from_code_points(std::u32string_view points);

/// Properties of code points as str's methods ask for them.
/// Covered: the cases of Latin (of Extended-B only its regular pairs), Greek, Cyrillic, Armenian, Georgian, Roman
/// numerals and full-width letters; letters, digits, numbers, spaces and what is printable below U+0600 all as Python
/// has them, above by the ranges of the scripts in daily use. Not covered: cases of other scripts and of phonetic
/// letters, rare scripts.
char32_t to_lower(char32_t point);
/// Simple mapping; "ß" and ligatures, whose upper case is longer, are left as they are: see upper_text.
char32_t to_upper(char32_t point);
bool is_lower(char32_t point);
bool is_upper(char32_t point);
bool is_letter(char32_t point);
/// str.isdecimal of one character; its value is decimal_value.
bool is_decimal(char32_t point);
int decimal_value(char32_t point);
bool is_digit(char32_t point);
bool is_numeric(char32_t point);
bool is_space(char32_t point);
bool is_line_end(char32_t point);
/// Whether repr shows the character itself.
bool is_printable(char32_t point);
bool is_identifier_start(char32_t point);
bool is_identifier_part(char32_t point);

/// str.lower(), upper(), casefold(), with the mappings that change the length ("ß", ligatures, final sigma).
std::string lower_text(std::string_view text);
std::string upper_text(std::string_view text);
std::string casefold_text(std::string_view text);
std::string title_text(std::string_view text);
std::string swapcase_text(std::string_view text);
std::string capitalized_text(std::string_view text);

}  // namespace nns::object
