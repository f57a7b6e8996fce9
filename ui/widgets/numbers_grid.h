#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/heat_map.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

struct NumbersGridState {
  double top = 0;  ///< first visible row, with fraction
  double left = 0;
};

struct NumbersGridSpec {
  std::string name;  ///< accessible name
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  /// The exact text of a cell, or "" while it is not known.
  const void* context = nullptr;
  std::string_view (*text_of)(const void* context, std::uint64_t row, std::uint64_t column) = nullptr;
  std::string cursor;  ///< what the cursor is on, in words; empty without one
};

/// The numbers of a matrix of any size, of which only the visible ones are asked for and drawn. The cursor is the heat
/// map's: arrows move it, PageUp and PageDown by a page, Home and End to the ends of the row; the wheel scrolls, with
/// Shift sideways. Gives the visible rectangle; its width and height say nothing.
HeatMapWanted numbers_grid(Ui& ui, const Rect& rect, NumbersGridState& state, HeatMapView& view,
                           const NumbersGridSpec& spec);

}  // namespace nns::widgets
