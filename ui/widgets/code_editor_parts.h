#pragma once

#include <imgui.h>

#include "ui/widgets/code_editor.h"

/// The parts of code_editor() that lie in files of their own.
namespace nns::widgets {

/// Letters of the code font at one size: where each byte of a line is. Units: pixels from the line's beginning.
class LetterGrid {
 public:
  LetterGrid(Ui& ui, float size_px);
  float size_px() const { return size_; }
  float cell() const { return cell_; }
  float x_of(std::string_view line, std::uint32_t column) const;
  std::uint32_t column_at(std::string_view line, float x) const;
  /// Draws the bytes of a line from `begin` up to `end`, where they are if the line begins at `left`, `y`.
  /// Gives the place behind them. `x`: where `begin` is, from `left`.
  float paint(ImDrawList& list, std::string_view part, float left, float x, float y, Colour colour) const;

 private:
  float advance(std::string_view line, std::uint32_t at, float x, std::uint32_t& next) const;
  ImFont* font_;
  ImFontBaked* baked_;
  float size_;
  float cell_;
};

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
