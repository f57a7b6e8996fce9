// The hooks of a module of a training as they are now, with what passed through those that a viewer added.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ui/model/format.h"
#include "ui/panels/training_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::HookPoint;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using Act = TrainingAsk::What;

namespace {

struct Point {
  HookPoint point;
  std::string_view label;
  std::string_view about;
};
constexpr std::array<Point, 4> kPoints = {{
    {HookPoint::ForwardPre, "forward pre", "register_forward_pre_hook: before forward, with its inputs"},
    {HookPoint::Forward, "forward", "register_forward_hook: after forward, with inputs and output"},
    {HookPoint::FullBackwardPre, "backward pre", "register_full_backward_pre_hook: with the gradients of the outputs"},
    {HookPoint::FullBackward, "backward", "register_full_backward_hook: with the gradients of inputs and outputs"},
}};

/// A button for each kind of hook that can be added; those that do not fit stand in a second line.
std::optional<Intent> draw_additions(Ui& ui, Rect& area, const TrainingModel& model, const TrainingPanelState& state) {
  std::optional<Intent> intent;
  Rect row = area.cut_top(ui.px(30));
  constexpr std::string_view kTitle = "Add a hook:";
  ui.paint_line(row.cut_left(ui.text_width(Type::Small, kTitle) + ui.px(10)), Type::Small, ui.theme().muted, kTitle);
  for (const Point& point : kPoints) {
    const float width = widgets::button_width(ui, point.label, false);
    if (row.width < width) row = area.cut_top(ui.px(30));
    if (widgets::button(ui, row.cut_left(width).middle(ui.px(26)), point.label, widgets::ButtonStyle::Plain,
                        std::nullopt, !model.may_control || model.is_recording, point.about)) {
      TrainingAsk asked{Act::AddHook, model.training->document()};
      asked.module = state.module;
      asked.hook = static_cast<std::uint64_t>(point.point);
      intent = asked;
    }
    row.cut_left(ui.px(6));
  }
  area.cut_top(ui.px(6));
  return intent;
}

std::string calls_text(const live::wire::TrainingHook& hook) {
  if (hook.calls() == UINT64_MAX) return {};
  return fmt::format("{} {}", model::thousands(hook.calls()), hook.calls() == 1 ? "call" : "calls");
}

}  // namespace

std::optional<Intent> draw_training_hooks(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  const auto* modules = model.training->modules();
  if (modules == nullptr || state.module >= modules->path()->size()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Hook, "No modules yet", "Hooks are shown once the program has made a step with a model.");
    return std::nullopt;
  }
  std::optional<Intent> intent = draw_additions(ui, area, model, state);
  const std::string_view path = live::text_of(modules->path()->Get(state.module));
  std::vector<const live::wire::TrainingHook*> hooks;
  if (const auto* told = model.training->hooks()) {
    for (const live::wire::TrainingHook* hook : *told->hooks()) {
      if (hook->module_() == state.module) hooks.push_back(hook);
    }
  }
  if (hooks.empty()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Hook, fmt::format("{} has no hooks", path.empty() ? "The model" : path),
                     model.is_recording   ? "Nothing of them is in the recording up to here."
                     : !model.may_control ? "Who watches with the control token may add one."
                                          : "Add one above: it notes what passes and changes nothing.");
    return intent;
  }
  const std::string name = fmt::format("Hooks of {}", path.empty() ? "the model" : path);
  widgets::RowListSpec spec;
  spec.name = name;
  spec.role = Role::List;
  spec.count = static_cast<std::uint32_t>(hooks.size());
  spec.cursor = std::min(state.hook_line, spec.count - 1);
  spec.row_height = 28;
  spec.key = [&hooks](std::uint32_t index) { return hooks[index]->id(); };
  widgets::RowList list(ui, state.hook_list, area, std::move(spec));
  if (list.moved_to()) state.hook_line = *list.moved_to();
  const auto remove = [&](const live::wire::TrainingHook& hook) {
    TrainingAsk asked{Act::RemoveHook, model.training->document()};
    asked.module = state.module;
    asked.hook = hook.id();
    intent = asked;
  };
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const live::wire::TrainingHook& hook = *hooks[index];
    const std::string calls = calls_text(hook);
    const std::string_view seen = live::text_of(hook.seen());
    AccessNode node;
    node.role = Role::ListItem;
    node.name = fmt::format("{} {}, {}{}{}{}{}", live::text_of(hook.kind()), hook.id(), live::text_of(hook.callable()),
                            calls.empty() ? "" : ", ", calls, seen.empty() ? "" : ", ", seen);
    if (hook.is_added()) node.description = "Delete removes it";
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(hooks.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row = row.inset(ui.px(8), 0);
    if (hook.is_added() && model.may_control && !model.is_recording) {
      ImGui::PushID(static_cast<int>(index));
      if (widgets::icon_button(ui, row.cut_right(ui.px(24)).middle(ui.px(24)), Icon::Close,
                               fmt::format("Remove hook {}", hook.id()))) {
        remove(hook);
      }
      ImGui::PopID();
    }
    row.cut_right(ui.px(8));
    paint_icon(ui, Icon::Hook, row.cut_left(ui.px(18)), ui.theme().hook, 14);
    row.cut_left(ui.px(6));
    ui.paint_line(row.cut_right(std::min(row.width * 0.3F, ui.px(96))), Type::CodeSmall, ui.theme().muted, calls, 1);
    const float kind = std::min(row.width * 0.35F, ui.px(190));
    ui.paint_line(row.cut_left(kind), Type::Body, ui.theme().text, live::text_of(hook.kind()));
    row.cut_left(ui.px(8));
    const std::string words = seen.empty() ? std::string(live::text_of(hook.callable()))
                                           : fmt::format("{}  {}", live::text_of(hook.callable()), seen);
    if (ui.paint_line(row, Type::CodeSmall, ui.theme().muted, words)) ui.tooltip_at(row, words);
    list.close_row();
    if (events.clicked) state.hook_line = index;
  }
  if (state.hook_line < hooks.size() && hooks[state.hook_line]->is_added() && list.has_focus() &&
      ui.take_key(ImGuiKey_Delete, ImGuiMod_None, false)) {
    remove(*hooks[state.hook_line]);
  }
  return intent;
}

}  // namespace nns::panels
