#include <algorithm>

#include "ui/text/editing.h"
#include "ui/text/letters.h"

namespace nns::text {

namespace {

void put_caret(TextBuffer& buffer, const TextPlace& to, bool extends) {
  buffer.select(TextSelection{extends ? buffer.selection().anchor : to, to});
}

std::uint32_t first_letter(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return static_cast<std::uint32_t>(at == std::string_view::npos ? line.size() : at);
}

TextPlace stepped(const TextBuffer& buffer, const TextPlace& from, bool forward, bool by_word) {
  const std::string_view line = buffer.line(from.line);
  if (forward && from.column >= line.size()) {
    return from.line + 1 < buffer.line_count() ? TextPlace{from.line + 1, 0} : from;
  }
  if (!forward && from.column == 0) {
    if (from.line == 0) return from;
    return {from.line - 1, static_cast<std::uint32_t>(buffer.line(from.line - 1).size())};
  }
  if (by_word) return {from.line, forward ? next_word(line, from.column) : previous_word(line, from.column)};
  return {from.line, forward ? next_letter(line, from.column) : previous_letter(line, from.column)};
}

}  // namespace

void move_caret(TextBuffer& buffer, Motion motion, bool forward, bool extends) {
  const TextSelection& chosen = buffer.selection();
  const TextPlace from = chosen.caret;
  const std::string_view line = buffer.line(from.line);
  switch (motion) {
    case Motion::Letter:
      if (!extends && !chosen.is_empty()) {
        return put_caret(buffer, forward ? chosen.range().end : chosen.range().begin, false);
      }
      return put_caret(buffer, stepped(buffer, from, forward, false), extends);
    case Motion::Word:
      return put_caret(buffer, stepped(buffer, from, forward, true), extends);
    case Motion::LineEdge: {
      const std::uint32_t first = first_letter(line);
      const auto end = static_cast<std::uint32_t>(line.size());
      return put_caret(buffer, {from.line, forward ? end : from.column == first ? 0 : first}, extends);
    }
    case Motion::TextEdge:
      return put_caret(buffer, forward ? buffer.end() : TextPlace{0, 0}, extends);
  }
}

void move_by_lines(TextBuffer& buffer, std::int64_t lines, std::uint32_t goal_cell, bool extends) {
  const std::int64_t line = static_cast<std::int64_t>(buffer.selection().caret.line) + lines;
  // Beyond the first or last line the caret goes to the text's edge, as everywhere.
  if (line < 0) return put_caret(buffer, {0, 0}, extends);
  if (line >= static_cast<std::int64_t>(buffer.line_count())) return put_caret(buffer, buffer.end(), extends);
  const auto at = static_cast<std::uint32_t>(line);
  put_caret(buffer, {at, column_of(buffer.line(at), goal_cell)}, extends);
}

void select_all(TextBuffer& buffer) { buffer.select(TextSelection{{0, 0}, buffer.end()}); }

void select_word(TextBuffer& buffer, const TextPlace& at) {
  const TextPlace place = buffer.clamp(at);
  const WordRange word = word_at(buffer.line(place.line), place.column);
  buffer.select(TextSelection{{place.line, word.begin}, {place.line, word.end}});
}

void select_line(TextBuffer& buffer, std::uint32_t line) {
  line = std::min(line, buffer.line_count() - 1);
  const bool is_last = line + 1 == buffer.line_count();
  buffer.select(TextSelection{{line, 0}, is_last ? buffer.end() : TextPlace{line + 1, 0}});
}

void go_to_line(TextBuffer& buffer, std::int64_t number) {
  const std::int64_t line = std::clamp<std::int64_t>(number - 1, 0, static_cast<std::int64_t>(buffer.line_count()) - 1);
  const auto at = static_cast<std::uint32_t>(line);
  buffer.select(TextPlace{at, first_letter(buffer.line(at))});
}

}  // namespace nns::text
