#include "ui/panels/safety_panel.h"

#include <fmt/format.h>

#include <algorithm>
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

struct SafetyLook {
  Icon icon;
  widgets::Colour colour;
};

SafetyLook look_of(const widgets::Theme& theme, Verdict verdict) {
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

/// Where it is: what follows the offset is cut before that is.
void draw_place(Ui& ui, Rect place, const model::GlobalLine& global) {
  const Rect whole = place;
  const std::string_view text = global.place;
  const std::string_view offset = text.substr(0, global.offset_end);
  const float width = std::min(place.width, std::ceil(ui.text_width(Type::Small, offset)));
  bool is_cut = ui.paint_line(place.cut_left(width), Type::Small, ui.theme().muted, offset);
  const std::string_view rest = text.substr(offset.size());
  if (!rest.empty() && place.width > 0) is_cut |= ui.paint_line(place, Type::Small, ui.theme().muted, rest);
  if (is_cut) ui.tooltip_at(whole, global.place);
}

}  // namespace

std::optional<Intent> draw_safety_panel(Ui& ui, Rect area, const model::SafetySummary& safety,
                                        widgets::RowListState& list_state, std::uint32_t& line) {
  if (safety.lines.empty()) {
    Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Shield, safety.is_scanned ? "Safe" : "Nothing was pickled",
                     "This document names no Python globals, so there is nothing that loading it could run.");
    return std::nullopt;
  }
  const Verdict worst = safety.dangerous > 0 ? Verdict::Dangerous
                        : safety.unknown > 0 ? Verdict::Unknown
                                             : Verdict::Safe;
  const SafetyLook overall = look_of(ui.theme(), worst);
  const Rect head = area.inset(ui.px(20), 0);
  const Rect icon{head.x, head.y + ui.px(8), ui.px(24), ui.px(24)};
  paint_icon(ui, worst == Verdict::Safe ? Icon::Shield : overall.icon, icon, overall.colour, 20);
  Flow words(ui, {head.x + ui.px(32), head.y + ui.px(8), head.width - ui.px(32), 0});
  words.heading(safety.headline, Type::Strong);
  words.paragraph(
      "nnscope never runs a pickle: it reads which globals one would ask Python for, and what hides from a scan.",
      Type::Small, true);
  area.cut_top(words.height() + ui.px(20));

  std::optional<Intent> intent;
  widgets::RowListSpec spec;
  spec.name = "Globals that the pickles name";
  spec.role = Role::Table;
  spec.count = static_cast<std::uint32_t>(safety.lines.size());
  spec.cursor = line;
  // Where it is narrow the place has a line of its own.
  const bool is_narrow = area.width < ui.px(640);
  spec.row_height = is_narrow ? 48 : 28;
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
    if (is_narrow) row = row.inset(0, ui.px(4));
    const SafetyLook look = look_of(ui.theme(), global.verdict);
    Rect name = is_narrow ? row.cut_top(ui.px(20)) : row;
    paint_icon(ui, look.icon, name.cut_left(ui.px(20)), look.colour, 15);
    name.cut_left(ui.px(4));
    // The icon says the same where there is no room for the word.
    if (!is_narrow) ui.paint_line(name.cut_left(ui.px(84)), Type::Small, look.colour, global.verdict_text);
    Rect place = row;
    if (is_narrow) {
      place.cut_left(ui.px(24));
    } else {
      place = name;
      name = place.cut_left(std::floor(place.width * 0.55F));
      name.cut_right(ui.px(8));
    }
    if (ui.paint_line(name, Type::Code, ui.theme().text, global.name) || !global.why.empty())
      ui.tooltip_at(name, global.why.empty() ? global.name : fmt::format("{}: {}", global.name, global.why));
    draw_place(ui, place, global);
    list.close_row();
    if (events.clicked) line = index;
    if (events.activated) intent = ShowSearch{"class:" + global.name.substr(global.name.rfind('.') + 1)};
  }
  return intent;
}

}  // namespace nns::panels
