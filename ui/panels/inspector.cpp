#include "ui/panels/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ui/model/format.h"
#include "ui/panels/hooks_panel.h"
#include "ui/panels/registries_panel.h"
#include "ui/panels/row_look.h"
#include "ui/panels/safety_panel.h"
#include "ui/panels/summary_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/tabs.h"

namespace nns::panels {

using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

/// The tabs that say something about the chosen row.
std::vector<InspectorTab> tabs_of(const InspectorModel& model) {
  std::vector<InspectorTab> tabs;
  if (model.editor != nullptr) tabs.push_back(InspectorTab::Source);
  tabs.push_back(InspectorTab::Summary);
  if (model.row == UINT32_MAX) return tabs;
  if (model.call != nullptr) tabs.push_back(InspectorTab::Call);
  if (model.capture != nullptr) tabs.push_back(InspectorTab::Capture);
  tabs.push_back(InspectorTab::Map);
  tabs.push_back(InspectorTab::Statistics);
  const live::RowKind kind = model.document->kind(model.row);
  const bool is_tensor = model.document->tensor(model.row) != live::kNone;
  if (is_tensor) {
    tabs.push_back(InspectorTab::Tensor);
  } else {
    tabs.push_back(InspectorTab::Registries);
    if (kind == live::RowKind::Module) tabs.push_back(InspectorTab::Hooks);
    if (model.object != nullptr && !model.object->repr.empty()) tabs.push_back(InspectorTab::Repr);
  }
  tabs.push_back(InspectorTab::Safety);
  return tabs;
}

widgets::TabSpec spec_of(Ui& ui, const InspectorModel& model, InspectorTab tab) {
  widgets::TabSpec spec;
  switch (tab) {
    case InspectorTab::Summary:
      spec.label = "Summary";
      break;
    case InspectorTab::Map:
      spec.label = "Map";
      break;
    case InspectorTab::Statistics:
      spec.label = "Statistics";
      break;
    case InspectorTab::Registries:
      spec.label = model.document->kind(model.row) == live::RowKind::Module ? "Registries" : "Entries";
      break;
    case InspectorTab::Hooks:
      spec.label = "Hooks";
      if (model.object != nullptr && model.object->hook_count > 0) {
        spec.badge = model::thousands(model.object->hook_count);
        spec.badge_colour = ui.theme().hook;
      }
      break;
    case InspectorTab::Tensor:
      spec.label = "Tensor";
      break;
    case InspectorTab::Source:
      spec.label = "Source";
      break;
    case InspectorTab::Call:
      spec.label = "Call";
      break;
    case InspectorTab::Capture:
      spec.label = model.capture->of == CaptureOf::Package ? "Program" : "Capture";
      break;
    case InspectorTab::Repr:
      spec.label = "Repr";
      break;
    case InspectorTab::Safety:
      spec.label = "Safety";
      if (model.summary != nullptr) {
        const std::uint64_t bad = model.summary->safety.dangerous + model.summary->safety.unknown;
        if (bad > 0) spec.badge = model::thousands(bad);
        spec.badge_colour = model.summary->safety.dangerous > 0 ? ui.theme().danger : ui.theme().warning;
      }
      break;
  }
  return spec;
}

/// The path; each name in it that is not the last one leads to what it names.
std::optional<std::uint32_t> draw_path(Ui& ui, Rect line, const live::DocumentView& document, std::uint32_t row) {
  std::optional<std::uint32_t> pressed;
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = row; at != 0; at = document.parent(at)) chain.push_back(at);
  ImGui::PushID("path");
  // Where not all have room the nearest stand, behind a sign that there are more.
  const auto sign_of = [&](std::uint32_t at) -> std::string_view {
    return document.kind(at) == live::RowKind::Container ? "/" : ".";
  };
  constexpr std::string_view kMore = "\u2026 ";
  float width = 0;
  for (const std::uint32_t at : chain)
    width += ui.text_width(Type::Heading, document.name(at)) + ui.text_width(Type::Heading, sign_of(at));
  std::size_t shown = chain.size();
  if (width > line.width) {
    float room = line.width - ui.text_width(Type::Heading, kMore);
    shown = 0;
    for (const std::uint32_t at : chain) {
      room -= ui.text_width(Type::Heading, document.name(at)) + ui.text_width(Type::Heading, sign_of(at));
      if (shown > 0 && room < 0) break;
      ++shown;
    }
    ui.paint_line(line.cut_left(ui.text_width(Type::Heading, kMore)), Type::Heading, ui.theme().muted, kMore);
  }
  for (std::size_t left = shown; left-- > 0;) {
    const std::uint32_t at = chain[left];
    const std::string name(document.name(at));
    const Rect place = line.cut_left(ui.text_width(Type::Heading, name));
    widgets::Interaction what;
    if (at != row && !name.empty()) {
      host::AccessNode node;
      node.role = host::Role::Link;
      node.name = document.path(at);
      ImGui::PushID(static_cast<int>(at));
      what = ui.control(ui.id("##name"), place, std::move(node));
      ImGui::PopID();
      if (what.clicked) pressed = at;
      if (what.focus_visible) ui.focus_ring(place, ui.px(3));
    }
    ui.paint_line(place, Type::Heading, what.hovered ? ui.theme().accent : ui.theme().text, name);
    if (at == row) break;
    const std::string_view sign = sign_of(at);
    ui.paint_line(line.cut_left(ui.text_width(Type::Heading, sign)), Type::Heading, ui.theme().muted, sign);
  }
  ImGui::PopID();
  return pressed;
}

