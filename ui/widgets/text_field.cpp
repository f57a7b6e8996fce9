#include "ui/widgets/text_field.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "ui/widgets/opacity.h"

namespace nns::widgets {

using host::AccessAction;
using host::AccessNode;

bool follow_text_focus(Ui& ui, std::uint32_t id) {
  AccessTree& access = ui.access();
  if (access.focused() == id) return true;
  if (ImGui::IsItemActivated()) {
    access.focus(id, false);
    return true;
  }
  if (access.has_pending_focus()) return true;
  ImGui::ClearActiveID();
  return false;
}

TextFieldResult text_field(Ui& ui, const Rect& rect, std::string& text, const TextFieldSpec& spec) {
  TextFieldResult result;
  const Theme& theme = ui.theme();
  const float rounding = ui.px(6);
  ImGui::PushID(spec.name.data(), spec.name.data() + spec.name.size());
  const ImGuiID id = ImGui::GetCurrentWindow()->GetID("##text");
  AccessTree& access = ui.access();

  const bool is_asked =
      access.take(id, AccessAction::Kind::Focus).has_value() || access.take(id, AccessAction::Kind::Activate);
  if (is_asked || spec.take_focus) access.focus(id, is_asked);
  const auto set = access.take(id, AccessAction::Kind::SetText);
  if (set && set->text != text) {
    text = set->text;
    result.changed = true;
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
  }
  if (spec.changed) {
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
  }
  if (is_asked || spec.take_focus || access.focus_arrived(id)) {
    ImGui::SetKeyboardFocusHere();
    ui.expect_typing(id);
  }

  ui.draw().AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), theme.raised, rounding);
  Rect inside = rect.inset(ui.px(8), 0);
  if (spec.icon) {
    paint_icon(ui, *spec.icon, inside.cut_left(ui.px(16)), theme.muted, 14);
    inside.cut_left(ui.px(6));
  }
  Rect clear;
  if (!text.empty()) clear = inside.cut_right(ui.px(20));

  const bool was_empty = text.empty();
  ImGui::PushFont(ui.font(spec.type), ui.font_size(spec.type));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, std::round((rect.height - ui.font_size(spec.type)) / 2)));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0U);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text);
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, theme.muted);
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, with_alpha(theme.accent, kSelectedTextOpacity));
  ImGui::PushStyleColor(ImGuiCol_InputTextCursor, theme.accent);
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0U);
  ImGui::SetCursorScreenPos(ImVec2(inside.x, inside.y));
  ImGui::SetNextItemWidth(std::max(1.0F, inside.width));
  const std::string placeholder(spec.placeholder);
  const std::string before_keys = spec.escape_leaves ? text : std::string();
  bool changed = ImGui::InputTextWithHint("##text", placeholder.c_str(), &text,
                                          spec.escape_leaves ? 0 : ImGuiInputTextFlags_EscapeClearsAll);
  if (spec.escape_leaves && ImGui::IsItemActivated()) {
    // What stands there already is to be continued, not to be typed over.
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
  }
  bool active = ImGui::IsItemActive();
  if (active && !follow_text_focus(ui, id)) active = false;
  result.is_active = active;
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopStyleColor(6);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (ImGui::IsItemDeactivated() || active) {
    result.entered = ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
    result.escaped = (was_empty || spec.escape_leaves) && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    if (result.escaped && spec.escape_leaves) {
      // Dear ImGui puts the text back that was there when the field was entered.
      text = before_keys;
      changed = false;
    }
  }
  result.changed |= changed;
  ui.draw().AddRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()),
                    active    ? theme.accent
                    : hovered ? mix(theme.border, theme.muted, 0.4F)
                              : theme.border,
                    rounding, 0, std::max(1.0F, ui.px(active ? 1.5F : 1)));

  AccessNode node;
  node.role = spec.role;
  node.name = spec.name;
  node.value = text;
  node.description = spec.placeholder;
  node.id = id;
  node.x = rect.x;
  node.y = rect.y;
  node.width = rect.width - clear.width;
  node.height = rect.height;
  node.focusable = true;
  node.focused = active || access.focused() == id;
  access.add(std::move(node), true);

  if (clear.width > 0) {
    AccessNode cross;
    cross.role = host::Role::Button;
    cross.name = std::string("Clear ").append(spec.name);
    const Interaction what = ui.control(ui.id("##clear"), clear, std::move(cross));
    paint_icon(ui, Icon::Close, clear, what.hovered ? theme.text : theme.muted, 12);
    if (what.focus_visible) ui.focus_ring(clear.middle(clear.width), ui.px(4));
    if (what.clicked) {
      text.clear();
      result.changed = true;
      if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
    }
  }
  ImGui::PopID();
  return result;
}

}  // namespace nns::widgets
