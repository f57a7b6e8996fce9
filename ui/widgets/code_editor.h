#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ui/text/source_looks.h"
#include "ui/text/text_buffer.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Where a code editor is scrolled to, and what it remembers between frames. Kept by the caller, one for each text.
struct CodeEditorState {
  double top = 0;                            ///< first visible line, with fraction
  float left = 0;                            ///< pixels
  int zoom = 0;                              ///< steps of a tenth, by Ctrl+wheel
  bool reveal_caret = true;                  ///< scroll so that the caret is seen in the next frame
  std::optional<std::uint32_t> reveal_line;  ///< scroll so that this line is seen in the next frame
  bool take_focus = false;                   ///< the keyboard goes here now
  std::uint32_t goal_cell = UINT32_MAX;
  bool leaves_by_tab = false;  ///< Escape was pressed: Tab goes to the next control
  float widest = 0;            ///< of the lines that were drawn
};

/// A part of the text that is lit from outside.
struct CodeHighlight {
  enum class Kind : std::uint8_t {
    Found,    ///< what a search found
    Chosen,   ///< which of these the search is at
    Running,  ///< the expression that runs now
  };
  text::TextRange range;
  Kind kind = Kind::Running;
};

struct CodeEditorSpec {
  std::string_view name;  ///< accessible name: "Source of net.py"
  bool read_only = false;
  const text::SourceLooks* looks = nullptr;  ///< colours and squiggles; null: plain
  /// More squiggles, of what happened while it ran.
  std::span<const text::SourceProblem> problems;
  std::span<const CodeHighlight> highlights;
  const text::LineSet* breakpoints = nullptr;  ///< null: none can be set, and the gutter has no room for them
  std::optional<std::uint32_t> running_line;   ///< gets the arrow
  bool running_failed = false;                 ///< the arrow is where an exception was raised
};

struct CodeEditorResult {
  bool is_active = false;                           ///< it has the keyboard
  bool changed = false;                             ///< the text
  std::optional<std::uint32_t> toggled_breakpoint;  ///< a line, by click or F9
  std::optional<text::TextPlace> hovered;           ///< the letter below the pointer
};

/// A text of a program that is edited: lines with numbers, marks in the gutter, what is chosen, squiggles. Draws only
/// what is seen, whatever the number of lines. `buffer` is changed by what is typed, unless read_only.
/// Keys: those of editing (ui/text/editing.h); Tab indents, after Escape it goes to the next control; F9 toggles a
/// breakpoint; Ctrl+wheel zooms. Keys that it does not know stay for others.
/// In the access tree it is a text field whose value is the caret's line; its description tells where that is and what
/// is wrong with it.
CodeEditorResult code_editor(Ui& ui, const Rect& rect, text::TextBuffer& buffer, CodeEditorState& state,
                             const CodeEditorSpec& spec);

}  // namespace nns::widgets
