#include "ui/widgets/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nns::widgets {

using host::AccessNode;
using host::Role;

namespace {

constexpr float kCellWidth = 60;  // design units of a cell that shows its number
constexpr float kCellHeight = 24;
constexpr double kZoomStep = 1.25;

struct Scales {
  double fit_x, fit_y, most_x, most_y;
};

Scales scales_of(const Ui& ui, const Rect& rect, const HeatMapSpec& spec) {
  Scales scales{};
  scales.most_x = static_cast<double>(ui.px(kCellWidth));
  scales.most_y = static_cast<double>(ui.px(kCellHeight));
  scales.fit_x = std::min(scales.most_x, static_cast<double>(rect.width) / static_cast<double>(spec.columns));
  scales.fit_y = std::min(scales.most_y, static_cast<double>(rect.height) / static_cast<double>(spec.rows));
  return scales;
}

void clamp_view(const Rect& rect, HeatMapView& view, const HeatMapSpec& spec) {
  const double seen_x = static_cast<double>(rect.width) / view.scale_x;
  const double seen_y = static_cast<double>(rect.height) / view.scale_y;
  view.left = std::clamp(view.left, 0.0, std::max(0.0, static_cast<double>(spec.columns) - seen_x));
  view.top = std::clamp(view.top, 0.0, std::max(0.0, static_cast<double>(spec.rows) - seen_y));
}

void fit(HeatMapView& view, const Scales& scales) {
  view.left = 0;
  view.top = 0;
  view.scale_x = scales.fit_x;
  view.scale_y = scales.fit_y;
  view.is_fitted = true;
}

void zoom(const Rect& rect, HeatMapView& view, const HeatMapSpec& spec, const Scales& scales, double factor, double x,
          double y) {
  const double column = view.left + x / view.scale_x;
  const double row = view.top + y / view.scale_y;
  view.scale_x = std::clamp(view.scale_x * factor, scales.fit_x, scales.most_x);
  view.scale_y = std::clamp(view.scale_y * factor, scales.fit_y, scales.most_y);
  view.left = column - x / view.scale_x;
  view.top = row - y / view.scale_y;
  view.is_fitted = view.scale_x <= scales.fit_x && view.scale_y <= scales.fit_y;
  clamp_view(rect, view, spec);
}

void handle_keys(Ui& ui, const Rect& rect, HeatMapView& view, const HeatMapSpec& spec, const Scales& scales) {
  const auto last_row = static_cast<std::int64_t>(spec.rows) - 1;
  const auto last_column = static_cast<std::int64_t>(spec.columns) - 1;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
  // A step is one cell, or what is ten pixels wide when cells are smaller.
  const auto step_x = static_cast<std::int64_t>(std::max(1.0, std::ceil(10 / view.scale_x)));
  const auto step_y = static_cast<std::int64_t>(std::max(1.0, std::ceil(10 / view.scale_y)));
  if (ui.take_key(ImGuiKey_LeftArrow)) column_step = -step_x;
  if (ui.take_key(ImGuiKey_RightArrow)) column_step = step_x;
  if (ui.take_key(ImGuiKey_UpArrow)) row_step = -step_y;
  if (ui.take_key(ImGuiKey_DownArrow)) row_step = step_y;
  if (row_step != 0 || column_step != 0) {
    view.cursor_row = std::clamp<std::int64_t>(std::max<std::int64_t>(view.cursor_row, 0) + row_step, 0, last_row);
    view.cursor_column =
        std::clamp<std::int64_t>(std::max<std::int64_t>(view.cursor_column, 0) + column_step, 0, last_column);
    const double seen_x = static_cast<double>(rect.width) / view.scale_x;
    const double seen_y = static_cast<double>(rect.height) / view.scale_y;
    const auto column = static_cast<double>(view.cursor_column);
    const auto row = static_cast<double>(view.cursor_row);
    view.left = std::clamp(view.left, column + 1 - seen_x, column);
    view.top = std::clamp(view.top, row + 1 - seen_y, row);
  }
  const bool has_cursor = view.cursor_row >= 0 && view.cursor_column >= 0;
  const double x = has_cursor ? (static_cast<double>(view.cursor_column) + 0.5 - view.left) * view.scale_x
                              : static_cast<double>(rect.width) / 2;
  const double y = has_cursor ? (static_cast<double>(view.cursor_row) + 0.5 - view.top) * view.scale_y
                              : static_cast<double>(rect.height) / 2;
  if (ui.take_typed('+') || ui.take_typed('=')) zoom(rect, view, spec, scales, kZoomStep * kZoomStep, x, y);
  if (ui.take_typed('-')) zoom(rect, view, spec, scales, 1 / (kZoomStep * kZoomStep), x, y);
  if (ui.take_typed('0')) fit(view, scales);
  if (ui.take_key(ImGuiKey_F) && has_cursor) view.reveal = true;
}

bool overlaps(const HeatMapTile& tile, const HeatMapWanted& wanted) {
  return tile.row_begin < wanted.row_end && wanted.row_begin < tile.row_end && tile.column_begin < wanted.column_end &&
         wanted.column_begin < tile.column_end;
}

void paint_tile(const Ui& ui, const Rect& rect, HeatMapRenderer& renderer, std::uint32_t slot, const HeatMapView& view,
                const HeatMapTile& tile, const HeatMapRenderer::Look& look) {
  renderer.set_tile(slot, tile.version, tile.width, tile.height, tile.values);
  const double columns = static_cast<double>(tile.column_end - tile.column_begin) / static_cast<double>(tile.width);
  const double rows = static_cast<double>(tile.row_end - tile.row_begin) / static_cast<double>(tile.height);
  // The part of the tile inside the screen's rectangle, in columns and rows of the matrix.
  const double left = std::max(view.left, static_cast<double>(tile.column_begin));
  const double top = std::max(view.top, static_cast<double>(tile.row_begin));
  const double right =
      std::min(view.left + static_cast<double>(rect.width) / view.scale_x, static_cast<double>(tile.column_end));
  const double bottom =
      std::min(view.top + static_cast<double>(rect.height) / view.scale_y, static_cast<double>(tile.row_end));
  if (right <= left || bottom <= top) return;
  const Rect on_screen{rect.x + static_cast<float>((left - view.left) * view.scale_x),
                       rect.y + static_cast<float>((top - view.top) * view.scale_y),
                       static_cast<float>((right - left) * view.scale_x),
                       static_cast<float>((bottom - top) * view.scale_y)};
  const Rect cells{static_cast<float>((left - static_cast<double>(tile.column_begin)) / columns),
                   static_cast<float>((top - static_cast<double>(tile.row_begin)) / rows),
                   static_cast<float>((right - left) / columns), static_cast<float>((bottom - top) / rows)};
  renderer.paint(ui, slot, on_screen, cells, look);
}

Rect cell_rect(const Rect& rect, const HeatMapView& view, std::int64_t row, std::int64_t column) {
  return {rect.x + static_cast<float>((static_cast<double>(column) - view.left) * view.scale_x),
          rect.y + static_cast<float>((static_cast<double>(row) - view.top) * view.scale_y),
          static_cast<float>(view.scale_x), static_cast<float>(view.scale_y)};
}

void paint_numbers(const Ui& ui, const Rect& rect, const HeatMapView& view, const HeatMapSpec& spec,
                   const HeatMapWanted& seen) {
  if (view.scale_x < static_cast<double>(ui.px(44)) || view.scale_y < static_cast<double>(ui.px(15))) return;
  // Halves: the whole span of float32 is no float32.
  const float span = spec.look.high / 2 - spec.look.low / 2;
  for (std::uint64_t row = seen.row_begin; row < seen.row_end; ++row) {
    for (std::uint64_t column = seen.column_begin; column < seen.column_end; ++column) {
      const auto value = heat_map_value(spec, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
      if (!value) continue;
      const Rect cell = cell_rect(rect, view, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
      Colour below = spec.look.nan;
      if (std::isinf(*value)) below = spec.look.infinite;
      if (std::isfinite(*value)) {
        below = colour_map_at(spec.look.map, spec.look.is_dark, span > 0 ? (*value / 2 - spec.look.low / 2) / span : 0);
      }
      const Colour ink = contrast_ratio(below, rgb(0xFFFFFF)) > contrast_ratio(below, rgb(0)) ? rgb(0xFFFFFF) : rgb(0);
      const std::string text = spec.format(static_cast<double>(*value));
      if (!std::isfinite(*value)) {
        // The stripes leave the word its place.
        const Rect plate = cell.middle(ui.px(16));
        const float half = ui.text_width(Type::CodeSmall, text) / 2 + ui.px(4);
        ui.draw().AddRectFilled(ImVec2(cell.centre_x() - half, plate.y), ImVec2(cell.centre_x() + half, plate.bottom()),
                                below, ui.px(3));
      }
      ui.paint_line(cell.inset(ui.px(3), 0), Type::CodeSmall, ink, text, 0.5F);
    }
  }
}

HeatMapWanted wanted_of(const Rect& rect, const HeatMapView& view, const HeatMapSpec& spec) {
  HeatMapWanted wanted;
  const auto edge = [](double at, std::uint64_t most) {
    return std::min(most, static_cast<std::uint64_t>(std::max(0.0, at)));
  };
  wanted.column_begin = edge(std::floor(view.left + 1e-9), spec.columns);
  wanted.row_begin = edge(std::floor(view.top + 1e-9), spec.rows);
  wanted.column_end = edge(std::ceil(view.left + static_cast<double>(rect.width) / view.scale_x - 1e-9), spec.columns);
  wanted.row_end = edge(std::ceil(view.top + static_cast<double>(rect.height) / view.scale_y - 1e-9), spec.rows);
  wanted.width = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted.column_end - wanted.column_begin, static_cast<std::uint64_t>(rect.width)));
  wanted.height = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted.row_end - wanted.row_begin, static_cast<std::uint64_t>(rect.height)));
  return wanted;
}

}  // namespace

