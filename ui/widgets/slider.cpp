#include "ui/widgets/slider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nns::widgets {

std::optional<std::uint64_t> index_slider(Ui& ui, const Rect& rect, std::string_view name, std::uint64_t value,
                                          std::uint64_t count, std::uint64_t first) {
  const Theme& theme = ui.theme();
  const std::uint64_t last = count - 1;
  const std::uint32_t id = ui.id(name);
  const auto asked = ui.access().take(id, host::AccessAction::Kind::SetValue);
  host::AccessNode node;
  node.role = host::Role::Slider;
  node.name = name;
  node.value = fmt::format("{}", value + first);
  node.minimum = static_cast<double>(first);
  node.maximum = static_cast<double>(last + first);
  node.now = static_cast<double>(value + first);
  const Interaction what = ui.control(id, rect, std::move(node));

  Rect track = rect;
  const float words = ui.px(8) + ui.text_width(Type::CodeSmall, fmt::format("{}", last + first));
  const Rect label = track.cut_right(std::min(words, track.width / 2));
  track = track.inset(ui.px(8), 0);
  double wanted = static_cast<double>(value);
  if (what.held && track.width > 0) {
    wanted = std::round(static_cast<double>((ImGui::GetIO().MousePos.x - track.x) / track.width) *
                        static_cast<double>(last));
  }
  if (asked) wanted = std::round(asked->value) - static_cast<double>(first);
  if (what.focused && !ui.is_typing()) {
    const double page = std::max(1.0, std::floor(static_cast<double>(count) / 10));
    if (ui.take_key(ImGuiKey_LeftArrow) || ui.take_key(ImGuiKey_DownArrow)) wanted -= 1;
    if (ui.take_key(ImGuiKey_RightArrow) || ui.take_key(ImGuiKey_UpArrow)) wanted += 1;
    if (ui.take_key(ImGuiKey_PageDown)) wanted -= page;
    if (ui.take_key(ImGuiKey_PageUp)) wanted += page;
    if (ui.take_key(ImGuiKey_Home)) wanted = 0;
    if (ui.take_key(ImGuiKey_End)) wanted = static_cast<double>(last);
  }
  const auto chosen = static_cast<std::uint64_t>(std::clamp(wanted, 0.0, static_cast<double>(last)));

  const float middle = track.centre_y();
  const float at = track.x + (last == 0 ? 0 : static_cast<float>(value) / static_cast<float>(last)) * track.width;
  ui.draw().AddLine(ImVec2(track.x, middle), ImVec2(track.right(), middle), theme.track, ui.px(4));
  ui.draw().AddLine(ImVec2(track.x, middle), ImVec2(at, middle), theme.accent, ui.px(4));
  ui.draw().AddCircleFilled(ImVec2(at, middle), ui.px(what.hovered || what.held ? 8 : 7), theme.accent);
  ui.paint_line(label, Type::CodeSmall, theme.text, fmt::format("{}", value + first), 1);
  if (what.focus_visible) ui.focus_ring(rect, ui.px(6));
  if (chosen == value) return std::nullopt;
  return chosen;
}

}  // namespace nns::widgets
