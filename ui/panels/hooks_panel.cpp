#include "ui/panels/hooks_panel.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

/// One row of the panel: a dictionary's head, or one of its hooks.
struct Line {
  const model::HookList* list = nullptr;
  const model::HookLine* hook = nullptr;
};

std::vector<Line> lines_of(const model::ObjectView& object) {
  std::vector<Line> lines;
  for (const model::HookList& list : object.hooks) {
    lines.push_back({&list, nullptr});
    for (const model::HookLine& hook : list.hooks) lines.push_back({&list, &hook});
  }
  return lines;
}

void draw_hook(Ui& ui, Rect row, const model::HookLine& hook) {
  const widgets::Theme& theme = ui.theme();
  row.cut_left(ui.px(16));
  row.cut_right(ui.px(12));
  const bool has_chips = row.width >= ui.px(460);
  ui.paint_line(row.cut_left(ui.px(28)), Type::CodeSmall, theme.muted, std::to_string(hook.position), 1);
  row.cut_left(ui.px(8));
  paint_icon(ui, Icon::Hook, row.cut_left(ui.px(18)), theme.hook, 14);
  row.cut_left(ui.px(4));
  const std::string id = fmt::format("id {}", hook.id);
  const Rect number = row.cut_right(ui.px(72));
  ui.paint_line(number, Type::CodeSmall, theme.muted, id, 1);
  const Rect callable = row.cut_left(std::floor(row.width * (has_chips ? 0.42F : 0.5F)));
  if (ui.paint_line(callable, Type::Code, theme.text, hook.callable)) ui.tooltip_at(callable, hook.callable);
  row.cut_left(ui.px(12));
  // The kinds stand below one another; the chips, behind them, say what the kind's last words say.
  std::string_view kind = hook.kind;
  const auto chip = [&](const char* name, const char* words, const char* tip) {
    const Rect place = row.cut_right(widgets::chip_width(ui, name) + ui.px(8));
    widgets::paint_chip(ui, place.x, place, name, theme.hook);
    ui.tooltip_at(place, tip);
    if (kind.ends_with(words)) kind.remove_suffix(std::string_view(words).size());
  };
  if (hook.always_call && has_chips) chip("always_call", ", always called", "Runs even if forward raised");
  if (hook.with_kwargs && has_chips) chip("with_kwargs", ", with kwargs", "Gets the keyword arguments, too");
  if (ui.paint_line(row, Type::Small, theme.muted, kind)) ui.tooltip_at(row, hook.kind);
}

}  // namespace

std::optional<Intent> draw_hooks_panel(Ui& ui, const Rect& area, const model::ObjectView& object,
                                       widgets::RowListState& list_state, std::uint32_t& line) {
  const std::vector<Line> lines = lines_of(object);
  if (lines.empty()) {
    Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Hook, "No hooks here",
                     object.inferred
                         ? "A file of tensors holds no hooks: they live in the program that made it. Open the sample "
                           "with hooks from the start screen to see lists that have some."
                         : "Nothing was registered on this object. register_forward_hook, register_full_backward_hook "
                           "and their relatives would show here, in the order in which they fire.");
    return std::nullopt;
  }
  std::optional<Intent> intent;
  widgets::RowListSpec spec;
  spec.name = "Hooks in firing order";
  spec.role = Role::Table;
  spec.count = static_cast<std::uint32_t>(lines.size());
  spec.cursor = line;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, list_state, area, std::move(spec));
  if (list.moved_to()) line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const Line& shown = lines[index];
    AccessNode node;
    node.role = Role::Row;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    node.level = shown.hook == nullptr ? 1 : 2;
    const std::size_t count = shown.list->hooks.size();
    if (shown.hook == nullptr) {
      node.name = fmt::format("{}, {}", shown.list->dictionary, count == 1 ? "1 hook" : fmt::format("{} hooks", count));
    } else {
      node.name = fmt::format("{}: {}, {}, id {}", shown.hook->position, shown.hook->callable, shown.hook->kind,
                              shown.hook->id);
    }
    const std::string node_name = node.name;
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    if (shown.hook == nullptr) {
      list.cell(row, node_name);
      Rect head = row;
      head.cut_left(ui.px(20));
      head.cut_right(ui.px(12));
      ui.paint_line(head.cut_right(ui.px(72)), Type::Small, ui.theme().muted, model::thousands(count), 1);
      ui.paint_line(head, Type::Code, ui.theme().hook, shown.list->dictionary);
    } else {
      for (const std::string& text : {std::to_string(shown.hook->position), shown.hook->callable, shown.hook->kind,
                                      fmt::format("id {}", shown.hook->id)}) {
        list.cell(row, text);
      }
      draw_hook(ui, row, *shown.hook);
    }
    list.close_row();
    if (events.clicked) line = index;
    if (events.activated) intent = ChooseTab{InspectorTab::Registries};
  }
  return intent;
}

}  // namespace nns::panels
