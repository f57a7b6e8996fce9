#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/widgets/heat_map_renderer.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Where a heat map is looked at. Kept by the caller; reset when the matrix changes.
struct HeatMapView {
  double left = 0;  ///< first visible column, with fraction
  double top = 0;
  double scale_x = 0;  ///< pixels of a column; 0: fit everything in the next frame
  double scale_y = 0;
  bool is_fitted = true;
  double wanted_columns = 0;  ///< > 0: from `left` and `top` on so many are to be seen, from the next frame on
  double wanted_rows = 0;
  double seen_columns = 0;  ///< how many were seen in the last frame
  double seen_rows = 0;
  std::int64_t cursor_row = -1;  ///< the cell under the pointer or the keyboard's cell, or -1
  std::int64_t cursor_column = -1;
  bool reveal = false;  ///< show the cursor's cell in the next frame, large enough to be read
};

/// A rectangle of the matrix, reduced to width x height cells.
struct HeatMapTile {
  std::uint64_t version = 0;  ///< changes when the values do
  std::uint64_t row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
  std::uint32_t width = 0, height = 0;
  std::span<const float> values;
  bool is_exact_cells() const { return width == column_end - column_begin && height == row_end - row_begin; }
};

struct HeatMapSpec {
  std::string name;  ///< accessible name
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  const HeatMapTile* overview = nullptr;  ///< the whole matrix, if it is here
  const HeatMapTile* detail = nullptr;    ///< a part at a finer scale, if it is here
  HeatMapRenderer::Look look;
  std::string cursor;  ///< what the view's cursor is on, in words; empty without one
  std::string (*format)(double) = nullptr;
};

/// What part of the matrix is seen, and at how many cells it is worth being asked for.
struct HeatMapWanted {
  std::uint64_t row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
  std::uint32_t width = 0, height = 0;
  friend bool operator==(const HeatMapWanted&, const HeatMapWanted&) = default;
};

/// Draws the matrix: wheel zooms around the pointer (plain wheel once the map has the focus), drag pans, arrows move
/// the cell, + and - zoom, Space or 0 fits, F goes to the cell. Cells that are large enough show their numbers. Gives
/// what is seen now.
HeatMapWanted heat_map(Ui& ui, const Rect& rect, HeatMapRenderer& renderer, HeatMapView& view, const HeatMapSpec& spec);

/// The value of a cell if a tile has it exactly.
std::optional<float> heat_map_value(const HeatMapSpec& spec, std::int64_t row, std::int64_t column);

/// A place on the scale of the colours: a quantile.
struct ScaleMark {
  double value = 0;
  std::string label;  ///< "25 %"
  bool is_middle = false;
};
/// The colours from low to high, with their values at the ends and in the middle. Marks outside are left out.
void colour_scale(Ui& ui, const Rect& rect, const HeatMapRenderer::Look& look, std::string (*format)(double),
                  std::span<const ScaleMark> marks = {});
/// Where a value lies on the scale: 0 to 1 between low and high.
double scale_place(const HeatMapRenderer::Look& look, double value);

/// The extent of each of `count` places along a line: from low[i] to high[i], NaN where nothing is finite. `at` is the
/// place that is marked, or negative.
void profile(Ui& ui, const Rect& rect, const std::string& name, std::span<const float> low, std::span<const float> high,
             double at, Colour colour);

/// Bars side by side; `marked` is the place of a line between them, 0 to 1, or negative. `height_of(bar)` is 0 to 1.
/// `tip_of` gives the text for the bar under the pointer.
template <class Heights, class Tip>
void histogram(Ui& ui, const Rect& rect, std::string_view name, std::size_t count, Heights height_of, Tip tip_of,
               double marked = -1) {
  host::AccessNode node;
  node.role = host::Role::Img;
  node.name = name;
  ui.describe(ui.id(name), rect, std::move(node));
  if (count == 0) return;
  const float step = rect.width / static_cast<float>(count);
  const float gap = step >= ui.px(4) ? ui.px(1) : 0;
  for (std::size_t bar = 0; bar < count; ++bar) {
    const float height = height_of(bar);
    if (height <= 0) continue;
    const float pixels = std::max(ui.px(1), height * rect.height);
    const Rect column{rect.x + step * static_cast<float>(bar), rect.bottom() - pixels, step - gap, pixels};
    const Rect hit{column.x, rect.y, step, rect.height};
    const bool hovered = ui.is_hovered(hit);
    ui.draw().AddRectFilled(ImVec2(column.x, column.y), ImVec2(column.right(), column.bottom()),
                            hovered ? ui.theme().text : with_alpha(ui.theme().accent, 0.85F));
    if (hovered) ui.tooltip_at(hit, tip_of(bar));
  }
  ui.draw().AddLine(ImVec2(rect.x, rect.bottom()), ImVec2(rect.right(), rect.bottom()), ui.theme().border,
                    std::max(1.0F, ui.px(1)));
  if (marked < 0 || marked > 1) return;
  const float x = rect.x + static_cast<float>(marked) * rect.width;
  ui.draw().AddLine(ImVec2(x, rect.y), ImVec2(x, rect.bottom()), ui.theme().text, std::max(1.0F, ui.px(1.5F)));
}

}  // namespace nns::widgets