/// "Also decoder.weight +2", at the end of the line: a link to the next row that shows the same, and from there on to
/// all of them in turn. Takes its place from `line`.
std::optional<std::uint32_t> draw_also_at(Ui& ui, Rect& line, const InspectorModel& model) {
  if (model.also_at.empty()) return std::nullopt;
  const live::DocumentView& document = *model.document;
  const auto after = std::upper_bound(model.also_at.begin(), model.also_at.end(), model.row);
  const std::uint32_t next = after == model.also_at.end() ? model.also_at.front() : *after;
  std::string text = fmt::format("Also {}", document.path(next));
  if (model.also_at.size() > 1) text += fmt::format("  +{}", model::thousands(model.also_at.size() - 1));
  constexpr std::size_t kMostNames = 12;
  std::string tip =
      document.tensor(model.row) != live::kNone ? "The same storage is shown at" : "The same object is shown at";
  for (std::size_t at = 0; at < std::min(kMostNames, model.also_at.size()); ++at)
    tip.append("\n").append(document.path(model.also_at[at]));
  if (model.also_at.size() > kMostNames) tip += fmt::format("\nand {} more", model.also_at.size() - kMostNames);
  const Rect place = line.cut_right(std::min(ui.text_width(Type::Small, text), line.width * 0.6F));
  line.cut_right(ui.px(12));
  host::AccessNode node;
  node.role = host::Role::Link;
  node.name = text;
  node.description = tip;
  const widgets::Interaction what = ui.control(ui.id("##also"), place, std::move(node));
  if (what.focus_visible) ui.focus_ring(place, ui.px(3));
  ui.paint_line(place, Type::Small, what.hovered ? ui.theme().text : ui.theme().accent, text);
  ui.tooltip_at(place, tip);
  return what.clicked ? std::optional(next) : std::nullopt;
}

std::optional<Intent> draw_header(Ui& ui, Rect area, const InspectorModel& model, InspectorState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const live::DocumentView& document = *model.document;
  const live::RowKind kind = document.kind(model.row);
  area = area.inset(ui.px(20), ui.px(10));
  Rect first = area.cut_top(ui.px(24));
  std::string path = document.path(model.row);
  if (path.empty()) path = document.title();
  ImGui::PushID("header");
  const char* toggle = state.is_alone ? "Show the tree" : "Hide the tree";
  if (widgets::icon_button(ui, first.cut_right(ui.px(28)), Icon::SideBar, toggle, "Ctrl+B")) {
    intent = RunCommand{model.toggle_tree};
  }
  if (std::exchange(state.focus_tree_toggle, false)) ui.access().focus(ui.id(toggle), true);
  if (widgets::icon_button(ui, first.cut_right(ui.px(28)), Icon::Copy, "Copy the path", "Ctrl+C")) {
    intent = CopyText{path, "Path"};
  }
  ImGui::PopID();
  first.cut_right(ui.px(8));
  paint_icon(ui, kind_icon(kind), first.cut_left(ui.px(20)), kind_colour(theme, kind), 16);
  first.cut_left(ui.px(4));
  host::AccessNode node;
  node.role = host::Role::Heading;
  node.name = path;
  node.level = 1;
  ui.describe(ui.id("##path"), first, std::move(node));
  if (model.row == 0) {
    if (ui.paint_line(first, Type::Heading, theme.text, path)) ui.tooltip_at(first, path);
  } else {
    if (ui.text_width(Type::Heading, path) > first.width) ui.tooltip_at(first, path);
    if (const auto above = draw_path(ui, first, document, model.row)) intent = SelectRow{*above};
  }
  std::string line = kind_text(kind);
  const std::uint32_t tensor = document.tensor(model.row);
  if (tensor != live::kNone) {
    line += "   " + type_text(document, model.row);
  } else if (model.object != nullptr && !model.object->class_name.empty()) {
    line += fmt::format("   {}{}", model.object->is_class_inferred ? "\xE2\x89\x88 " : "", model.object->class_name);
    if (model.object->is_module && !model.object->inferred) line += model.object->training ? "   training" : "   eval";
  } else {
    line += "   " + type_text(document, model.row);
  }
  Rect second = area.cut_top(ui.px(20));
  second.cut_left(ui.px(24));
  if (const auto other = draw_also_at(ui, second, model)) intent = SelectRow{*other};
  if (ui.paint_line(second, Type::Small, theme.muted, line)) ui.tooltip_at(second, line);
  host::AccessNode about;
  about.role = host::Role::Text;
  about.name = line;
  ui.describe(ui.id("##about"), second, std::move(about));
  return intent;
}

