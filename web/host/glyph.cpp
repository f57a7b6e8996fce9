#include "ui/host/glyph.h"

#include <array>

#include "web/host/viewer_imports.h"

namespace nns::host {

std::optional<Glyph> draw_glyph(char32_t letter, GlyphStyle style, float em_px) {
  std::array<float, 6> metrics{};
  if (!nns_host_draw_glyph(letter, static_cast<int>(style), em_px, metrics.data())) return std::nullopt;
  const auto [width, height, left, top, advance, is_coloured] = metrics;
  Glyph drawn;
  drawn.width = static_cast<std::uint32_t>(width);
  drawn.height = static_cast<std::uint32_t>(height);
  drawn.left = left;
  drawn.top = top;
  drawn.advance = advance;
  drawn.is_coloured = is_coloured != 0;
  drawn.pixels.resize(std::size_t{drawn.width} * drawn.height * 4);
  if (!drawn.pixels.empty()) nns_host_take_glyph(drawn.pixels.data());
  return drawn;
}

}  // namespace nns::host