std::optional<float> heat_map_value(const HeatMapSpec& spec, std::int64_t row, std::int64_t column) {
  for (const HeatMapTile* tile : {spec.detail, spec.overview}) {
    if (tile == nullptr || !tile->is_exact_cells() || row < 0 || column < 0) continue;
    const auto r = static_cast<std::uint64_t>(row);
    const auto c = static_cast<std::uint64_t>(column);
    if (r < tile->row_begin || r >= tile->row_end || c < tile->column_begin || c >= tile->column_end) continue;
    return tile->values[static_cast<std::size_t>((r - tile->row_begin) * tile->width + (c - tile->column_begin))];
  }
  return std::nullopt;
}

HeatMapWanted heat_map(Ui& ui, const Rect& rect, HeatMapRenderer& renderer, HeatMapView& view,
                       const HeatMapSpec& spec) {
  const Theme& theme = ui.theme();
  const Scales scales = scales_of(ui, rect, spec);
  if (view.wanted_columns > 0 && view.wanted_rows > 0) {
    view.scale_x = static_cast<double>(rect.width) / view.wanted_columns;
    view.scale_y = static_cast<double>(rect.height) / view.wanted_rows;
    view.wanted_columns = view.wanted_rows = 0;
    view.is_fitted = false;
  }
  if (view.scale_x <= 0 || view.is_fitted) fit(view, scales);
  AccessNode node;
  node.role = Role::Img;
  node.name = spec.name;
  node.value = spec.cursor;
  const std::uint32_t id = ui.id("##heat_map");
  // Here this key shows everything; elsewhere it presses what has the focus.
  const bool is_spaced = ui.access().focused() == id && !ui.is_typing() && ui.take_key(ImGuiKey_Space, 0, false);
  const Interaction what = ui.control(id, rect, std::move(node));
  if (is_spaced) fit(view, scales);

  const ImGuiIO& io = ImGui::GetIO();
  const double mouse_x = static_cast<double>(io.MousePos.x - rect.x);
  const double mouse_y = static_cast<double>(io.MousePos.y - rect.y);
  float wheel = ui.take_wheel(rect, true);
  if (wheel == 0 && what.focused) wheel = ui.take_wheel(rect, false);
  if (wheel != 0) zoom(rect, view, spec, scales, std::pow(kZoomStep, static_cast<double>(wheel)), mouse_x, mouse_y);
  if (what.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    view.left -= static_cast<double>(io.MouseDelta.x) / view.scale_x;
    view.top -= static_cast<double>(io.MouseDelta.y) / view.scale_y;
  }
  if (what.double_clicked) fit(view, scales);
  if (what.hovered && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || what.held)) {
    const double column = std::floor(view.left + mouse_x / view.scale_x);
    const double row = std::floor(view.top + mouse_y / view.scale_y);
    const bool inside = column < static_cast<double>(spec.columns) && row < static_cast<double>(spec.rows);
    view.cursor_column = inside ? static_cast<std::int64_t>(column) : -1;
    view.cursor_row = inside ? static_cast<std::int64_t>(row) : -1;
  }
  if (what.focused && !ui.is_typing()) handle_keys(ui, rect, view, spec, scales);
  if (std::exchange(view.reveal, false) && view.cursor_row >= 0 && view.cursor_column >= 0) {
    view.scale_x = scales.most_x;
    view.scale_y = scales.most_y;
    view.is_fitted = scales.most_x <= scales.fit_x && scales.most_y <= scales.fit_y;
    view.left = static_cast<double>(view.cursor_column) + 0.5 - static_cast<double>(rect.width) / view.scale_x / 2;
    view.top = static_cast<double>(view.cursor_row) + 0.5 - static_cast<double>(rect.height) / view.scale_y / 2;
  }
  clamp_view(rect, view, spec);

  const ImVec2 from(rect.x, rect.y);
  const ImVec2 to(rect.right(), rect.bottom());
  ui.draw().AddRectFilled(from, to, theme.raised, ui.px(4));
  ui.draw().PushClipRect(from, to, true);
  const HeatMapWanted seen = wanted_of(rect, view, spec);
  view.seen_columns = static_cast<double>(rect.width) / view.scale_x;
  view.seen_rows = static_cast<double>(rect.height) / view.scale_y;
  if (spec.overview != nullptr) paint_tile(ui, rect, renderer, 0, view, *spec.overview, spec.look);
  if (spec.detail != nullptr && overlaps(*spec.detail, seen)) {
    paint_tile(ui, rect, renderer, 1, view, *spec.detail, spec.look);
  }
  paint_numbers(ui, rect, view, spec, seen);
  if (view.cursor_row >= 0 && view.scale_x >= 4 && view.scale_y >= 4) {
    const Rect cell = cell_rect(rect, view, view.cursor_row, view.cursor_column);
    ui.draw().AddRect(ImVec2(cell.x, cell.y), ImVec2(cell.right(), cell.bottom()), theme.accent, 0, 0, ui.px(2));
  }
  ui.draw().PopClipRect();
  if (what.focus_visible) ui.focus_ring(rect, ui.px(4));
  return seen;
}

