#include "ui/widgets/ui.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nns::widgets {

using host::AccessAction;
using host::AccessNode;

namespace {

constexpr double kTooltipDelaySeconds = 0.4;
constexpr ImGuiKeyChord kAllMods = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiMod_Alt | ImGuiMod_Super;

ImRect to_imgui(const Rect& rect) { return ImRect(rect.x, rect.y, rect.right(), rect.bottom()); }

void append_utf8(std::string& text, ImWchar character) {
  char bytes[5] = {};
  ImTextCharToUtf8(bytes, static_cast<unsigned int>(character));
  text += bytes;
}

}  // namespace

bool has_text_field() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  return context.ActiveId != 0 && context.ActiveId == context.InputTextState.ID;
}

float Ui::px(float units) const { return std::round(units * scale_); }

void Ui::begin_frame(FrameInput input) {
  theme_ = input.theme;
  scale_ = input.scale;
  reduced_motion_ = input.reduced_motion;
  wants_frame_ = false;
  taken_.clear();
  scrolls_.clear();
  tooltip_.clear();
  ImGuiIO& io = ImGui::GetIO();
  wheel_ = io.MouseWheel;
  access_.begin_frame(std::move(input.actions));
  const bool has_control =
      std::find(text_controls_.begin(), text_controls_.end(), access_.focused()) != text_controls_.end();
  text_controls_.clear();
  typing_ = has_text_field() || has_control;
  typed_.clear();
  text_.clear();
  // Some keyboards make signs with Ctrl and Alt together.
  const bool is_shortcut = (io.KeyCtrl && !io.KeyAlt) || io.KeySuper;
  if (!has_text_field() && has_control) {
    // A pasted text comes so in a browser, with the shortcut's key held down.
    const bool is_paste = io.InputQueueCharacters.Size > 1 || ImGui::IsKeyDown(ImGuiKey_V);
    for (const ImWchar character : io.InputQueueCharacters) {
      if (is_shortcut && !is_paste) continue;
      if (character >= ' ' || character == '\n' || character == '\t') append_utf8(text_, character);
    }
  } else if (!typing_ && !io.KeyCtrl && !io.KeyAlt && !io.KeySuper) {
    for (const ImWchar character : io.InputQueueCharacters) append_utf8(typed_, character);
  }
}

void Ui::expect_typing(std::uint32_t id) {
  awaited_field_ = id;
  awaited_frames_ = 0;
}

bool Ui::end_frame() {
  // Dear ImGui gives the keyboard within three frames, or never: the field is gone.
  constexpr int kLongestInputWait_frames = 4;
  const bool arrived = has_text_field() && ImGui::GetCurrentContext()->ActiveId == awaited_field_;
  if (arrived || ++awaited_frames_ > kLongestInputWait_frames) awaited_field_ = 0;
  // Dear ImGui moves between text fields with Tab by itself; all stops are ours to order.
  ImGui::SetKeyOwner(ImGuiKey_Tab, id("##tab"));
  if (take_key(ImGuiKey_Tab)) access_.focus_next(false);
  if (take_key(ImGuiKey_Tab, ImGuiMod_Shift)) access_.focus_next(true);
  if (take_key(ImGuiKey_F6)) access_.focus_next_region(false);
  if (take_key(ImGuiKey_F6, ImGuiMod_Shift)) access_.focus_next_region(true);
  return access_.end_frame();
}

std::uint32_t Ui::id(std::string_view label) const {
  const ImGuiID hash = ImGui::GetCurrentWindow()->GetID(label.data(), label.data() + label.size());
  return hash == 0 ? 1 : hash;
}

