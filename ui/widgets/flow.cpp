#include "ui/widgets/flow.h"

#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "ui/widgets/button.h"
#include "ui/widgets/opacity.h"
#include "ui/widgets/text_field.h"

namespace nns::widgets {

using host::AccessNode;
using host::Role;

Rect Flow::paint_wrapped(std::string_view text, Type type, Colour colour) {
  ImFont* face = ui_.font(type);
  const float size = ui_.font_size(type);
  const char* line = text.data();
  const char* const end = line + text.size();
  const float line_height = ui_.line_height(type);
  const float top = y_;
  while (line < end) {
    const char* wrap = face->CalcWordWrapPosition(size, line, end, area_.width);
    if (wrap == line) ++wrap;
    const char* newline = std::find(line, wrap, '\n');
    const Rect rect = take_px(line_height);
    ui_.paint_text(rect.x, rect.y + (line_height - size) / 2, type, colour,
                   std::string_view(line, static_cast<std::size_t>(newline - line)));
    line = newline;
    while (line < end && *line == ' ') ++line;
    if (line < end && *line == '\n') ++line;
  }
  return {area_.x, top, area_.width, y_ - top};
}

void Flow::heading(std::string_view text, Type type) {
  AccessNode node;
  node.role = Role::Heading;
  node.name = text;
  node.level = type == Type::Title || type == Type::Display ? 1 : 2;
  const Rect rect = paint_wrapped(text, type, ui_.theme().text);
  ui_.describe(ui_.id(text), rect, std::move(node));
}

void Flow::paragraph(std::string_view text, Type type, bool muted) {
  if (text.empty()) return;
  AccessNode node;
  node.role = Role::Text;
  node.name = text;
  const Rect rect = paint_wrapped(text, type, muted ? ui_.theme().muted : ui_.theme().text);
  ui_.describe(ui_.id(text), rect, std::move(node));
}

void Flow::empty_state(Icon icon, std::string_view title, std::string_view advice) {
  space(24);
  const Rect picture = take(40);
  paint_icon(ui_, icon, {picture.x, picture.y, ui_.px(40), picture.height}, with_alpha(ui_.theme().muted, 0.7F), 32);
  space(8);
  heading(title);
  space(4);
  paragraph(advice, Type::Body, true);
  space(24);
}

float width_to_point(const Ui& ui, Type type, std::string_view text) {
  const std::size_t point = text.find_first_of(".e (");
  return ui.text_width(type, text.substr(0, point));
}

int fact_table(Flow& flow, std::string_view name, std::span<const Fact> facts, bool align_numbers) {
  Ui& ui = flow.ui();
  const Theme& theme = ui.theme();
  float label_width = 0;
  float to_point = 0;
  for (const Fact& fact : facts) {
    label_width = std::max(label_width, ui.text_width(Type::Body, fact.label));
    to_point = std::max(to_point, width_to_point(ui, Type::Code, fact.value));
  }
  label_width = std::min(std::ceil(label_width) + ui.px(20), flow.width() * 0.45F);
  int pressed = -1;
  ImGui::PushID(name.data(), name.data() + name.size());
  const float row_height = ui.px(24);
  ui.open_group(ui.id("##table"), {0, flow.y(), flow.width(), row_height * static_cast<float>(facts.size())},
                Role::Table, std::string(name));
  int index = 0;
  for (const Fact& fact : facts) {
    ImGui::PushID(index);
    Rect row = flow.take_px(row_height);
    const Rect whole = row;
    const std::uint32_t row_node =
        ui.open_group(ui.id("##row"), row, Role::Row, std::string(fact.label) + ": " + std::string(fact.value));
    (void)row_node;
    const Rect label = row.cut_left(label_width);
    AccessNode head;
    head.role = Role::RowHeader;
    head.name = fact.label;
    ui.describe(ui.id("##label"), label, std::move(head));
    ui.paint_line({label.x, label.y, label.width - ui.px(8), label.height}, Type::Body, theme.muted, fact.label);
    if (fact.is_link) {
      ui.open_group(ui.id("##cell"), row, Role::Cell, std::string(fact.value));
      if (link(ui, row, fact.value, Type::Code)) pressed = index;
      ui.close_group();
    } else {
      AccessNode cell;
      cell.role = Role::Cell;
      cell.name = fact.value;
      cell.description = fact.exact;
      ui.describe(ui.id("##value"), row, std::move(cell));
      if (align_numbers) row.cut_left(to_point - width_to_point(ui, Type::Code, fact.value));
      const bool cut = ui.paint_line(row, Type::Code, theme.text, fact.value);
      if (!fact.exact.empty() && fact.exact != fact.value) {
        ui.tooltip_at(whole, fact.exact);
      } else if (cut) {
        ui.tooltip_at(whole, fact.value);
      }
    }
    ui.close_group();
    ImGui::PopID();
    ++index;
  }
  ui.close_group();
  ImGui::PopID();
  return pressed;
}

void progress_bar(Ui& ui, const Rect& rect, std::string_view name, double at) {
  const Theme& theme = ui.theme();
  AccessNode node;
  node.role = Role::Progressbar;
  node.name = name;
  node.maximum = 100;
  node.now = at < 0 ? 0 : std::floor(at * 100);
  if (at >= 0) node.value = std::to_string(static_cast<int>(at * 100)) + "%";
  ui.describe(ui.id(name), rect, std::move(node));
  const float rounding = rect.height / 2;
  ui.draw().AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), theme.track, rounding);
  float from = 0;
  float to = static_cast<float>(std::clamp(at, 0.0, 1.0));
  if (at < 0) {
    const double phase = ui.reduced_motion() ? 0.35 : std::fmod(ImGui::GetTime() * 0.8, 1.3) - 0.3;
    from = static_cast<float>(std::clamp(phase, 0.0, 1.0));
    to = static_cast<float>(std::clamp(phase + 0.3, 0.0, 1.0));
    if (!ui.reduced_motion()) ui.request_frame();
  }
  if (to > from) {
    ui.draw().AddRectFilled(ImVec2(rect.x + rect.width * from, rect.y), ImVec2(rect.x + rect.width * to, rect.bottom()),
                            theme.accent, rounding);
  }
}

