#include "ui/panels/studio_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/panels/rank_lanes.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/tabs.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using StudioWhat = StudioAsk::What;

namespace {

constexpr float kNarrow = 860;      // design units
constexpr float kOwnShare = 0.56F;  // of __dict__, whose names are long

std::optional<Intent> draw_keys(Ui& ui, const StudioPanelModel& model, StudioPanelState& state) {
  if (ui.is_typing()) return std::nullopt;
  if (ui.take_key(ImGuiKey_G, ImGuiMod_Ctrl)) {
    state.goto_shown = state.take_goto_focus = true;
    state.goto_event.clear();
  }
  // The letters are those of Python's debugger; large ones lead back.
  struct Key {
    char letter;
    StudioWhat what;
    bool back;
  };
  constexpr std::array kKeys = {
      Key{'.', StudioWhat::StepEvent, false}, Key{',', StudioWhat::StepEvent, true},
      Key{'s', StudioWhat::StepInto, false},  Key{'S', StudioWhat::StepInto, true},
      Key{'n', StudioWhat::StepOver, false},  Key{'N', StudioWhat::StepOver, true},
      Key{'r', StudioWhat::StepOut, false},   Key{'R', StudioWhat::StepOut, true},
      Key{'c', StudioWhat::Continue, false},  Key{'C', StudioWhat::Continue, true},
  };
  if (model.trace == nullptr || model.trace->events() == 0) return std::nullopt;
  for (const Key& key : kKeys) {
    if (ui.has_typed(key.letter) && ui.take_typed(key.letter)) return StudioAsk{key.what, key.back ? 1U : 0U};
  }
  return std::nullopt;
}

std::optional<Intent> draw_stack_rows(Ui& ui, const Rect& area, const StudioPanelModel& model,
                                      StudioPanelState& state) {
  const auto pressed = draw_studio_rows(ui, area, "Call stack and names", *model.stack, model.selected,
                                        state.stack_list, state.stack_line);
  if (!pressed) return std::nullopt;
  const model::StudioRow& row = (*model.stack)[*pressed];
  if (row.kind == model::StudioRow::Kind::Frame) return StudioAsk{StudioWhat::ShowFrame, row.frame};
  if (row.object != model::kNoObject) return StudioAsk{StudioWhat::SelectObject, row.object};
  return std::nullopt;
}

std::optional<Intent> draw_stack(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  const Rect head = area.cut_top(ui.px(28)).inset(ui.px(12), 0);
  ui.paint_line(head, Type::SmallStrong, ui.theme().muted, "Call stack and names");
  return draw_stack_rows(ui, area, model, state);
}

std::optional<Intent> draw_modules(Ui& ui, const Rect& area, const StudioPanelModel& model, StudioPanelState& state) {
  if (model.modules->empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Module, "No modules yet", "Those that a name of the program leads to stand here.");
    return std::nullopt;
  }
  const auto pressed = draw_studio_rows(ui, area, "Modules of this moment", *model.modules, model.selected,
                                        state.module_list, state.module_line);
  if (!pressed || (*model.modules)[*pressed].object == model::kNoObject) return std::nullopt;
  return StudioAsk{StudioWhat::SelectObject, (*model.modules)[*pressed].object};
}

std::optional<Intent> draw_replicas(Ui& ui, const Rect& area, const StudioPanelModel& model, StudioPanelState& state) {
  if (model.replicas->empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Module, "No replicas at this moment",
                     "DataParallel makes them for one forward: step into it where it has several devices "
                     "(nnscope: --virtual-devices 2).");
    return std::nullopt;
  }
  const auto pressed = draw_studio_rows(ui, area, "Replicas of this moment", *model.replicas, model.selected,
                                        state.replica_list, state.replica_line);
  if (!pressed || (*model.replicas)[*pressed].object == model::kNoObject) return std::nullopt;
  return StudioAsk{StudioWhat::SelectObject, (*model.replicas)[*pressed].object};
}