void profile(Ui& ui, const Rect& rect, const std::string& name, std::span<const float> low, std::span<const float> high,
             double at, Colour colour) {
  AccessNode node;
  node.role = Role::Img;
  node.name = name;
  ui.describe(ui.id(name), rect, std::move(node));
  ui.draw().AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), ui.theme().raised, ui.px(4));
  double least = INFINITY;
  double most = -INFINITY;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (std::isfinite(low[i])) least = std::min(least, static_cast<double>(low[i]));
    if (std::isfinite(high[i])) most = std::max(most, static_cast<double>(high[i]));
  }
  const Rect inside = rect.inset(ui.px(4), ui.px(4));
  if (least <= most && !low.empty()) {
    const double span = most > least ? most - least : 1;
    const float step = inside.width / static_cast<float>(low.size());
    const auto y_of = [&](double value) {
      return inside.bottom() - static_cast<float>((value - least) / span) * inside.height;
    };
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (!std::isfinite(low[i]) || !std::isfinite(high[i])) continue;
      const float x = inside.x + step * static_cast<float>(i);
      const float top = y_of(static_cast<double>(high[i]));
      const float bottom = std::max(top + ui.px(1.5F), y_of(static_cast<double>(low[i])));
      ui.draw().AddRectFilled(ImVec2(x, top), ImVec2(x + std::max(1.0F, step), bottom), colour);
    }
  }
  if (at < 0 || at > 1) return;
  const float x = inside.x + static_cast<float>(at) * inside.width;
  ui.draw().AddLine(ImVec2(x, rect.y), ImVec2(x, rect.bottom()), ui.theme().text, std::max(1.0F, ui.px(1)));
}