void code_view(Ui& ui, const Rect& rect, std::string_view name, std::string& text) {
  const Theme& theme = ui.theme();
  AccessNode node;
  node.role = Role::Textbox;
  node.name = name;
  node.value = text;
  ImGui::PushID(name.data(), name.data() + name.size());
  const std::uint32_t id = ui.id("##code");
  if (ui.access().focus_arrived(id)) {
    ImGui::SetKeyboardFocusHere();
    ui.expect_typing(id);
  }
  if (ui.access().take(id, host::AccessAction::Kind::Focus)) ui.access().focus(id, true);
  ImGui::PushFont(ui.font(Type::CodeSmall), ui.font_size(Type::CodeSmall));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(12), ui.px(10)));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, ui.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, ui.px(6));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text);
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, with_alpha(theme.accent, kSelectedTextOpacity));
  ImGui::PushStyleColor(ImGuiCol_InputTextCursor, theme.accent);
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::InputTextMultiline("##code", &text, ImVec2(rect.width, rect.height),
                            ImGuiInputTextFlags_ReadOnly | ImGuiInputTextFlags_NoUndoRedo);
  const bool active = ImGui::IsItemActive() && follow_text_focus(ui, id);
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(3);
  ImGui::PopFont();
  node.focusable = true;
  node.focused = active;
  node.id = id;
  node.x = rect.x;
  node.y = rect.y;
  node.width = rect.width;
  node.height = rect.height;
  ui.access().add(std::move(node), true);
  ImGui::PopID();
}

float splitter(Ui& ui, const Rect& rect, std::string_view name, bool vertical_line, double now_percent) {
  AccessNode node;
  node.role = Role::Separator;
  node.name = name;
  node.minimum = 0;
  node.maximum = 100;
  node.now = std::round(now_percent);
  const Interaction what = ui.control(ui.id(name), rect, std::move(node));
  if (what.hovered || what.held) {
    ImGui::SetMouseCursor(vertical_line ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  }
  if (what.hovered || what.held || what.focus_visible) {
    const float thick = ui.px(2);
    const Rect line = vertical_line ? Rect{rect.centre_x() - thick / 2, rect.y, thick, rect.height}
                                    : Rect{rect.x, rect.centre_y() - thick / 2, rect.width, thick};
    ui.draw().AddRectFilled(ImVec2(line.x, line.y), ImVec2(line.right(), line.bottom()), ui.theme().accent, thick);
  }
  float moved = 0;
  if (what.held) moved = vertical_line ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
  if (what.focused && !ui.is_typing()) {
    if (ui.take_key(vertical_line ? ImGuiKey_LeftArrow : ImGuiKey_UpArrow)) moved -= ui.px(16);
    if (ui.take_key(vertical_line ? ImGuiKey_RightArrow : ImGuiKey_DownArrow)) moved += ui.px(16);
  }
  return moved;
}

}  // namespace nns::widgets