Interaction Ui::control(std::uint32_t id, const Rect& rect, AccessNode node, bool is_stop) {
  Interaction result;
  result.id = id;
  const bool disabled = node.disabled;
  node.id = id;
  node.x = rect.x;
  node.y = rect.y;
  node.width = rect.width;
  node.height = rect.height;
  node.focusable = !disabled;
  if (access_.take(id, AccessAction::Kind::Focus)) access_.focus(id, true);
  if (access_.take(id, AccessAction::Kind::Activate) && !disabled) result.clicked = true;
  const bool scroll_here =
      access_.take(id, AccessAction::Kind::ScrollIntoView).has_value() || access_.focus_arrived(id);
  if (scroll_here && !scrolls_.empty()) {
    const Scroll& scroll = scrolls_.back();
    const float margin = px(8);
    if (rect.y < scroll.rect.y) scroll.state->offset -= scroll.rect.y + margin - rect.y;
    if (rect.bottom() > scroll.rect.bottom()) scroll.state->offset += rect.bottom() + margin - scroll.rect.bottom();
  }
  const ImRect box = to_imgui(rect);
  if (ImGui::ItemAdd(box, id, nullptr, ImGuiItemFlags_NoNav) && !disabled) {
    if (ImGui::ButtonBehavior(box, id, &result.hovered, &result.held, ImGuiButtonFlags_NoNavFocus))
      result.clicked = true;
    if (result.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) result.double_clicked = true;
    if (result.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && is_stop) access_.focus(id, false);
  } else if (disabled) {
    result.hovered = is_hovered(rect);
  }
  result.focused = access_.focused() == id && !disabled;
  if (result.focused && is_stop && !typing_) {
    if (take_key(ImGuiKey_Enter) || take_key(ImGuiKey_KeypadEnter) || take_key(ImGuiKey_Space)) {
      result.clicked = true;
      take_typed(' ');
    }
  }
  result.focus_visible = result.focused && access_.is_focus_visible();
  node.focused = result.focused;
  result.node = access_.add(std::move(node), is_stop);
  return result;
}

std::uint32_t Ui::describe(std::uint32_t id, const Rect& rect, AccessNode node) {
  // With the role: a heading may say the same as the table below it.
  const auto role = static_cast<std::uint8_t>(node.role);
  node.id = ImHashData(&role, sizeof role, id);
  node.x = rect.x;
  node.y = rect.y;
  node.width = rect.width;
  node.height = rect.height;
  return access_.add(std::move(node), false);
}

std::uint32_t Ui::open_group(std::uint32_t id, const Rect& rect, host::Role role, std::string name) {
  AccessNode node;
  node.role = role;
  node.name = std::move(name);
  const std::uint32_t index = describe(id, rect, std::move(node));
  access_.open(index);
  return index;
}

void Ui::focus_ring(const Rect& rect, float rounding) const {
  const float out = px(2);
  draw().AddRect(ImVec2(rect.x - out, rect.y - out), ImVec2(rect.right() + out, rect.bottom() + out), theme_->accent,
                 rounding + out, 0, std::max(1.0F, px(2)));
}

void Ui::tooltip(const Interaction& what, std::string_view text) {
  if (!what.hovered || what.held || text.empty()) return;
  const double now = ImGui::GetTime();
  if (hovered_id_ != what.id) {
    hovered_id_ = what.id;
    hovered_since_ = now;
  }
  if (now - hovered_since_ < kTooltipDelaySeconds) {
    request_frame();
    return;
  }
  tooltip_ = text;
}

void Ui::tooltip_at(const Rect& rect, std::string_view text) {
  if (!is_hovered(rect)) return;
  Interaction part;
  part.hovered = true;
  part.id = id(text);
  tooltip(part, text);
}

void Ui::draw_tooltip() {
  if (tooltip_.empty()) return;
  const float most = px(420);
  const float pad = px(8);
  const ImVec2 size =
      font(Type::Small)
          ->CalcTextSizeA(font_size(Type::Small), FLT_MAX, most, tooltip_.data(), tooltip_.data() + tooltip_.size());
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImVec2 at = ImGui::GetIO().MousePos;
  at.x = std::max(px(4), std::min(at.x + px(12), screen.x - size.x - 2 * pad - px(4)));
  at.y = at.y + px(20) + size.y + 2 * pad > screen.y ? at.y - size.y - 2 * pad - px(8) : at.y + px(20);
  at = ImVec2(std::round(at.x), std::round(at.y));
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 end(at.x + size.x + 2 * pad, at.y + size.y + 2 * pad);
  list.AddRectFilled(ImVec2(at.x, at.y + px(2)), ImVec2(end.x, end.y + px(3)), with_alpha(theme_->shadow, 0.6F), px(6));
  list.AddRectFilled(at, end, theme_->overlay, px(6));
  list.AddRect(at, end, theme_->border, px(6));
  list.AddText(font(Type::Small), font_size(Type::Small), ImVec2(at.x + pad, at.y + pad), theme_->text, tooltip_.data(),
               tooltip_.data() + tooltip_.size(), most);
}

bool Ui::is_hovered(const Rect& rect) const {
  return ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
         ImGui::IsMouseHoveringRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()));
}