void draw_output_rows(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  const widgets::Theme& theme = ui.theme();
  if (model.output->empty()) {
    ui.paint_line(area.cut_top(ui.px(24)).inset(ui.px(12), 0), Type::Small, theme.muted, "Nothing was written yet.");
    return;
  }
  constexpr float kPanelRow = 18;
  const auto count = static_cast<std::uint32_t>(model.output->size());
  widgets::RowListSpec spec;
  spec.name = "Output";
  spec.role = Role::List;
  spec.row_height = kPanelRow;
  spec.count = count;
  spec.cursor = state.output_line;
  spec.begins_at_end = true;
  spec.key = [](std::uint32_t index) { return index; };
  const double page = static_cast<double>(area.height) / static_cast<double>(ui.px(kPanelRow));
  if (state.output_line == UINT32_MAX) state.output_list.top = std::max(0.0, count - page);
  widgets::RowList list(ui, state.output_list, area.inset(ui.px(12), 0), std::move(spec));
  if (list.moved_to()) state.output_line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    AccessNode node;
    node.role = Role::ListItem;
    node.name = (*model.output)[index];
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(count);
    Rect row;
    list.open_row(index, std::move(node), row);
    ui.paint_line(row, Type::CodeSmall, theme.text, (*model.output)[index]);
    list.close_row();
  }
}

void draw_output(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  ui.open_group(ui.id("output"), area, Role::Region, "Output up to here");
  const Rect head = area.cut_top(ui.px(24)).inset(ui.px(12), 0);
  ui.paint_line(head, Type::SmallStrong, ui.theme().muted, "Output up to here");
  draw_output_rows(ui, area, model, state);
  ui.close_group();
}

// `others`: what has no room of its own, and where nothing hides it stands among the tabs (StudioPart bits).
std::optional<Intent> draw_tabs(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state,
                                std::uint32_t others) {
  std::optional<Intent> intent;
  std::vector<StudioTab> shown;
  std::vector<widgets::TabSpec> specs;
  const auto add = [&](StudioTab tab, std::string_view label, std::string_view tip) {
    shown.push_back(tab);
    specs.push_back({std::string(label), {}, 0, std::string(tip), false});
  };
  if ((others & kStudioStack) != 0) add(StudioTab::Stack, "Stack", "The calls, and the names of the chosen one");
  if ((model.hides & kStudioObjects) == 0) {
    add(StudioTab::Objects, "Objects", "What the names lead to");
    add(StudioTab::Chosen, "Chosen object", "Its __dict__, registries and hooks");
    add(StudioTab::Lookup, "Lookup", "Where each attribute is found");
    add(StudioTab::Modules, "Modules", "The modules of this moment, as a tree");
    add(StudioTab::Replicas, "Replicas", "What the replicas of DataParallel share, copy and lose");
    if (model.ranks != nullptr) add(StudioTab::Ranks, "Ranks", "The newest step of every rank, as lanes");
  }
  if ((others & kStudioOutput) != 0) add(StudioTab::Output, "Output", "What was written up to here");
  if (shown.empty()) return std::nullopt;
  auto at = std::find(shown.begin(), shown.end(), state.tab);
  if (at == shown.end()) at = std::find(shown.begin(), shown.end(), StudioTab::Objects);
  if (at == shown.end()) at = shown.begin();
  state.tab = *at;
  const auto result = widgets::tabs(ui, area.cut_top(ui.px(36)), "Views of this moment", specs,
                                    static_cast<std::size_t>(at - shown.begin()));
  if (result.chosen) state.tab = shown[*result.chosen];
  if (state.tab == StudioTab::Stack) return draw_stack_rows(ui, area, model, state);
  if (state.tab == StudioTab::Output) {
    draw_output_rows(ui, area, model, state);
    return std::nullopt;
  }
  if (state.tab == StudioTab::Objects) return draw_studio_objects(ui, area, model, state);
  if (state.tab == StudioTab::Modules) return draw_modules(ui, area, model, state);
  if (state.tab == StudioTab::Replicas) return draw_replicas(ui, area, model, state);
  if (state.tab == StudioTab::Ranks && model.ranks != nullptr) {
    draw_rank_lanes(ui, area, *model.ranks);
    draw_studio_rows(ui, area, "Ranks and their buckets", state.rank_rows.of(*model.ranks), model::kNoObject,
                     state.rank_list, state.rank_line);
    return intent;
  }
  const bool is_lookup = state.tab == StudioTab::Lookup;
  const std::vector<model::StudioRow>& rows = is_lookup ? *model.lookup : *model.object;
  if (rows.empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Module,
                     is_lookup && !model.object->empty() ? "It is no instance of a class" : "No object is chosen",
                     is_lookup ? "Choose an instance in the call stack or in the drawing: its classes stand here in "
                                 "the order in which attributes are looked up."
                               : "Choose a name in the call stack or a box of the drawing: of a module this shows "
                                 "__dict__, the registries and the hooks, with the last change lit.");
    return intent;
  }
  // Of a module: __dict__ on the left, beside it the registries and hooks.
  const auto second = std::find_if(rows.begin() + 1, rows.end(), [](const model::StudioRow& row) {
    return row.kind == model::StudioRow::Kind::Section;
  });
  if (!is_lookup && second != rows.end()) {
    const std::vector<model::StudioRow> own(rows.begin(), second), registries(second, rows.end());
    const Rect left = area.cut_left(std::round(area.width * kOwnShare));
    const auto in_own =
        draw_studio_rows(ui, left, "Chosen object", own, model.selected, state.object_list, state.object_line);
    const auto in_registries = draw_studio_rows(ui, area, "Registries and hooks", registries, model.selected,
                                                state.registry_list, state.registry_line);
    const model::StudioRow* const row = in_own ? &own[*in_own] : in_registries ? &registries[*in_registries] : nullptr;
    if (row != nullptr && row->object != model::kNoObject) intent = StudioAsk{StudioWhat::SelectObject, row->object};
    return intent;
  }
  const auto pressed = draw_studio_rows(ui, area, is_lookup ? "Order of lookup" : "Chosen object", rows, model.selected,
                                        is_lookup ? state.lookup_list : state.object_list,
                                        is_lookup ? state.lookup_line : state.object_line);
  if (pressed && rows[*pressed].object != model::kNoObject)
    intent = StudioAsk{StudioWhat::SelectObject, rows[*pressed].object};
  return intent;
}

}  // namespace

