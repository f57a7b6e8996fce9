#pragma once

#include "ui/widgets/code_editor.h"
#include "ui/widgets/code_line.h"

/// The parts of code_editor() that lie in files of their own.
namespace nns::widgets {

/// Where the parts of an editor are in this frame.
struct CodeEditorPlaces {
  Rect gutter;
  Rect code;  ///< without the gutter; lines begin at its left edge, less state.left
  float line_px = 1;
  double page_lines = 1;
};

/// What the keyboard does; the editor has it. True if the caret or the text is another now.
bool take_editor_keys(Ui& ui, text::TextBuffer& buffer, CodeEditorState& state, const CodeEditorSpec& spec,
                      const CodeEditorPlaces& places, CodeEditorResult& result);
/// What the mouse does.
bool take_editor_mouse(Ui& ui, const Interaction& what, const LetterGrid& grid, text::TextBuffer& buffer,
                       CodeEditorState& state, const CodeEditorSpec& spec, const CodeEditorPlaces& places,
                       CodeEditorResult& result);

}  // namespace nns::widgets
