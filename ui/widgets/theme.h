#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nns::widgets {

/// An sRGB colour with alpha, packed as Dear ImGui packs it (ImU32).
using Colour = std::uint32_t;

constexpr Colour rgb(std::uint32_t hex) {
  return 0xFF000000U | ((hex & 0xFFU) << 16U) | (hex & 0xFF00U) | ((hex >> 16U) & 0xFFU);
}
/// `colour` with its opacity multiplied by `alpha` (0 to 1).
Colour with_alpha(Colour colour, float alpha);
/// `from` at 0, `to` at 1.
Colour mix(Colour from, Colour to, float at);
/// Contrast of two opaque colours, 1 to 21. Behaviour: WCAG 2.2, "contrast ratio".
double contrast_ratio(Colour a, Colour b);

/// Every colour that the explorer uses. One hue each for parameter, buffer, module, hook and event.
struct Theme {
  bool is_dark = true;
  Colour background = 0;  ///< behind everything
  Colour surface = 0;     ///< panels
  Colour raised = 0;      ///< fields, headers and bars on panels
  Colour overlay = 0;     ///< dialogs, tooltips, toasts
  Colour border = 0;
  Colour track = 0;  ///< empty part of bars
  Colour text = 0;
  Colour muted = 0;   ///< secondary text; still AA on every surface
  Colour accent = 0;  ///< what can be pressed, and focus
  Colour on_accent = 0;
  Colour selection = 0;  ///< behind the chosen row
  Colour hover = 0;
  Colour parameter = 0;
  Colour buffer = 0;
  Colour module = 0;
  Colour hook = 0;
  Colour event = 0;
  Colour good = 0;
  Colour warning = 0;
  Colour danger = 0;
  Colour shadow = 0;
};

const Theme& dark_theme();
const Theme& light_theme();

/// A pair of colours that must reach a contrast, for the test of both themes.
struct ContrastDemand {
  std::string_view name;
  Colour Theme::*front;
  Colour Theme::*back;
  double least;
};
/// Text 4.5, large marks and focus 3: WCAG 2.2 AA, for every pair that is drawn.
std::array<ContrastDemand, 42> contrast_demands();

}  // namespace nns::widgets
