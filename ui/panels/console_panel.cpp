#include "ui/panels/console_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/panels/hold_button.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::OutputKind;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr float kRow = 18;  // design units

widgets::Colour colour_of(const widgets::Theme& theme, OutputKind kind) {
  switch (kind) {
    case OutputKind::Out:
      return theme.text;
    case OutputKind::Error:
      return theme.danger;
    case OutputKind::Typed:
      return theme.accent;
  }
  return theme.text;
}

void draw_lines(Ui& ui, Rect area, const std::vector<model::ConsoleLine>& lines, ConsolePanelState& state) {
  area = area.inset(ui.px(12), 0);
  const float letter = std::max(1.0F, ui.text_width(Type::CodeSmall, "MMMMMMMMMM") / 10);
  const float bar = ui.px(16);
  state.columns = static_cast<std::uint32_t>(std::max(8.0F, std::floor((area.width - bar) / letter)));
  const double page = static_cast<double>(area.height) / static_cast<double>(ui.px(kRow));
  const double last = std::max(0.0, static_cast<double>(lines.size()) - page);
  if (state.follows_end) state.list.top = last;
  widgets::RowListSpec spec;
  spec.name = "Output";
  spec.role = Role::List;
  spec.row_height = kRow;
  spec.count = static_cast<std::uint32_t>(lines.size());
  spec.cursor = state.line;
  spec.begins_at_end = true;
  // The newest line is one control however many come.
  constexpr std::uint32_t kNewest = UINT32_MAX - 1;
  const bool has_choice = state.line != UINT32_MAX;
  spec.key = [has_choice, count = spec.count](std::uint32_t index) {
    return !has_choice && index + 1 == count ? kNewest : index;
  };
  widgets::RowList list(ui, state.list, area, std::move(spec));
  if (list.moved_to()) state.line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::ConsoleLine& line = lines[index];
    AccessNode node;
    node.role = Role::ListItem;
    node.name = line.text;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    ui.paint_line(row, Type::CodeSmall, colour_of(ui.theme(), line.kind), line.text);
    list.close_row();
    if (events.clicked) state.line = index;
  }
  state.follows_end = state.list.top >= last - 0.5;
}

// What stands in the field, in the place of what was typed.
void put(ConsolePanelState& state, std::string text) {
  state.typed = std::move(text);
  state.typed_changed = true;
}

void walk_history(ConsolePanelState& state, int step) {
  const std::size_t at = state.in_history;
  if (step < 0 ? at == 0 : at >= state.history.size()) return;
  state.in_history = step < 0 ? at - 1 : at + 1;
  put(state, state.in_history < state.history.size() ? state.history[state.in_history] : std::string());
}

std::optional<Intent> draw_field(Ui& ui, Rect area, const ConsolePanelModel& model, ConsolePanelState& state) {
  std::optional<Intent> intent;
  if (model.is_running) {
    constexpr std::string_view kStop = "Stop";
    const Rect place = area.cut_right(widgets::button_width(ui, kStop, true));
    area.cut_right(ui.px(8));
    if (widgets::button(ui, place, kStop, widgets::ButtonStyle::Plain, Icon::Close)) intent = StopProgram{};
    if (draw_hold(ui, area.cut_right(hold_width(ui)), model.is_held)) intent = HoldProgram{!model.is_held};
    area.cut_right(ui.px(8));
  }
  widgets::TextFieldSpec spec;
  spec.name = "Python";
  spec.placeholder = model.is_held      ? "The program is paused"
                     : model.is_running ? "The program is running"
                                        : "Type Python: the value of an expression is shown";
  spec.take_focus = std::exchange(state.take_focus, false);
  spec.changed = std::exchange(state.typed_changed, false);
  spec.type = Type::Code;
  const widgets::TextFieldResult typed = widgets::text_field(ui, area, state.typed, spec);
  if (typed.changed) state.in_history = state.history.size();
  if (!typed.is_active && !typed.entered) return intent;
  if (typed.entered && !model.is_running && state.typed.find_first_not_of(" \t\n") != std::string::npos) {
    if (state.history.empty() || state.history.back() != state.typed) state.history.push_back(state.typed);
    state.in_history = state.history.size();
    state.follows_end = true;
    state.take_focus = true;
    intent = RunText{state.typed};
    put(state, {});
  } else if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) {
    walk_history(state, -1);
  } else if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) {
    walk_history(state, 1);
  } else if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Space)) {
    intent = CompleteText{state.typed};
  }
  return intent;
}

}  // namespace

std::optional<Intent> draw_console_panel(Ui& ui, Rect area, const ConsolePanelModel& model, ConsolePanelState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  ui.open_group(ui.id("console"), area, Role::Region, "Console");
  widgets::draw_plate(ui, area, theme.surface);
  Rect head = area.cut_top(ui.px(32)).inset(ui.px(12), 0);
  ImGui::PushID("console head");
  if (widgets::icon_button(ui, head.cut_right(ui.px(28)).middle(ui.px(28)), Icon::Copy, "Copy the output", "")) {
    intent = CopyConsole{};
  }
  ImGui::PopID();
  constexpr std::string_view kStudio = "Studio";
  if (widgets::button(ui, head.cut_right(widgets::button_width(ui, kStudio, true)).middle(ui.px(26)), kStudio,
                      widgets::ButtonStyle::Ghost, Icon::Layers, false,
                      "Step through the program, forward and back (Alt+T)")) {
    intent = StudioAsk{StudioAsk::What::Show};
  }
  ui.paint_line(head, Type::SmallStrong, theme.muted,
                model.is_held      ? "Console \xC2\xB7 paused"
                : model.is_running ? "Console \xC2\xB7 running"
                                   : "Console");
  Rect field = area.cut_bottom(ui.px(44)).inset(ui.px(12), ui.px(6));
  if (model.completions != nullptr && !model.completions->empty()) {
    std::string names;
    for (const std::string& name : *model.completions) names.append(names.empty() ? "" : "   ").append(name);
    const Rect line = area.cut_bottom(ui.px(20)).inset(ui.px(12), 0);
    ui.paint_line(line, Type::CodeSmall, theme.muted, names);
    AccessNode node;
    node.role = Role::Status;
    node.name = fmt::format("{} completions: {}", model.completions->size(), names);
    ui.describe(ui.id("##completions"), line, std::move(node));
  }
  if (model.lines->empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(12), 0));
    flow.paragraph(model.is_running ? "Nothing was written yet." : "The program wrote nothing.", Type::Small, true);
  } else {
    draw_lines(ui, area, *model.lines, state);
  }
  if (auto asked = draw_field(ui, field, model, state)) intent = std::move(asked);
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
