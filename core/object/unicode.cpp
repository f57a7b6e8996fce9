#include "core/object/unicode.h"

#include "core/base/utf8.h"

namespace nns::object {

std::size_t character_size(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && base::is_continuation(text[end])) ++end;
  return end - at;
}

char32_t code_point_at(std::string_view text, std::size_t at) { return base::code_point_at(text, at).value; }

std::size_t byte_offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (base::is_continuation(text[at])) continue;
    if (index-- == 0) return at;
  }
  return at;
}

std::size_t character_index(std::string_view text, std::size_t offset) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < offset; ++at) count += base::is_continuation(text[at]) ? 0U : 1U;
  return count;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    all.push_back(text.substr(at, size));
    at += size;
  }
  return all;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); at += character_size(text, at)) points += code_point_at(text, at);
  return points;
}

void append_code_point(std::string& text, char32_t point) { base::append_utf8(point, text); }

std::string from_code_points(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_code_point(text, point);
  return text;
}

}  // namespace nns::object
