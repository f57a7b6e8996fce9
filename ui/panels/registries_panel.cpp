#include "ui/panels/registries_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/model/format.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::AttributePlace;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

struct Look {
  Icon icon;
  widgets::Colour colour;
};

Look look_of(const widgets::Theme& theme, AttributePlace place) {
  switch (place) {
    case AttributePlace::Parameters:
      return {Icon::Parameter, theme.parameter};
    case AttributePlace::Buffers:
      return {Icon::Buffer, theme.buffer};
    case AttributePlace::Modules:
      return {Icon::Module, theme.module};
    case AttributePlace::Hooks:
      return {Icon::Hook, theme.hook};
    case AttributePlace::Registry:
      return {Icon::Container, theme.muted};
    default:
      return {Icon::Value, theme.muted};
  }
}

void draw_line(Ui& ui, Rect row, const model::AttributeLine& line) {
  const widgets::Theme& theme = ui.theme();
  row.cut_left(ui.px(16));
  row.cut_right(ui.px(12));
  const float name_width = std::floor(row.width * 0.42F);
  const float type_width = row.width >= ui.px(420) ? std::floor(row.width * 0.2F) : 0;
  Rect name = row.cut_left(name_width);
  name.cut_left(ui.px(20) * static_cast<float>(line.depth));
  const Look look = look_of(theme, line.place);
  paint_icon(ui, look.icon, name.cut_left(ui.px(18)), look.colour, 14);
  name.cut_left(ui.px(4));
  name.cut_right(ui.px(8));
  const bool is_registry = line.place == AttributePlace::Registry;
  // Some say what is in them without lines of their own: {'pixel_mean'}.
  const bool is_empty = is_registry && line.entries == 0 && line.text.find_first_of("'0123456789") == std::string::npos;
  if (ui.paint_line(name, Type::Code, is_empty ? theme.muted : theme.text, line.name)) ui.tooltip_at(name, line.name);
  Rect type = row.cut_left(type_width);
  type.cut_right(ui.px(8));
  const std::size_t dot = line.type.rfind('.');
  ui.paint_line(type, Type::Small, theme.muted, dot == std::string::npos ? line.type : line.type.substr(dot + 1));
  if (dot != std::string::npos && type_width > 0) ui.tooltip_at(type, line.type);
  const std::string text = is_registry && line.text.empty()
                               ? (line.entries == 0 ? std::string("empty") : model::thousands(line.entries))
                               : line.text;
  if (ui.paint_line(row, Type::CodeSmall, is_empty ? theme.muted : theme.text, text)) ui.tooltip_at(row, text);
}

void draw_reason(Ui& ui, Rect area, const model::ObjectView& object, std::uint32_t line) {
  const widgets::Theme& theme = ui.theme();
  ui.draw().AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()), theme.raised, ui.px(8));
  ui.open_group(ui.id("##why"), area, Role::Status, "Why it is there");
  Flow flow(ui, area.inset(ui.px(14), 0));
  flow.space(10);
  if (line >= object.attributes.size()) {
    flow.paragraph("Choose a line to see which rule of Module.__setattr__ put it there.", Type::Body, true);
  } else {
    const model::AttributeLine& chosen = object.attributes[line];
    flow.heading(fmt::format("{} \xC2\xB7 {}", chosen.name, model::place_text(chosen.place)), Type::Strong);
    flow.space(2);
    flow.paragraph(chosen.why.empty() ? "A plain attribute: object.__setattr__ keeps it in __dict__." : chosen.why,
                   Type::Body, true);
  }
  ui.close_group();
}

}  // namespace

std::optional<Intent> draw_registries_panel(Ui& ui, Rect area, const model::ObjectView& object,
                                            widgets::RowListState& list_state, std::uint32_t& line) {
  std::optional<Intent> intent;
  if (object.attributes.empty()) {
    Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Container, "No attributes", "This value has no __dict__ and holds no entries.");
    return intent;
  }
  Rect why = area.cut_bottom(ui.px(object.is_module ? 84 : 0));
  if (object.is_module) area.cut_bottom(ui.px(8));
  {
    widgets::RowListSpec spec;
    spec.name = object.is_module ? "Attributes in __dict__" : "Entries";
    spec.role = Role::Table;
    spec.count = static_cast<std::uint32_t>(object.attributes.size());
    spec.cursor = line;
    spec.key = [](std::uint32_t index) { return index; };
    widgets::RowList list(ui, list_state, area, std::move(spec));
    if (list.moved_to()) line = *list.moved_to();
    for (std::uint32_t index = list.first(); index < list.end(); ++index) {
      const model::AttributeLine& attribute = object.attributes[index];
      AccessNode node;
      node.role = Role::Row;
      node.name = fmt::format("{}, {}, {}", attribute.name, attribute.type, attribute.text);
      node.description = attribute.why;
      node.value = model::place_text(attribute.place);
      node.level = attribute.depth + 1;
      node.position = static_cast<std::int32_t>(index + 1);
      node.set_size = static_cast<std::int32_t>(object.attributes.size());
      Rect row;
      const widgets::RowEvents events = list.open_row(index, std::move(node), row);
      list.cell(row, attribute.name);
      list.cell(row, attribute.type);
      list.cell(row, attribute.text);
      draw_line(ui, row, attribute);
      list.close_row();
      if (events.clicked) line = index;
      if ((events.double_clicked || events.activated) && attribute.node != UINT32_MAX)
        intent = SelectRow{attribute.node};
    }
  }
  if (object.is_module) {
    why = why.inset(ui.px(20), 0);
    why.cut_bottom(ui.px(8));
    draw_reason(ui, why, object, line);
  }
  return intent;
}

}  // namespace nns::panels
