#include "ui/panels/toolbar.h"

#include <fmt/format.h>

#include <vector>

#include "ui/widgets/button.h"
#include "ui/widgets/tabs.h"

namespace nns::panels {

using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr float kToolbarLine = 48;  // design units
constexpr float kTabsLine = 40;
constexpr float kNarrowToolbar = 560;

bool has_two_lines(const Ui& ui, float width, std::size_t documents) {
  return documents > 1 && width < ui.px(kNarrowToolbar);
}

std::optional<Intent> draw_scale(Ui& ui, Rect area, const ToolbarModel& model) {
  std::optional<Intent> intent;
  ui.open_group(ui.id("scale"), area, host::Role::Group, "Scale of the interface");
  const float side = ui.px(28);
  if (widgets::icon_button(ui, area.cut_left(side), Icon::Minus, "Smaller", "Ctrl+\xE2\x88\x92"))
    intent = ChangeScale{-1};
  const Rect middle = area.cut_left(ui.px(44));
  host::AccessNode node;
  node.role = host::Role::Button;
  node.name = fmt::format("Scale {}%", model.scale_percent);
  node.description = "Back to 100%";
  const widgets::Interaction what = ui.control(ui.id("##percent"), middle, std::move(node));
  ui.paint_line(middle, Type::Small, what.hovered ? ui.theme().text : ui.theme().muted,
                fmt::format("{}%", model.scale_percent), 0.5F);
  if (what.focus_visible) ui.focus_ring(middle, ui.px(4));
  ui.tooltip(what, "Back to 100%   Ctrl+0");
  if (what.clicked) intent = ChangeScale{0};
  if (widgets::icon_button(ui, area.cut_left(side), Icon::Plus, "Larger", "Ctrl+=")) intent = ChangeScale{1};
  ui.close_group();
  return intent;
}

std::optional<Intent> draw_theme(Ui& ui, const Rect& area, ThemeChoice theme) {
  const ThemeChoice next = theme == ThemeChoice::System  ? ThemeChoice::Light
                           : theme == ThemeChoice::Light ? ThemeChoice::Dark
                                                         : ThemeChoice::System;
  const Icon icon = theme == ThemeChoice::System  ? Icon::Contrast
                    : theme == ThemeChoice::Light ? Icon::Sun
                                                  : Icon::Moon;
  const char* name = theme == ThemeChoice::System  ? "Theme: as the system"
                     : theme == ThemeChoice::Light ? "Theme: light"
                                                   : "Theme: dark";
  if (widgets::icon_button(ui, area, icon, name)) return SetTheme{next};
  return std::nullopt;
}

std::optional<Intent> draw_documents(Ui& ui, Rect area, const ToolbarModel& model) {
  const float side = ui.px(32);
  std::vector<widgets::TabSpec> specs;
  std::size_t chosen = SIZE_MAX;
  for (const ToolbarDocument& document : model.documents) {
    if (document.id == model.chosen) chosen = specs.size();
    widgets::TabSpec spec;
    spec.label = document.title;
    spec.tip = fmt::format("{} \xC2\xB7 {}", document.title, document.format);
    spec.closable = true;
    if (document.is_suspicious) {
      spec.badge = std::string(1, '!');
      spec.badge_colour = ui.theme().danger;
      spec.tip.append("\nNames dangerous globals: see Safety");
    }
    specs.push_back(std::move(spec));
  }
  std::optional<Intent> intent;
  Rect row = area;
  row.cut_right(side);
  const widgets::TabsResult result = widgets::tabs(ui, row, "Open documents", specs, chosen);
  const Rect plus{result.end, area.y, side, area.height};
  if (widgets::icon_button(ui, plus.middle(side), Icon::Plus, "Open another: samples, address", "Alt+H")) {
    intent = ChooseDocument{0};
  }
  if (result.chosen) intent = ChooseDocument{model.documents[*result.chosen].id};
  if (result.closed) intent = CloseDocument{model.documents[*result.closed].id};
  return intent;
}

}  // namespace

float toolbar_height(const Ui& ui, float width, std::size_t documents) {
  return ui.px(kToolbarLine + (has_two_lines(ui, width, documents) ? kTabsLine : 0));
}

std::optional<Intent> draw_toolbar(Ui& ui, Rect area, const ToolbarModel& model) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("toolbar"), area, host::Role::Banner, "Toolbar");
  const float side = ui.px(32);
  const bool is_narrow = area.width < ui.px(kNarrowToolbar);
  const bool is_double = has_two_lines(ui, area.width, model.documents.size());
  Rect tabs = area.inset(ui.px(8), 0);
  Rect row = is_double ? tabs.cut_top(ui.px(kToolbarLine)) : tabs;

  // Beside the tab of a document each pixel is its own.
  if (is_narrow && !is_double && !model.documents.empty()) {
    if (widgets::icon_button(ui, row.cut_left(side).middle(side), Icon::Folder, "Open", "Ctrl+O")) intent = OpenFile{};
    row.cut_left(ui.px(4));
  } else {
    const Rect open = row.cut_left(widgets::button_width(ui, "Open", true)).middle(side);
    if (widgets::button(ui, open, "Open", widgets::ButtonStyle::Plain, Icon::Folder, false, "Open a file   Ctrl+O")) {
      intent = OpenFile{};
    }
    row.cut_left(ui.px(8));
  }
  if (!is_narrow || is_double) {
    if (widgets::icon_button(ui, row.cut_left(side).middle(side), Icon::ArrowLeft, "Back", "Alt+Left",
                             !model.can_go_back)) {
      intent = GoBack{};
    }
    if (widgets::icon_button(ui, row.cut_left(side).middle(side), Icon::ArrowRight, "Forward", "Alt+Right",
                             !model.can_go_forward)) {
      intent = GoForward{};
    }
    row.cut_left(ui.px(8));
  }
  Rect right = row.cut_right(side);
  if (widgets::icon_button(ui, right.middle(side), Icon::Help, "Keys and help", "?")) intent = ShowKeys{true};
  if (model.can_compare &&
      widgets::icon_button(ui, row.cut_right(side).middle(side), Icon::Layers, "Compare with\xE2\x80\xA6", "Alt+C")) {
    intent = CompareWith{};
  }
  keep(draw_theme(ui, row.cut_right(side).middle(side), model.theme));
  if (widgets::icon_button(ui, row.cut_right(side).middle(side), Icon::Search, "Search", "Ctrl+F  or  /")) {
    intent = ShowSearch{};
  }
  if (!is_narrow) keep(draw_scale(ui, row.cut_right(ui.px(104)).middle(side), model));
  row.cut_right(ui.px(8));

  if (!model.documents.empty()) {
    keep(draw_documents(ui, is_double ? tabs : row, model));
  } else {
    ui.paint_line(row, Type::Heading, ui.theme().text, "nnscope");
  }
  ui.close_group();
  ui.draw().AddLine(ImVec2(area.x, area.bottom() - 1), ImVec2(area.right(), area.bottom() - 1), ui.theme().border);
  return intent;
}

}  // namespace nns::panels
