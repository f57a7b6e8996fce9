#include <string_view>
#include <vector>

#include "ui/text/editing.h"

namespace nns::text {

namespace {

constexpr std::string_view kOpen = "([{";
constexpr std::string_view kClose = ")]}";
constexpr std::size_t kMostLooked = 200'000;

using IsCode = std::function<bool(const TextPlace&)>;

bool is_in_code(const IsCode& is_code, const TextPlace& place) { return !is_code || is_code(place); }

std::optional<TextPlace> find_close(const TextBuffer& buffer, TextPlace at, const IsCode& is_code) {
  std::vector<char> wanted;
  std::size_t looked = 0;
  for (; at.line < buffer.line_count() && looked < kMostLooked; ++at.line, at.column = 0) {
    const std::string_view line = buffer.line(at.line);
    looked += line.size() + 1;
    for (; at.column < line.size(); ++at.column) {
      const char c = line[at.column];
      const std::size_t open = kOpen.find(c);
      const bool is_close = kClose.find(c) != std::string_view::npos;
      if ((open == std::string_view::npos && !is_close) || !is_in_code(is_code, at)) continue;
      if (!is_close) {
        wanted.push_back(kClose[open]);
        continue;
      }
      // Brackets that do not fit together belong to nobody.
      if (wanted.empty() || wanted.back() != c) return std::nullopt;
      wanted.pop_back();
      if (wanted.empty()) return at;
    }
  }
  return std::nullopt;
}

std::optional<TextPlace> find_open(const TextBuffer& buffer, TextPlace at, const IsCode& is_code) {
  std::vector<char> wanted;
  std::size_t looked = 0;
  std::size_t end = at.column + 1;
  while (looked < kMostLooked) {
    const std::string_view line = buffer.line(at.line);
    looked += line.size() + 1;
    for (std::size_t column = std::min(end, line.size()); column-- > 0;) {
      const char c = line[column];
      const TextPlace here{at.line, static_cast<std::uint32_t>(column)};
      const std::size_t close = kClose.find(c);
      const bool is_open = kOpen.find(c) != std::string_view::npos;
      if ((close == std::string_view::npos && !is_open) || !is_in_code(is_code, here)) continue;
      if (!is_open) {
        wanted.push_back(kOpen[close]);
        continue;
      }
      if (wanted.empty() || wanted.back() != c) return std::nullopt;
      wanted.pop_back();
      if (wanted.empty()) return here;
    }
    if (at.line == 0) break;
    --at.line;
    end = std::string_view::npos;
  }
  return std::nullopt;
}

}  // namespace

std::optional<BracketPair> matching_brackets(const TextBuffer& buffer, const TextPlace& caret, const IsCode& is_code) {
  const std::string_view line = buffer.line(caret.line);
  // The bracket behind the caret counts first, then the one in front of it.
  for (std::uint32_t back = 0; back < 2 && back <= caret.column; ++back) {
    const TextPlace at{caret.line, caret.column - back};
    if (at.column >= line.size()) continue;
    const char c = line[at.column];
    if (kOpen.find(c) != std::string_view::npos && is_in_code(is_code, at)) {
      if (const auto close = find_close(buffer, at, is_code)) return BracketPair{at, *close};
    }
    if (kClose.find(c) != std::string_view::npos && is_in_code(is_code, at)) {
      if (const auto open = find_open(buffer, at, is_code)) return BracketPair{*open, at};
    }
  }
  return std::nullopt;
}

}  // namespace nns::text
