#include "ui/model/console_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::wire::OutputKind;

// The bytes of the letter that begins with `first`; 1 for bytes that begin none.
std::size_t letter_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

// Behind an escape of a terminal ("\x1b[31m") that begins at `at`.
std::size_t behind_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != '[') return at + 1;
  at += 2;
  while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
  return std::min(text.size(), at + 1);
}

class Writer {
 public:
  Writer(std::vector<ConsoleLine>& lines, std::uint32_t columns) : lines_(lines), columns_(columns) {}

  void add(OutputKind kind, std::string_view line) {
    begin(kind, false);
    for (std::size_t at = 0; at < line.size();) {
      const char c = line[at];
      if (c == '\x1b') {
        at = behind_escape(line, at);
        continue;
      }
      if (c == '\t') {
        do put(kind, " ");
        while (column_ % 8 != 0);
        ++at;
        continue;
      }
      const std::size_t length = std::min(letter_length(c), line.size() - at);
      if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') put(kind, line.substr(at, length));
      at += length;
    }
  }

 private:
  void begin(OutputKind kind, bool is_continued) {
    lines_.push_back({kind, is_continued, {}});
    column_ = 0;
  }
  void put(OutputKind kind, std::string_view letter) {
    if (column_ == columns_) begin(kind, true);
    lines_.back().text += letter;
    ++column_;
  }

  std::vector<ConsoleLine>& lines_;
  std::uint32_t columns_;
  std::uint32_t column_ = 0;
};

// Calls `with` for each line of the text; the end of the last one need not be there.
template <class With>
void for_lines(std::string_view text, With with) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    with(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

}  // namespace

std::vector<ConsoleLine> console_lines(const live::ConsoleView& view, std::uint32_t columns) {
  std::vector<ConsoleLine> lines;
  Writer writer(lines, std::max(1U, columns));
  if (view.dropped() > 0) {
    writer.add(OutputKind::Out, fmt::format("\xE2\x80\xA6 {} before this are not kept", short_bytes(view.dropped())));
  }
  for (const auto& piece : view.pieces()) {
    bool is_first = true;
    for_lines(piece.text, [&](std::string_view line) {
      if (piece.kind != OutputKind::Typed) return writer.add(piece.kind, line);
      const bool goes_on = !is_first && (line.empty() || line.front() == ' ' || line.front() == '\t');
      writer.add(piece.kind, fmt::format("{}{}", goes_on ? "... " : ">>> ", line));
      is_first = false;
    });
  }
  return lines;
}

std::string console_text(const live::ConsoleView& view) {
  std::string text;
  for (const auto& piece : view.pieces()) {
    if (piece.kind != OutputKind::Typed) {
      text += piece.text;
      continue;
    }
    for_lines(piece.text, [&](std::string_view line) { text.append(">>> ").append(line).append("\n"); });
  }
  return text;
}

}  // namespace nns::model