bool Ui::take_key(ImGuiKey key, ImGuiKeyChord mods, bool repeats) {
  const ImGuiKeyChord chord = static_cast<ImGuiKeyChord>(key) | mods;
  if ((ImGui::GetIO().KeyMods & kAllMods) != mods) return false;
  if (!ImGui::IsKeyPressed(key, repeats)) return false;
  if (std::find(taken_.begin(), taken_.end(), chord) != taken_.end()) return false;
  taken_.push_back(chord);
  return true;
}

std::string Ui::take_typed() { return std::exchange(typed_, {}); }

bool Ui::has_typed(char character) const { return typed_.find(character) != std::string::npos; }

bool Ui::take_typed(char character) {
  const std::size_t at = typed_.find(character);
  if (at == std::string::npos) return false;
  typed_.erase(at, 1);
  return true;
}

float Ui::take_wheel(const Rect& rect, bool ctrl) {
  const ImGuiIO& io = ImGui::GetIO();
  if (wheel_ == 0 || (io.KeyCtrl || io.KeySuper) != ctrl || !is_hovered(rect)) return 0;
  return std::exchange(wheel_, 0.0F);
}

Rect Ui::begin_scroll(std::uint32_t id, const Rect& rect, ScrollState& state) {
  scrolls_.push_back({id, rect, &state});
  draw().PushClipRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), true);
  ImGui::GetCurrentWindow()->ClipRect = ImRect(draw()._ClipRectStack.back());
  state.offset = std::clamp(state.offset, 0.0F, std::max(0.0F, state.content - rect.height));
  return {rect.x, rect.y - std::round(state.offset), rect.width, rect.height};
}

void Ui::end_scroll(float content_height) {
  const Scroll scroll = scrolls_.back();
  scrolls_.pop_back();
  ScrollState& state = *scroll.state;
  state.content = content_height;
  const float most = std::max(0.0F, content_height - scroll.rect.height);
  if (most > 0) {
    if (const float wheel = take_wheel(scroll.rect, false); wheel != 0) state.offset -= wheel * px(64);
    const Rect bar{scroll.rect.right() - px(10), scroll.rect.y, px(10), scroll.rect.height};
    state.offset =
        static_cast<float>(scrollbar(*this, scroll.id, bar, static_cast<double>(state.offset),
                                     static_cast<double>(scroll.rect.height), static_cast<double>(content_height)));
  }
  state.offset = std::clamp(state.offset, 0.0F, most);
  draw().PopClipRect();
  ImGui::GetCurrentWindow()->ClipRect = ImRect(draw()._ClipRectStack.back());
}

double scrollbar(Ui& ui, std::uint32_t id, const Rect& rect, double top, double page, double total) {
  if (total <= page || page <= 0) return 0;
  const double most = total - page;
  const double thumb = std::max(static_cast<double>(ui.px(28)), static_cast<double>(rect.height) * page / total);
  const double travel = std::max(1.0, static_cast<double>(rect.height) - thumb);
  const ImRect box = to_imgui(rect);
  bool hovered = false;
  bool held = false;
  const ImGuiID bar_id = ImHashStr("scrollbar", 0, id);
  if (ImGui::ItemAdd(box, bar_id, nullptr, ImGuiItemFlags_NoNav)) {
    ImGui::ButtonBehavior(box, bar_id, &hovered, &held, ImGuiButtonFlags_NoNavFocus);
  }
  if (held) {
    const ImGuiIO& io = ImGui::GetIO();
    const double at = static_cast<double>(io.MousePos.y - rect.y);
    const double thumb_top = top / most * travel;
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      const bool on_thumb = at >= thumb_top && at <= thumb_top + thumb;
      storage.SetFloat(bar_id, static_cast<float>(on_thumb ? at - thumb_top : thumb / 2));
    }
    top = (at - static_cast<double>(storage.GetFloat(bar_id))) / travel * most;
  }
  top = std::clamp(top, 0.0, most);
  const float inset = ui.px(hovered || held ? 2 : 3);
  const auto thumb_y = rect.y + static_cast<float>(top / most * travel);
  ui.draw().AddRectFilled(ImVec2(rect.x + inset, thumb_y + ui.px(2)),
                          ImVec2(rect.right() - inset, thumb_y + static_cast<float>(thumb) - ui.px(2)),
                          with_alpha(ui.theme().muted, held      ? 0.8F
                                                       : hovered ? 0.6F
                                                                 : 0.35F),
                          rect.width);
  return top;
}

}  // namespace nns::widgets
