#include "ui/model/text_search.h"

#include <algorithm>
#include <cstdint>

#include "ui/text/letters.h"

namespace nns::model {

namespace {

char lower_text(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string folded(std::string_view text, bool match_case) {
  std::string made(text);
  if (!match_case) std::transform(made.begin(), made.end(), made.begin(), lower_text);
  return made;
}

bool is_word(std::string_view line, std::size_t begin, std::size_t end) {
  const bool begins = begin == 0 || !text::is_name_byte(line[begin - 1]) || !text::is_name_byte(line[begin]);
  return begins && (end >= line.size() || !text::is_name_byte(line[end]) || !text::is_name_byte(line[end - 1]));
}

}  // namespace

std::vector<text::TextRange> find_all(const text::TextBuffer& buffer, const TextQuery& query) {
  std::vector<text::TextRange> found;
  if (query.text.empty()) return found;
  const std::string wanted = folded(query.text, query.match_case);
  for (std::uint32_t line = 0; line < buffer.line_count(); ++line) {
    const std::string in = folded(buffer.line(line), query.match_case);
    std::size_t at = in.find(wanted);
    while (at != std::string::npos) {
      const std::size_t end = at + wanted.size();
      const bool fits = !query.whole_word || is_word(in, at, end);
      if (fits) found.push_back({{line, static_cast<std::uint32_t>(at)}, {line, static_cast<std::uint32_t>(end)}});
      at = in.find(wanted, fits ? end : at + 1);
    }
  }
  return found;
}

std::size_t next_found(const std::vector<text::TextRange>& found, const text::TextPlace& from, bool forward) {
  if (found.empty()) return SIZE_MAX;
  const auto at =
      std::lower_bound(found.begin(), found.end(), from,
                       [](const text::TextRange& range, const text::TextPlace& place) { return range.begin < place; });
  if (forward) return at == found.end() ? 0 : static_cast<std::size_t>(at - found.begin());
  return at == found.begin() ? found.size() - 1 : static_cast<std::size_t>(at - found.begin()) - 1;
}

std::size_t replace_found(text::TextBuffer& buffer, const std::vector<text::TextRange>& found,
                          std::string_view replacement) {
  buffer.begin_group();
  // From the end, so that those in front stay where they are.
  for (auto range = found.rbegin(); range != found.rend(); ++range) buffer.replace(*range, replacement);
  buffer.end_group();
  return found.size();
}

}  // namespace nns::model
