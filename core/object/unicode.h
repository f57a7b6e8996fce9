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

}  // namespace nns::object
