#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ui/text/text_buffer.h"

/// What a person does to a text of Python with keys: each works on what is chosen in the buffer.
namespace nns::text {

// ---------------------------------------------------------------- moving the caret

enum class Motion : std::uint8_t {
  Letter,    ///< over line ends
  Word,      ///< over line ends
  LineEdge,  ///< back: the first letter that is no space, then the line's beginning; forward: its end
  TextEdge,
};
/// Moves the caret forward or back; what was chosen stays chosen and grows with `extends`. Without it a choice that is
/// left by one letter collapses to the side that is moved to.
void move_caret(TextBuffer& buffer, Motion motion, bool forward, bool extends);
/// Moves the caret by lines, as near to `goal_cell` as these allow.
void move_by_lines(TextBuffer& buffer, std::int64_t lines, std::uint32_t goal_cell, bool extends);
void select_all(TextBuffer& buffer);
void select_word(TextBuffer& buffer, const TextPlace& at);
/// With its end, so that it can be cut.
void select_line(TextBuffer& buffer, std::uint32_t line);
/// Line `number` counts from 1; a number that is not there goes to the nearest.
void go_to_line(TextBuffer& buffer, std::int64_t number);

// ---------------------------------------------------------------- edits

/// In the place of what is chosen. What comes at once with line ends in it is inserted as it is.
void type(TextBuffer& buffer, std::string_view letters);
void paste(TextBuffer& buffer, std::string_view text);
/// A new line, indented as the one before; one step further behind a ':' or an open bracket, one step less behind
/// `return`, `pass`, `break`, `continue` and `raise`.
void new_line(TextBuffer& buffer);
/// Takes away what is chosen, or the letter (or the word) before or behind the caret. Within the indentation one step
/// of it goes.
void erase(TextBuffer& buffer, bool forward, bool by_word);
/// The lines that are chosen one step further or back; without a choice spaces at the caret, up to the next step.
void indent(TextBuffer& buffer);
void dedent(TextBuffer& buffer);
/// Makes the chosen lines comments, or no comments if all are. Empty lines stay.
void toggle_comment(TextBuffer& buffer);
/// The chosen lines once more below, or what is chosen in a line once more behind it.
void duplicate(TextBuffer& buffer);
/// The chosen lines one further up or down.
void move_lines(TextBuffer& buffer, bool down);
void delete_lines(TextBuffer& buffer);
/// What Ctrl+C takes: what is chosen, else the whole line.
std::string copied_text(const TextBuffer& buffer);
/// Takes that away.
void cut(TextBuffer& buffer);

/// One step of indentation as this text has it: what its first indented line begins with; four spaces if none is.
std::string indent_step(const TextBuffer& buffer);

// ---------------------------------------------------------------- brackets

struct BracketPair {
  TextPlace open;
  TextPlace close;
};
/// The pair of which one bracket is beside the caret. `is_code`: false inside of strings and comments; empty: all is.
/// Cost: looks through at most 200,000 bytes; a partner further away is not found.
std::optional<BracketPair> matching_brackets(const TextBuffer& buffer, const TextPlace& caret,
                                             const std::function<bool(const TextPlace&)>& is_code);

}  // namespace nns::text