double scale_place(const HeatMapRenderer::Look& look, double value) {
  // Halves: the whole span of float32 is no float32.
  const double low = static_cast<double>(look.low) / 2;
  const double span = static_cast<double>(look.high) / 2 - low;
  return span > 0 ? (value / 2 - low) / span : 0;
}

void colour_scale(Ui& ui, const Rect& rect, const HeatMapRenderer::Look& look, std::string (*format)(double),
                  std::span<const ScaleMark> marks) {
  AccessNode node;
  node.role = Role::Img;
  node.name = fmt::format("Colours from {} to {}", format(static_cast<double>(look.low)),
                          format(static_cast<double>(look.high)));
  for (const ScaleMark& mark : marks)
    node.value += fmt::format("{}{}: {}", node.value.empty() ? "" : ", ", mark.label, format(mark.value));
  ui.describe(ui.id("##colour_scale"), rect, std::move(node));
  Rect rest = rect;
  const Rect bar = rest.cut_top(ui.px(10));
  constexpr int kSteps = 64;
  const float step = bar.width / kSteps;
  for (int part = 0; part < kSteps; ++part) {
    const auto left = colour_map_at(look.map, look.is_dark, static_cast<float>(part) / kSteps);
    const auto right = colour_map_at(look.map, look.is_dark, static_cast<float>(part + 1) / kSteps);
    const float x = bar.x + step * static_cast<float>(part);
    ui.draw().AddRectFilledMultiColor(ImVec2(x, bar.y), ImVec2(x + step, bar.bottom()), left, right, right, left);
  }
  // A dark line around a light one is seen on every colour.
  std::string tip;
  float tip_x = 0;
  for (const ScaleMark& mark : marks) {
    const double at = scale_place(look, mark.value);
    if (at < 0 || at > 1) continue;
    const float line = ui.px(1);
    const float x =
        std::clamp(std::floor(bar.x + static_cast<float>(at) * bar.width), bar.x + line, bar.right() - 2 * line);
    const float below = bar.bottom() + (mark.is_middle ? ui.px(3) : 0);
    ui.draw().AddRectFilled(ImVec2(x - line, bar.y), ImVec2(x + 2 * line, below), rgb(0));
    ui.draw().AddRectFilled(ImVec2(x, bar.y), ImVec2(x + line, below), rgb(0xFFFFFF));
    if (!ui.is_hovered({x - ui.px(5), bar.y, ui.px(10), bar.height + ui.px(6)})) continue;
    if (tip.empty()) tip_x = x;
    tip += fmt::format("{}{} of the values lie below {}", tip.empty() ? "" : "\n", mark.label, format(mark.value));
  }
  if (!tip.empty()) ui.tooltip_at({tip_x - ui.px(5), bar.y, ui.px(10), bar.height}, tip);
  rest.cut_top(marks.empty() ? 0 : ui.px(3));
  const Rect labels = rest.cut_top(ui.line_height(Type::CodeSmall));
  const Colour ink = ui.theme().muted;
  ui.paint_line(labels, Type::CodeSmall, ink, format(static_cast<double>(look.low)), 0);
  ui.paint_line(labels, Type::CodeSmall, ink,
                format((static_cast<double>(look.low) + static_cast<double>(look.high)) / 2), 0.5F);
  ui.paint_line(labels, Type::CodeSmall, ink, format(static_cast<double>(look.high)), 1);
}

}  // namespace nns::widgets
