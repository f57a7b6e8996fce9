#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace nns::host {

/// For which of the explorer's typefaces a letter is to fit.
enum class GlyphStyle : std::uint8_t { Regular, Strong, Code };

/// One letter as the platform draws it.
struct Glyph {
  std::uint32_t width = 0;  ///< pixels; 0: nothing to see, as of a space
  std::uint32_t height = 0;
  float left = 0;     ///< of the picture's left edge, rightwards from the pen; pixels
  float top = 0;      ///< of its upper edge, downwards from the base line: mostly negative; pixels
  float advance = 0;  ///< of the pen; pixels
  /// Four bytes a pixel, from the upper left: red, green, blue, opacity (not multiplied). Of a letter that takes the
  /// colour of its text all pixels are white.
  std::vector<std::uint8_t> pixels;
  bool is_coloured = false;
};

/// Draws a letter that the embedded typefaces lack, with a typeface of the system; nothing where there is none.
/// Units: `em_px` is the size of the typeface (its em), in pixels.
/// Differs: letters stand side by side in the order of the text: none are joined, and none run from right to left.
/// Cost: up to a millisecond; whoever calls keeps what was drawn.
std::optional<Glyph> draw_glyph(char32_t letter, GlyphStyle style, float em_px);

}  // namespace nns::host
