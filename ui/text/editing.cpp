#include "ui/text/editing.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ui/text/letters.h"

namespace nns::text {

namespace {

constexpr std::string_view kSpaces = " \t";

std::string_view indentation(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(kSpaces), line.size()));
}

bool is_blank(std::string_view line) { return line.find_first_not_of(kSpaces) == std::string_view::npos; }

/// The edits inside are one step to undo.
class Group {
 public:
  explicit Group(TextBuffer& buffer) : buffer_(buffer) { buffer_.begin_group(); }
  ~Group() { buffer_.end_group(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

 private:
  TextBuffer& buffer_;
};

struct LineSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// The lines that a choice touches; one that ends at a line's beginning does not touch that line.
LineSpan chosen_lines(const TextBuffer& buffer) {
  const TextRange range = buffer.selection().range();
  const bool ends_before = range.end.column == 0 && range.end.line > range.begin.line;
  return {range.begin.line, ends_before ? range.end.line - 1 : range.end.line};
}

/// `line` without a comment at its end and without the spaces in front of it. Strings of one line are known; one over
/// several lines is not.
std::string_view code_of(std::string_view line) {
  char quote = 0;
  std::size_t end = line.size();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != 0) {
      if (c == '\\') {
        ++at;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      end = at;
      break;
    }
  }
  line = line.substr(0, end);
  const std::size_t last = line.find_last_not_of(kSpaces);
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool leaves_block(std::string_view code) {
  code.remove_prefix(std::min(code.find_first_not_of(kSpaces), code.size()));
  constexpr std::array<std::string_view, 5> kLast = {"return", "pass", "break", "continue", "raise"};
  return std::any_of(kLast.begin(), kLast.end(), [&](std::string_view word) {
    return code.starts_with(word) && (code.size() == word.size() || !is_name_byte(code[word.size()]));
  });
}

/// How many bytes of `spaces` one step back takes away.
std::size_t one_step_back(std::string_view spaces, std::string_view step) {
  if (spaces.empty()) return 0;
  if (spaces.back() == '\t') return 1;
  const std::uint32_t width = step == "\t" ? 4 : static_cast<std::uint32_t>(step.size());
  const std::uint32_t cells = cell_of(spaces, static_cast<std::uint32_t>(spaces.size()));
  std::size_t wanted = cells % width == 0 ? width : cells % width;
  std::size_t taken = 0;
  while (taken < wanted && taken < spaces.size() && spaces[spaces.size() - 1 - taken] == ' ') ++taken;
  return taken;
}

/// Edits the beginning of each chosen line; what is chosen stays on its letters.
/// `edit(line)`: {bytes to take away, text to put there} at a column.
struct HeadEdit {
  std::uint32_t column = 0;
  std::uint32_t removed = 0;
  std::string added;
};
template <class Edit>
void edit_lines(TextBuffer& buffer, const LineSpan& lines, Edit edit) {
  const Group group(buffer);
  TextSelection chosen = buffer.selection();
  for (std::uint32_t line = lines.first; line <= lines.last; ++line) {
    const HeadEdit head = edit(buffer.line(line));
    if (head.removed == 0 && head.added.empty()) continue;
    const TextRange range{{line, head.column}, {line, head.column + head.removed}};
    const TextPlace end = buffer.replace(range, head.added);
    const TextChange change{range.begin, range.end, end};
    // What was chosen from a line's beginning is chosen from there still.
    const auto moved = [&](const TextPlace& place) {
      return place.line == line && place.column == 0 ? place : follow(place, change);
    };
    chosen = {moved(chosen.anchor), moved(chosen.caret)};
  }
  buffer.select(chosen);
}

}  // namespace

std::string indent_step(const TextBuffer& buffer) {
  constexpr std::uint32_t kLooked = 1000;
  for (std::uint32_t line = 1; line < std::min(buffer.line_count(), kLooked); ++line) {
    const std::string_view spaces = indentation(buffer.line(line));
    if (spaces.empty() || is_blank(buffer.line(line))) continue;
    if (!code_of(buffer.line(line - 1)).ends_with(':')) continue;
    const std::string_view before = indentation(buffer.line(line - 1));
    if (spaces.size() <= before.size()) continue;
    if (spaces.front() == '\t') return "\t";
    const std::size_t step = spaces.size() - before.size();
    if (step <= 8) return std::string(step, ' ');
  }
  return "    ";
}

void type(TextBuffer& buffer, std::string_view letters) {
  const TextRange chosen = buffer.selection().range();
  if (letters.find_first_of("\r\n") != std::string_view::npos) return paste(buffer, letters);
  // What is typed over a choice is undone with what was chosen.
  if (!chosen.is_empty()) {
    const Group group(buffer);
    buffer.replace(chosen, letters);
    return;
  }
  buffer.replace(chosen, letters, EditKind::Typing);
}

void paste(TextBuffer& buffer, std::string_view text) {
  buffer.replace(buffer.selection().range(), buffer.with_own_ends(text));
}

void new_line(TextBuffer& buffer) {
  const TextRange chosen = buffer.selection().range();
  const std::string_view line = buffer.line(chosen.begin.line);
  const std::string_view before = line.substr(0, chosen.begin.column);
  std::string spaces(indentation(before));
  const std::string_view code = code_of(before);
  const std::string step = indent_step(buffer);
  // Behind spaces only there is nothing that could open or leave a block.
  if (code.ends_with(':') || code.ends_with('(') || code.ends_with('[') || code.ends_with('{')) {
    spaces += step;
  } else if (!is_blank(code) && leaves_block(code)) {
    spaces.resize(spaces.size() - one_step_back(spaces, step));
  }
  // Spaces in front of what moves down would add to the indentation.
  TextRange range = chosen;
  const std::string_view rest = buffer.line(range.end.line).substr(range.end.column);
  range.end.column += static_cast<std::uint32_t>(indentation(rest).size());
  buffer.replace(range, std::string(buffer.line_end()).append(spaces));
}

void erase(TextBuffer& buffer, bool forward, bool by_word) {
  const TextSelection chosen = buffer.selection();
  if (!chosen.is_empty()) {
    buffer.replace(chosen.range(), {});
    return;
  }
  const TextPlace at = chosen.caret;
  const std::string_view line = buffer.line(at.line);
  TextRange range{at, at};
  if (forward && at.column >= line.size()) {
    if (at.line + 1 < buffer.line_count()) range.end = {at.line + 1, 0};
  } else if (!forward && at.column == 0) {
    if (at.line > 0) range.begin = {at.line - 1, static_cast<std::uint32_t>(buffer.line(at.line - 1).size())};
  } else if (forward) {
    range.end.column = by_word ? next_word(line, at.column) : next_letter(line, at.column);
  } else if (!by_word && is_blank(line.substr(0, at.column))) {
    range.begin.column -= static_cast<std::uint32_t>(one_step_back(line.substr(0, at.column), indent_step(buffer)));
  } else {
    range.begin.column = by_word ? previous_word(line, at.column) : previous_letter(line, at.column);
  }
  buffer.replace(range, {}, EditKind::Erasing);
}

void indent(TextBuffer& buffer) {
  const std::string step = indent_step(buffer);
  const TextSelection chosen = buffer.selection();
  if (chosen.anchor.line == chosen.caret.line) {
    const TextRange range = chosen.range();
    const std::uint32_t cell = cell_of(buffer.line(range.begin.line), range.begin.column);
    const auto width = static_cast<std::uint32_t>(step.size());
    type(buffer, step == "\t" ? step : std::string(width - cell % width, ' '));
    return;
  }
  edit_lines(buffer, chosen_lines(buffer), [&](std::string_view line) {
    return is_blank(line) ? HeadEdit{} : HeadEdit{0, 0, step};
  });
}

void dedent(TextBuffer& buffer) {
  const std::string step = indent_step(buffer);
  edit_lines(buffer, chosen_lines(buffer), [&](std::string_view line) {
    const std::string_view spaces = indentation(line);
    const std::size_t removed = one_step_back(spaces, step);
    return HeadEdit{static_cast<std::uint32_t>(spaces.size() - removed), static_cast<std::uint32_t>(removed), {}};
  });
}

void toggle_comment(TextBuffer& buffer) {
  const LineSpan lines = chosen_lines(buffer);
  bool are_comments = true;
  bool has_any = false;
  std::size_t column = std::string_view::npos;  // of the sign: above one another
  for (std::uint32_t at = lines.first; at <= lines.last; ++at) {
    const std::string_view line = buffer.line(at);
    if (is_blank(line)) continue;
    has_any = true;
    const std::size_t first = indentation(line).size();
    column = std::min(column, first);
    are_comments &= line[first] == '#';
  }
  if (!has_any) return;
  edit_lines(buffer, lines, [&](std::string_view line) {
    if (is_blank(line)) return HeadEdit{};
    if (!are_comments) return HeadEdit{static_cast<std::uint32_t>(column), 0, "# "};
    const auto first = static_cast<std::uint32_t>(indentation(line).size());
    return HeadEdit{first, line.substr(first).starts_with("# ") ? 2U : 1U, {}};
  });
}

void duplicate(TextBuffer& buffer) {
  const TextSelection chosen = buffer.selection();
  const Group group(buffer);
  if (!chosen.is_empty() && chosen.anchor.line == chosen.caret.line) {
    const TextRange range = chosen.range();
    const TextPlace end = buffer.replace({range.end, range.end}, buffer.text(range));
    buffer.select(TextSelection{range.end, end});
    return;
  }
  const LineSpan lines = chosen_lines(buffer);
  const TextPlace end{lines.last, static_cast<std::uint32_t>(buffer.line(lines.last).size())};
  const std::string copied = buffer.text({{lines.first, 0}, end});
  buffer.replace({end, end}, std::string(buffer.line_end()).append(copied));
  const std::uint32_t down = lines.last - lines.first + 1;
  buffer.select(TextSelection{{chosen.anchor.line + down, chosen.anchor.column},
                              {chosen.caret.line + down, chosen.caret.column}});
}

void move_lines(TextBuffer& buffer, bool down) {
  const TextSelection chosen = buffer.selection();
  const LineSpan lines = chosen_lines(buffer);
  if (down ? lines.last + 1 >= buffer.line_count() : lines.first == 0) return;
  const Group group(buffer);
  // The line beside them goes to their other side. All lines keep their ends but the text's last one, which has none.
  const std::uint32_t first = down ? lines.first : lines.first - 1;
  const std::uint32_t last = down ? lines.last + 1 : lines.last;
  const std::string beside(buffer.line(down ? last : first));
  const TextRange moved{{lines.first, 0}, {lines.last, static_cast<std::uint32_t>(buffer.line(lines.last).size())}};
  const std::string block = buffer.text(moved);
  const std::string end(buffer.line_end());
  const TextRange all{{first, 0}, {last, static_cast<std::uint32_t>(buffer.line(last).size())}};
  buffer.replace(all, down ? beside + end + block : block + end + beside);
  const auto step = [down](const TextPlace& place) {
    return TextPlace{down ? place.line + 1 : place.line - 1, place.column};
  };
  buffer.select(TextSelection{step(chosen.anchor), step(chosen.caret)});
}

void delete_lines(TextBuffer& buffer) {
  const LineSpan lines = chosen_lines(buffer);
  const std::uint32_t column = buffer.selection().caret.column;
  const Group group(buffer);
  if (lines.last + 1 < buffer.line_count()) {
    buffer.replace({{lines.first, 0}, {lines.last + 1, 0}}, {});
  } else if (lines.first > 0) {
    buffer.replace({{lines.first - 1, static_cast<std::uint32_t>(buffer.line(lines.first - 1).size())}, buffer.end()},
                   {});
  } else {
    buffer.replace(buffer.whole(), {});
  }
  buffer.select(TextPlace{std::min(lines.first, buffer.line_count() - 1), column});
}

std::string copied_text(const TextBuffer& buffer) {
  const TextSelection& chosen = buffer.selection();
  if (!chosen.is_empty()) return buffer.text(chosen.range());
  return std::string(buffer.line(chosen.caret.line)).append(buffer.line_end());
}

void cut(TextBuffer& buffer) {
  if (buffer.selection().is_empty()) return delete_lines(buffer);
  buffer.replace(buffer.selection().range(), {});
}

}  // namespace nns::text