void draw_waiting(Ui& ui, const Rect& area, std::string_view words) {
  Flow flow(ui, area.inset(ui.px(20), ui.px(8)));
  flow.paragraph(words, Type::Body, true);
}

void draw_repr(Ui& ui, const Rect& area, const InspectorModel& model, InspectorState& state) {
  if (model.object == nullptr) return draw_waiting(ui, area, "Asking for the object\xE2\x80\xA6");
  if (state.repr != model.object->repr) state.repr = model.object->repr;
  widgets::code_view(ui, area.inset(ui.px(20), ui.px(8)), "Repr", state.repr);
}

}  // namespace

std::optional<Intent> draw_inspector(Ui& ui, Rect area, const InspectorModel& model, InspectorState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("inspector"), area, host::Role::Region,
                state.is_beside ? fmt::format("Inspector of {}", model.document->title()) : "Inspector");
  widgets::draw_plate(ui, area, ui.theme().surface);
  if (model.row != UINT32_MAX) keep(draw_header(ui, area.cut_top(ui.px(64)), model, state));

  const std::vector<InspectorTab> shown = tabs_of(model);
  std::vector<widgets::TabSpec> specs;
  std::size_t chosen = 0;
  for (std::size_t index = 0; index < shown.size(); ++index) {
    specs.push_back(spec_of(ui, model, shown[index]));
    if (shown[index] == model.tab) chosen = index;
  }
  Rect bar = area.cut_top(ui.px(40)).inset(ui.px(8), 0);
  const widgets::TabsResult pressed = widgets::tabs(ui, bar, "Inspector tabs", specs, chosen);
  if (pressed.chosen) intent = ChooseTab{shown[*pressed.chosen]};
  area.cut_top(ui.px(4));

  ui.open_group(ui.id("##panel"), area, host::Role::TabPanel, specs[chosen].label);
  switch (shown[chosen]) {
    case InspectorTab::Summary:
      if (model.summary != nullptr) draw_summary_panel(ui, area, *model.summary, state.summary, model.row != 0);
      break;
    case InspectorTab::Map:
      keep(draw_map_panel(ui, area, model.map, state.map));
      break;
    case InspectorTab::Statistics:
      keep(draw_statistics_panel(ui, area, model.statistics, state.statistics));
      break;
    case InspectorTab::Registries:
      if (model.object == nullptr) {
        draw_waiting(ui, area, "Asking for the object\xE2\x80\xA6");
      } else {
        keep(draw_registries_panel(ui, area, *model.object, state.registries, state.registry_line));
      }
      break;
    case InspectorTab::Hooks:
      if (model.object == nullptr) {
        draw_waiting(ui, area, "Asking for the object\xE2\x80\xA6");
      } else {
        keep(draw_hooks_panel(ui, area, *model.object, state.hooks, state.hook_line));
      }
      break;
    case InspectorTab::Tensor:
      keep(draw_tensor_panel(ui, area, model.tensor, state.tensor));
      break;
    case InspectorTab::Source:
      keep(draw_editor_panel(ui, area, *model.editor, *model.editor_state));
      break;
    case InspectorTab::Call:
      keep(draw_call_panel(ui, area, *model.call, *model.call_state));
      break;
    case InspectorTab::Capture:
      keep(draw_capture_panel(ui, area, *model.capture, *model.capture_state));
      break;
    case InspectorTab::Repr:
      draw_repr(ui, area, model, state);
      break;
    case InspectorTab::Safety:
      if (model.summary != nullptr) {
        keep(draw_safety_panel(ui, area, model.summary->safety, state.safety, state.safety_line));
      }
      break;
  }
  ui.close_group();
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