std::optional<Intent> draw_studio_panel(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  std::optional<Intent> intent;
  state.source_focus.watch(ui.access());
  const widgets::Theme& theme = ui.theme();
  const auto take = [&intent](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  widgets::draw_plate(ui, area, theme.surface);
  ui.open_group(ui.id("studio"), area, Role::Region, "Studio");
  const auto shows = [&](StudioPart part) { return (model.hides & part) == 0; };
  if (shows(kStudioControls))
    take(draw_studio_bar(ui, area.cut_top(studio_bar_height(ui, area.width, model)), model, state));
  if (model.moment == nullptr) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    const bool has_recording = model.trace != nullptr;
    flow.empty_state(Icon::Layers, model.is_running || has_recording ? "Recording" : "Nothing is recorded yet",
                     model.is_running || has_recording
                         ? "The program runs; its first moments will be here at once."
                         : "Record runs the program once from its beginning and keeps all that happens: then step "
                           "through it forward and back, stop where a registry changes or a hook fires, and look at "
                           "every object as it was.");
    ui.close_group();
    return intent;
  }
  take(draw_keys(ui, model, state));
  const float gap = ui.px(1);
  const bool is_narrow = area.width < ui.px(kNarrow);
  Rect left = is_narrow ? area.cut_top(std::round(area.height * 0.42F)) : area.cut_left(std::round(area.width * 0.46F));
  const Rect line = is_narrow ? area.cut_top(gap) : area.cut_left(gap);
  ui.draw().AddRectFilled(ImVec2(line.x, line.y), ImVec2(line.right(), line.bottom()), theme.border);
  // Where there is little room, what else stands beside the source is chosen by a tab.
  std::uint32_t among_tabs = 0;
  if (is_narrow && left.height <= ui.px(240)) among_tabs |= kStudioOutput;
  if (is_narrow && area.height <= ui.px(380)) among_tabs |= kStudioStack;
  among_tabs &= ~model.hides;
  if (shows(kStudioOutput) && (among_tabs & kStudioOutput) == 0) {
    const Rect below = left.cut_bottom(std::round(left.height * 0.24F));
    const Rect between = left.cut_bottom(gap);
    ui.draw().AddRectFilled(ImVec2(between.x, between.y), ImVec2(between.right(), between.bottom()), theme.border);
    draw_output(ui, below, model, state);
  }
  take(draw_studio_source(ui, left, model, state));
  if (shows(kStudioStack) && (among_tabs & kStudioStack) == 0) {
    const bool has_more = shows(kStudioObjects) || among_tabs != 0;
    const Rect top = area.cut_top(has_more ? std::round(area.height * 0.38F) : area.height);
    const Rect between = area.cut_top(gap);
    ui.draw().AddRectFilled(ImVec2(between.x, between.y), ImVec2(between.right(), between.bottom()), theme.border);
    take(draw_stack(ui, top, model, state));
  }
  take(draw_tabs(ui, area, model, state, among_tabs));
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
