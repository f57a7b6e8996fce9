#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ui/widgets/ui.h"

namespace nns::widgets {

struct TabSpec {
  std::string label;
  std::string badge;        ///< small count behind the label
  Colour badge_colour = 0;  ///< 0: muted
  std::string tip;
  bool closable = false;
};
struct TabsResult {
  std::optional<std::size_t> chosen;
  std::optional<std::size_t> closed;
  float end = 0;  ///< where the last tab ends, in pixels of the interface
};

/// A row of tabs in `rect`; Left and Right move between them while one has the focus. Too many for the width
/// lose their margins, then the longest are cut in the middle, then those around the chosen one are shown.
TabsResult tabs(Ui& ui, const Rect& rect, std::string_view name, std::span<const TabSpec> specs, std::size_t chosen);

}  // namespace nns::widgets
