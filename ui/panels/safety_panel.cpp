#include "ui/panels/safety_panel.h"

#include <fmt/format.h>

#include <cmath>

#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::Verdict;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

struct Look {
  Icon icon;
  widgets::Colour colour;
};

Look look_of(const widgets::Theme& theme, Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return {Icon::Check, theme.good};
    case Verdict::Unknown:
      return {Icon::Unknown, theme.warning};
    case Verdict::Dangerous:
      return {Icon::Danger, theme.danger};
  }
  return {Icon::Unknown, theme.warning};
}

}  // namespace

void draw_safety_panel(Ui& ui, Rect area, const model::SafetySummary& safety, widgets::RowListState& list_state,
                       std::uint32_t& line) {
  if (safety.lines.empty()) {
    Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Shield, safety.is_scanned ? "Safe" : "Nothing was pickled",
                     "This document names no Python globals, so there is nothing that loading it could run.");
    return;
  }
  const Verdict worst = safety.dangerous > 0 ? Verdict::Dangerous
                        : safety.unknown > 0 ? Verdict::Unknown
                                             : Verdict::Safe;
  const Look overall = look_of(ui.theme(), worst);
  const Rect head = area.inset(ui.px(20), 0);
  const Rect icon{head.x, head.y + ui.px(8), ui.px(24), ui.px(24)};
  paint_icon(ui, worst == Verdict::Safe ? Icon::Shield : overall.icon, icon, overall.colour, 20);
  Flow words(ui, {head.x + ui.px(32), head.y + ui.px(8), head.width - ui.px(32), 0});
  words.heading(safety.headline, Type::Strong);
  words.paragraph(
      "nnscope never runs a pickle: it reads which globals one would ask Python for, and what hides from a scan.",
      Type::Small, true);
  area.cut_top(words.height() + ui.px(20));

  widgets::RowListSpec spec;
  spec.name = "Globals that the pickles name";
  spec.role = Role::Table;
  spec.count = static_cast<std::uint32_t>(safety.lines.size());
  spec.cursor = line;
  spec.row_height = 28;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, list_state, area, std::move(spec));
  if (list.moved_to()) line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::GlobalLine& global = safety.lines[index];
    AccessNode node;
    node.role = Role::Row;
    node.name = fmt::format("{}, {}, {}", global.verdict_text, global.name, global.place);
    node.description = global.why;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(safety.lines.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    for (const std::string_view text :
         {std::string_view(global.verdict_text), std::string_view(global.name), std::string_view(global.place)}) {
      list.cell(row, text);
    }
    row.cut_left(ui.px(16));
    row.cut_right(ui.px(12));
    const Look look = look_of(ui.theme(), global.verdict);
    paint_icon(ui, look.icon, row.cut_left(ui.px(20)), look.colour, 15);
    row.cut_left(ui.px(4));
    // The icon says the same where there is no room for the word.
    if (row.width >= ui.px(340)) {
      ui.paint_line(row.cut_left(ui.px(84)), Type::Small, look.colour, global.verdict_text);
    }
    Rect name = row.cut_left(std::floor(row.width * 0.55F));
    name.cut_right(ui.px(8));
    if (ui.paint_line(name, Type::Code, ui.theme().text, global.name) || !global.why.empty())
      ui.tooltip_at(name, global.why.empty() ? global.name : fmt::format("{}: {}", global.name, global.why));
    if (ui.paint_line(row, Type::Small, ui.theme().muted, global.place)) ui.tooltip_at(row, global.place);
    list.close_row();
    if (events.clicked) line = index;
  }
}

}  // namespace nns::panels
