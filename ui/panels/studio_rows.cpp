// The studio's lists of names and values.
#include <algorithm>
#include <cmath>

#include "ui/panels/studio_panel.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using model::StudioRow;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr float kStudioRow = 22;  // design units

/// How wide the column of names is: as the widest of them, where values keep what they need, up to two fifths. Units:
/// pixels.
float names_width(const Ui& ui, const std::vector<StudioRow>& rows, float width) {
  constexpr std::size_t kMostMeasured = 256;  // of more rows the first ones speak for all
  float name = 0, value = 0;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostMeasured); ++i) {
    if (rows[i].kind != StudioRow::Kind::Name) continue;
    name = std::max(name, ui.text_width(Type::CodeSmall, rows[i].name));
    value = std::max(value, ui.text_width(Type::CodeSmall, rows[i].value));
  }
  const float most = width - std::min(std::ceil(value) + ui.px(8), std::floor(width * 0.4F));
  return std::clamp(std::ceil(name) + ui.px(8), std::min(most, std::floor(width * 0.3F)), most);
}

void draw_row(Ui& ui, Rect row, const StudioRow& one, float names, bool is_selected) {
  const widgets::Theme& theme = ui.theme();
  const auto mark = [&](widgets::Colour colour) {
    ui.draw().AddRectFilled(ImVec2(row.x, row.y + ui.px(2)), ImVec2(row.x + ui.px(3), row.bottom() - ui.px(2)), colour);
  };
  if (one.is_lit) mark(one.kind == StudioRow::Kind::Frame ? theme.accent : theme.hook);
  row.cut_left(ui.px(10));
  row.cut_right(ui.px(12));
  switch (one.kind) {
    case StudioRow::Kind::Frame:
    case StudioRow::Kind::Section: {
      const float name = std::min(ui.text_width(Type::SmallStrong, one.name) + ui.px(12), row.width);
      const Rect place = row.cut_left(name);
      const widgets::Colour colour = one.has_changed ? theme.event : theme.text;
      if (ui.paint_line(place, Type::SmallStrong, colour, one.name)) ui.tooltip_at(place, one.name);
      ui.paint_line(row, Type::Small, theme.muted, one.value);
      return;
    }
    case StudioRow::Kind::Note:
      row.cut_left(ui.px(16));
      ui.paint_line(row, Type::Small, theme.muted, one.name);
      return;
    case StudioRow::Kind::Name:
      break;
  }
  row.cut_left(std::min(ui.px(16 * std::max(1.0F, static_cast<float>(one.depth))), row.width / 2));
  if (one.has_changed) {
    ui.draw().AddCircleFilled(ImVec2(row.x - ui.px(8), row.centre_y()), ui.px(3), theme.event);
  }
  const Rect name = row.cut_left(std::min(names, row.width));
  if (ui.paint_line(name, Type::CodeSmall, one.is_lit ? theme.hook : theme.text, one.name))
    ui.tooltip_at(name, one.name);
  row.cut_left(ui.px(8));
  const widgets::Colour colour = one.object != model::kNoObject ? theme.accent : theme.text;
  if (ui.paint_line(row, Type::CodeSmall, is_selected ? theme.text : colour, one.value)) ui.tooltip_at(row, one.value);
}

}  // namespace

std::optional<std::uint32_t> draw_studio_rows(Ui& ui, const Rect& area, std::string_view name,
                                              const std::vector<StudioRow>& rows, std::uint32_t selected,
                                              widgets::RowListState& list_state, std::uint32_t& line) {
  std::optional<std::uint32_t> pressed;
  if (line != UINT32_MAX && line >= rows.size()) line = UINT32_MAX;
  widgets::RowListSpec spec;
  spec.name = name;
  spec.role = Role::List;
  spec.row_height = kStudioRow;
  spec.count = static_cast<std::uint32_t>(rows.size());
  spec.cursor = line;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, list_state, area, std::move(spec));
  if (list.moved_to()) line = *list.moved_to();
  const float names = names_width(ui, rows, area.width - ui.px(38));
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const StudioRow& one = rows[index];
    const bool is_selected = one.object != model::kNoObject && one.object == selected;
    AccessNode node;
    node.role = Role::ListItem;
    node.name = one.value.empty() ? one.name : one.name + ": " + one.value;
    if (one.has_changed) node.name += ", changed";
    if (one.is_lit) node.name += one.kind == StudioRow::Kind::Frame ? ", shown" : ", runs now";
    node.level = one.depth != 0 ? static_cast<std::int32_t>(one.depth) + 1 : one.kind == StudioRow::Kind::Name ? 2 : 1;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(rows.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    draw_row(ui, row, one, names, is_selected);
    list.close_row();
    if (events.clicked) line = index;
    if (events.clicked || events.activated) pressed = index;
  }
  return pressed;
}

}  // namespace nns::panels
