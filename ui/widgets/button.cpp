#include "ui/widgets/button.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/widgets/opacity.h"

namespace nns::widgets {

using host::AccessNode;
using host::Role;

namespace {

void paint_box(const Ui& ui, const Rect& rect, Colour fill, Colour border, float rounding) {
  const ImVec2 from(rect.x, rect.y);
  const ImVec2 to(rect.right(), rect.bottom());
  if ((fill >> 24U) != 0) ui.draw().AddRectFilled(from, to, fill, rounding);
  if ((border >> 24U) != 0) ui.draw().AddRect(from, to, border, rounding, 0, std::max(1.0F, ui.px(1)));
}

}  // namespace

float button_width(const Ui& ui, std::string_view label, bool has_icon) {
  return std::ceil(ui.text_width(Type::Strong, label)) + ui.px(24) + (has_icon ? ui.px(22) : 0);
}

bool button(Ui& ui, const Rect& rect, std::string_view label, ButtonStyle style, std::optional<Icon> icon,
            bool disabled, std::string_view tip) {
  AccessNode node;
  node.role = Role::Button;
  node.name = label;
  node.disabled = disabled;
  node.description = tip;
  const Interaction what = ui.control(ui.id(label), rect, std::move(node));
  const Theme& theme = ui.theme();
  const float rounding = ui.px(6);
  Colour fill = 0;
  Colour border = 0;
  Colour ink = theme.text;
  if (style == ButtonStyle::Primary) {
    fill = what.held      ? mix(theme.accent, theme.text, 0.2F)
           : what.hovered ? mix(theme.accent, theme.text, 0.1F)
                          : theme.accent;
    ink = theme.on_accent;
  } else if (style == ButtonStyle::Plain) {
    fill = what.held ? theme.selection : what.hovered ? theme.hover : theme.raised;
    border = theme.border;
  } else if (what.hovered || what.held) {
    fill = what.held ? theme.selection : theme.hover;
  }
  if (disabled) {
    fill = style == ButtonStyle::Ghost ? 0 : theme.raised;
    ink = with_alpha(theme.muted, 0.7F);
  }
  paint_box(ui, rect, fill, border, rounding);
  Rect inside = rect.inset(ui.px(12), 0);
  if (icon) {
    paint_icon(ui, *icon, inside.cut_left(ui.px(16)), ink);
    inside.cut_left(ui.px(6));
  }
  ui.paint_line(inside, Type::Strong, ink, label, icon ? 0 : 0.5F);
  if (what.focus_visible) ui.focus_ring(rect, rounding);
  ui.tooltip(what, tip);
  return what.clicked;
}

bool icon_button(Ui& ui, const Rect& rect, Icon icon, std::string_view name, std::string_view keys, bool disabled) {
  AccessNode node;
  node.role = Role::Button;
  node.name = name;
  node.disabled = disabled;
  node.description = keys;
  const Interaction what = ui.control(ui.id(name), rect, std::move(node));
  const Theme& theme = ui.theme();
  if ((what.hovered || what.held) && !disabled)
    paint_box(ui, rect, what.held ? theme.selection : theme.hover, 0, ui.px(6));
  paint_icon(ui, icon, rect, disabled ? with_alpha(theme.muted, 0.45F) : what.hovered ? theme.text : theme.muted);
  if (what.focus_visible) ui.focus_ring(rect, ui.px(6));
  if (what.hovered) {
    std::string tip(name);
    if (!keys.empty()) tip.append("   ").append(keys);
    ui.tooltip(what, tip);
  }
  return what.clicked;
}

bool link(Ui& ui, const Rect& rect, std::string_view label, Type type) {
  AccessNode node;
  node.role = Role::Link;
  node.name = label;
  const Interaction what = ui.control(ui.id(label), rect, std::move(node));
  const bool cut = ui.paint_line(rect, type, ui.theme().accent, label);
  if (what.hovered) {
    const float width = std::min(rect.width, ui.text_width(type, label));
    const float y = rect.centre_y() + ui.font_size(type) * 0.55F;
    ui.draw().AddLine(ImVec2(rect.x, y), ImVec2(rect.x + width, y), ui.theme().accent, std::max(1.0F, ui.px(1)));
  }
  if (cut) ui.tooltip(what, label);
  if (what.focus_visible) ui.focus_ring(rect, ui.px(4));
  return what.clicked;
}

float segmented_width(const Ui& ui, std::initializer_list<std::string_view> labels) {
  float width = ui.px(4);
  for (const std::string_view label : labels) width += std::ceil(ui.text_width(Type::Small, label)) + ui.px(20);
  return width;
}

bool toggle(Ui& ui, std::string_view id, const Rect& rect, std::string_view label, std::string_view name, bool is_on,
            std::string_view tip) {
  host::AccessNode node;
  node.role = host::Role::Checkbox;
  node.name = name;
  node.checked = is_on ? 1 : 0;
  const Interaction what = ui.control(ui.id(id), rect, std::move(node));
  const Theme& theme = ui.theme();
  const ImVec2 from(rect.x, rect.y);
  const ImVec2 to(rect.right(), rect.bottom());
  const float rounding = rect.height / 2;
  if (is_on || what.hovered) ui.draw().AddRectFilled(from, to, is_on ? theme.selection : theme.hover, rounding);
  ui.draw().AddRect(from, to, theme.border, rounding, 0, std::max(1.0F, ui.px(1)));
  ui.paint_line(rect, Type::Small, is_on ? theme.text : theme.muted, label, 0.5F);
  if (what.focus_visible) ui.focus_ring(rect, rounding);
  if (!tip.empty()) ui.tooltip(what, tip);
  return what.clicked;
}

std::optional<std::size_t> segmented(Ui& ui, const Rect& rect, std::string_view name,
                                     std::initializer_list<std::string_view> labels, std::size_t chosen) {
  const Theme& theme = ui.theme();
  ImGui::PushID(name.data(), name.data() + name.size());
  ui.open_group(ui.id("##group"), rect, Role::Group, std::string(name));
  paint_box(ui, rect, theme.raised, theme.border, ui.px(6));
  std::optional<std::size_t> pressed;
  Rect rest = rect.inset(ui.px(2), ui.px(2));
  const float spare = rect.width - segmented_width(ui, labels);
  std::size_t index = 0;
  for (const std::string_view label : labels) {
    const Rect part = rest.cut_left(std::ceil(ui.text_width(Type::Small, label)) + ui.px(20) +
                                    spare / static_cast<float>(labels.size()));
    AccessNode node;
    node.role = Role::Button;
    node.name = label;
    node.checked = index == chosen ? 1 : 0;
    const Interaction what = ui.control(ui.id(label), part, std::move(node));
    if (index == chosen) {
      paint_box(ui, part, theme.selection, 0, ui.px(4));
    } else if (what.hovered) {
      paint_box(ui, part, theme.hover, 0, ui.px(4));
    }
    ui.paint_line(part.inset(ui.px(4), 0), Type::Small, index == chosen ? theme.text : theme.muted, label, 0.5F);
    if (what.focus_visible) ui.focus_ring(part, ui.px(4));
    if (what.clicked) pressed = index;
    ++index;
  }
  ui.close_group();
  ImGui::PopID();
  return pressed;
}

float chip_width(const Ui& ui, std::string_view label) {
  return std::ceil(ui.text_width(Type::Small, label)) + ui.px(12);
}

void paint_chip(const Ui& ui, float x, const Rect& row, std::string_view label, Colour colour) {
  const float height = ui.px(18);
  const Rect box{x, std::round(row.centre_y() - height / 2), chip_width(ui, label), height};
  paint_box(ui, box, with_alpha(colour, chip_opacity(ui.theme())), 0, ui.px(4));
  ui.paint_line(box, Type::Small, colour, label, 0.5F);
}

}  // namespace nns::widgets
