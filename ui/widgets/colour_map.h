#pragma once

#include <array>
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

}  // namespace nns::widgets
