#include "ui/panels/hold_button.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace nns::panels {

namespace {
constexpr std::string_view kPause = "Pause run";
constexpr std::string_view kResume = "Resume run";
}  // namespace

bool draw_hold(widgets::Ui& ui, const widgets::Rect& place, bool is_held) {
  return widgets::button(ui, place, is_held ? kResume : kPause, widgets::ButtonStyle::Plain, std::nullopt, false,
                         is_held ? "The program goes on (Alt+P)"
                                 : "The program stands still, and what it has made can be looked at (Alt+P)");
}

float hold_width(const widgets::Ui& ui) {
  return std::max(widgets::button_width(ui, kPause, false), widgets::button_width(ui, kResume, false));
}

}  // namespace nns::panels
