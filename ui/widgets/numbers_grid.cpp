#include "ui/widgets/numbers_grid.h"

#include <fmt/format.h>

#include <imgui_internal.h>
#include <algorithm>

#include <cmath>
#include <utility>

namespace nns::widgets {

using host::AccessNode;
using host::Role;

namespace {

constexpr float kRowHeight = 22;  // design units
constexpr float kColumnWidth = 104;
constexpr float kHeadWidth = 72;

struct Grid {
  Rect cells;  // without the heads
  double row_px = 1;
  double column_px = 1;
  double rows() const { return static_cast<double>(cells.height) / row_px; }
  double columns() const { return static_cast<double>(cells.width) / column_px; }
};

void take_keys(Ui& ui, const Grid& grid, NumbersGridState& state, HeatMapView& view, const NumbersGridSpec& spec) {
  const auto last_row = static_cast<std::int64_t>(spec.rows) - 1;
  const auto last_column = static_cast<std::int64_t>(spec.columns) - 1;
  const auto page = static_cast<std::int64_t>(std::max(1.0, std::floor(grid.rows()) - 1));
  std::int64_t row = std::max<std::int64_t>(view.cursor_row, 0);
  std::int64_t column = std::max<std::int64_t>(view.cursor_column, 0);
  bool moved = true;
  if (ui.take_key(ImGuiKey_LeftArrow)) {
    --column;
  } else if (ui.take_key(ImGuiKey_RightArrow)) {
    ++column;
  } else if (ui.take_key(ImGuiKey_UpArrow)) {
    --row;
  } else if (ui.take_key(ImGuiKey_DownArrow)) {
    ++row;
  } else if (ui.take_key(ImGuiKey_PageUp)) {
    row -= page;
  } else if (ui.take_key(ImGuiKey_PageDown)) {
    row += page;
  } else if (ui.take_key(ImGuiKey_Home)) {
    column = 0;
  } else if (ui.take_key(ImGuiKey_End)) {
    column = last_column;
  } else {
    moved = false;
  }
  if (!moved) return;
  view.cursor_row = std::clamp<std::int64_t>(row, 0, last_row);
  view.cursor_column = std::clamp<std::int64_t>(column, 0, last_column);
  view.reveal = true;
  state.top = std::max(0.0, state.top);
}

void reveal(const Grid& grid, NumbersGridState& state, const HeatMapView& view) {
  const auto row = static_cast<double>(view.cursor_row);
  const auto column = static_cast<double>(view.cursor_column);
  state.top = std::clamp(state.top, row + 1 - grid.rows(), row);
  state.left = std::clamp(state.left, column + 1 - grid.columns(), column);
}

}  // namespace

HeatMapWanted numbers_grid(Ui& ui, const Rect& rect, NumbersGridState& state, HeatMapView& view,
                           const NumbersGridSpec& spec) {
  const Theme& theme = ui.theme();
  AccessNode node;
  node.role = Role::Table;
  node.name = spec.name;
  node.value = spec.cursor;
  const Interaction what = ui.control(ui.id("##numbers"), rect, std::move(node));
  Rect rest = rect;
  const Rect head = rest.cut_top(ui.px(kRowHeight));
  const Rect side = rest.cut_left(ui.px(kHeadWidth));
  const Grid grid{rest, static_cast<double>(ui.px(kRowHeight)), static_cast<double>(ui.px(kColumnWidth))};

  if (what.focused && !ui.is_typing()) take_keys(ui, grid, state, view, spec);
  if (std::exchange(view.reveal, false) && view.cursor_row >= 0) reveal(grid, state, view);
  if (what.focused || what.hovered) {
    const float wheel = ui.take_wheel(rect, false);
    (ImGui::GetIO().KeyShift ? state.left : state.top) -= static_cast<double>(wheel) * 3;
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (what.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    state.left -= static_cast<double>(io.MouseDelta.x) / grid.column_px;
    state.top -= static_cast<double>(io.MouseDelta.y) / grid.row_px;
  }
  state.top = std::clamp(state.top, 0.0, std::max(0.0, static_cast<double>(spec.rows) - grid.rows()));
  state.left = std::clamp(state.left, 0.0, std::max(0.0, static_cast<double>(spec.columns) - grid.columns()));
  HeatMapWanted seen;
  seen.row_begin = static_cast<std::uint64_t>(state.top);
  seen.column_begin = static_cast<std::uint64_t>(state.left);
  seen.row_end = std::min(spec.rows, static_cast<std::uint64_t>(std::ceil(state.top + grid.rows())));
  seen.column_end = std::min(spec.columns, static_cast<std::uint64_t>(std::ceil(state.left + grid.columns())));

  ui.draw().AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), theme.raised, ui.px(4));
  ui.draw().PushClipRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), true);
  const auto x_of = [&](std::uint64_t column) {
    return rest.x + static_cast<float>((static_cast<double>(column) - state.left) * grid.column_px);
  };
  const auto y_of = [&](std::uint64_t row) {
    return rest.y + static_cast<float>((static_cast<double>(row) - state.top) * grid.row_px);
  };
  const auto width = static_cast<float>(grid.column_px);
  const auto height = static_cast<float>(grid.row_px);
  ui.access().open(what.node);
  ui.draw().PushClipRect(ImVec2(rest.x, rest.y), ImVec2(rest.right(), rest.bottom()), true);
  for (std::uint64_t row = seen.row_begin; row < seen.row_end; ++row) {
    AccessNode line;
    line.role = Role::Row;
    line.name = fmt::format("Row {}", row);
    line.position = static_cast<std::int32_t>(std::min<std::uint64_t>(row + 1, INT32_MAX));
    line.set_size = static_cast<std::int32_t>(std::min<std::uint64_t>(spec.rows, INT32_MAX));
    const auto id = static_cast<int>(row - seen.row_begin);
    ImGui::PushID(id);
    ui.access().open(ui.describe(ui.id("##row"), {rest.x, y_of(row), rest.width, height}, std::move(line)));
    for (std::uint64_t column = seen.column_begin; column < seen.column_end; ++column) {
      const Rect cell{x_of(column), y_of(row), width, height};
      const std::string_view text = spec.text_of(spec.context, row, column);
      AccessNode value;
      value.role = Role::Cell;
      value.name = text;
      const auto number = static_cast<int>(column - seen.column_begin);
      ui.describe(ImHashData(&number, sizeof number, ui.id("##cell")), cell, std::move(value));
      const bool is_cursor =
          static_cast<std::int64_t>(row) == view.cursor_row && static_cast<std::int64_t>(column) == view.cursor_column;
      if (is_cursor) {
        ui.draw().AddRectFilled(ImVec2(cell.x, cell.y), ImVec2(cell.right(), cell.bottom()), theme.selection, ui.px(3));
      }
      const bool is_bad = text == "nan" || text == "inf" || text == "-inf";
      const std::string_view shown = text.empty() ? std::string_view("\xE2\x80\xA6") : text;
      if (ui.paint_line(cell.inset(ui.px(6), 0), Type::CodeSmall, is_bad ? theme.danger : theme.text, shown, 1)) {
        ui.tooltip_at(cell, text);
      }
    }
    ui.close_group();
    ImGui::PopID();
  }
  ui.draw().PopClipRect();
  ui.close_group();
  for (std::uint64_t row = seen.row_begin; row < seen.row_end; ++row) {
    if (y_of(row) < side.y - height / 2) continue;
    ui.paint_line({side.x, y_of(row), side.width - ui.px(8), height}, Type::CodeSmall, theme.muted,
                  fmt::format("{}", row), 1);
  }
  ui.draw().PushClipRect(ImVec2(rest.x, head.y), ImVec2(rest.right(), head.bottom()), true);
  for (std::uint64_t column = seen.column_begin; column < seen.column_end; ++column) {
    ui.paint_line({x_of(column), head.y, width - ui.px(6), head.height}, Type::CodeSmall, theme.muted,
                  fmt::format("{}", column), 1);
  }
  ui.draw().PopClipRect();
  ui.draw().PopClipRect();
  if (what.clicked && rest.contains(io.MousePos.x, io.MousePos.y)) {
    const double column = std::floor(state.left + static_cast<double>(io.MousePos.x - rest.x) / grid.column_px);
    const double row = std::floor(state.top + static_cast<double>(io.MousePos.y - rest.y) / grid.row_px);
    if (column < static_cast<double>(spec.columns) && row < static_cast<double>(spec.rows)) {
      view.cursor_column = static_cast<std::int64_t>(column);
      view.cursor_row = static_cast<std::int64_t>(row);
    }
  }
  if (what.focus_visible) ui.focus_ring(rect, ui.px(4));
  return seen;
}

}  // namespace nns::widgets
