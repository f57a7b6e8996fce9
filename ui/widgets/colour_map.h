#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nns::widgets {

/// How values become colours. Both maps are perceptually even and can be told apart with every colour blindness.
enum class ColourMap : std::uint8_t {
  Sequential,  ///< dark blue over grey to yellow: one end to the other, as "cividis" does
  Diverging,   ///< blue, neutral at zero, orange: sign and size
};

/// 256 colours, RGBA bytes. `is_dark`: the neutral middle of the diverging map is dark.
std::array<std::uint8_t, 1024> colour_map_bytes(ColourMap map, bool is_dark);
/// The colour at `at` (0 to 1), packed as Dear ImGui does.
std::uint32_t colour_map_at(ColourMap map, bool is_dark, float at);

/// Colours that tell a few categories apart, also with every colour blindness: any two differ by 20 or more (CIE76),
/// and each stands out from the theme's surface as graphics must (WCAG 2.1, 3 : 1).
inline constexpr std::size_t kCategoryColours = 8;
/// One of them, packed as Dear ImGui does; beyond them the grey of "other".
std::uint32_t category_colour(std::size_t category, bool is_dark);

}  // namespace nns::widgets
