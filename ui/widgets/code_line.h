#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "ui/text/source_looks.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// The colour of a kind of token.
Colour token_colour(const Theme& theme, text::TokenKind kind);

/// Letters of the code font at one size: where each byte of a line is. Units: pixels from the line's beginning.
class LetterGrid {
 public:
  LetterGrid(const Ui& ui, float size_px);
  float size_px() const { return size_; }
  float cell() const { return cell_; }
  float x_of(std::string_view line, std::uint32_t column) const;
  std::uint32_t column_at(std::string_view line, float x) const;
  /// Draws `part` of a line that begins at `left`, `y`; `x` is where the part is, from `left`. Gives the place behind
  /// it.
  float paint(ImDrawList& list, std::string_view part, float left, float x, float y, Colour colour) const;
  /// Draws a line of source in the colours of `spans`; what is far behind `right` is left out.
  void paint_code(ImDrawList& list, const Theme& theme, std::string_view line, std::span<const text::TokenSpan> spans,
                  float left, float y, float right) const;

 private:
  float advance(std::string_view line, std::uint32_t at, float x, std::uint32_t& next) const;
  ImFont* font_;
  ImFontBaked* baked_;
  float size_;
  float cell_;
};

}  // namespace nns::widgets
