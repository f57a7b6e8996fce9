#include "ui/panels/call_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/model/format.h"
#include "ui/panels/paged_columns.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using model::CallColumn;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using What = CallAsk::What;

namespace {

namespace wire = live::wire;

constexpr float kNameWidth = 180;  // design units, at least
constexpr float kMargin = 20;
constexpr float kLow = 260;  // a panel that is lower keeps its room for rows
// In the order of model::CallColumn.
constexpr std::array<float, model::kCallColumns> kWidths = {132, 132, 88, 80, 80, 88, 80};

// Of a call without values there is no time.
struct Shown {
  std::array<CallColumn, model::kCallColumns> columns{};
  std::array<float, model::kCallColumns> widths{};
  std::size_t count = 0;
};
Shown shown_columns(bool with_values) {
  Shown shown;
  for (std::size_t i = 0; i < model::kCallColumns; ++i) {
    const auto column = static_cast<CallColumn>(i);
    if (column == CallColumn::Time && !with_values) continue;
    shown.columns[shown.count] = column;
    shown.widths[shown.count++] = kWidths[i];
  }
  return shown;
}

widgets::Colour bar_colour(const widgets::Theme& theme, CallColumn column) {
  switch (column) {
    case CallColumn::Flops:
      return theme.accent;
    case CallColumn::Time:
      return theme.event;
    case CallColumn::OutputBytes:
      return theme.module;
    default:
      return theme.parameter;
  }
}

std::optional<Intent> draw_fields(Ui& ui, Rect& area, const CallPanelModel& model, CallPanelState& state) {
  std::optional<Intent> intent;
  const bool is_calling = model.request != 0;
  const char* label = is_calling ? "Cancel" : "Call";
  Rect line = area.cut_top(ui.px(40)).inset(ui.px(kMargin), ui.px(3));
  Rect button = line.cut_right(widgets::button_width(ui, label, false));
  line.cut_right(ui.px(8));
  Rect module = line;
  Rect inputs = line;
  if (line.width < ui.px(420) && area.height > ui.px(kLow)) {
    inputs = area.cut_top(ui.px(40)).inset(ui.px(kMargin), ui.px(3));
  } else {
    inputs = line;
    module = inputs.cut_left(line.width * 0.4F);
    inputs.cut_left(ui.px(8));
  }
  widgets::TextFieldSpec spec;
  spec.name = "Module to call";
  spec.placeholder = "model";
  spec.type = Type::Code;
  spec.take_focus = std::exchange(state.take_focus, false);
  spec.changed = state.module_changed;
  const widgets::TextFieldResult named = widgets::text_field(ui, module, state.module, spec);
  if (named.changed) intent = CallAsk{What::EditModule};
  widgets::TextFieldSpec given;
  given.name = "Inputs";
  given.placeholder = "1,3,224,224; mask=None";
  given.type = Type::Code;
  given.changed = std::exchange(state.module_changed, false);
  const widgets::TextFieldResult typed = widgets::text_field(ui, inputs, state.inputs, given);
  ui.tooltip_at(inputs, "What it is called with: sizes of zeros (1,16:long), expressions, keywords; \";\" between two");
  const bool has_module = state.module.find_first_not_of(' ') != std::string::npos;
  ImGui::PushID("call");
  if (is_calling) {
    if (widgets::button(ui, button, label)) intent = CancelJob{model.request};
  } else {
    const bool cannot = model.is_running || !has_module;
    const std::string_view tip = model.is_running ? "The program is running" : "Enter in one of the fields";
    const bool is_pressed =
        widgets::button(ui, button, label, widgets::ButtonStyle::Primary, std::nullopt, cannot, tip);
    if (is_pressed || ((named.entered || typed.entered) && !cannot)) intent = CallAsk{What::Call};
  }
  ImGui::PopID();
  return intent;
}

void draw_status(Ui& ui, Rect line, const CallPanelModel& model, CallPanelState& state) {
  constexpr std::string_view kWithValues = "With values";
  const Rect place = line.cut_right(widgets::button_width(ui, kWithValues, false)).middle(ui.px(26));
  if (widgets::toggle(ui, "with values", place, kWithValues, kWithValues, state.with_values,
                      "Computes the call, so that times are known; without, shapes alone go through")) {
    state.with_values = !state.with_values;
  }
  line.cut_right(ui.px(12));
  const wire::CallSummary* const call = model.table->call();
  const bool has_failed = model.request == 0 && !model.error->empty();
  std::string words = has_failed           ? *model.error
                      : model.request != 0 ? "Calling\u2026"
                      : call == nullptr    ? std::string()
                                           : model::call_totals(*call);
  std::string more = words;
  if (!has_failed && model.request == 0 && call != nullptr && call->why()->size() != 0) {
    more = fmt::format("{}\nShapes alone did not do: {}", words, live::text_of(call->why()));
    words += " \u00B7 computed, because shapes alone did not do";
  }
  AccessNode node;
  node.role = Role::Status;
  node.name = words;
  ui.describe(ui.id("##totals"), line, std::move(node));
  const widgets::Colour ink = has_failed ? ui.theme().danger : ui.theme().muted;
  if (ui.paint_line(line, Type::Small, ink, words) || more != words) ui.tooltip_at(line, more);
}

void draw_heads(Ui& ui, Rect line, const Shown& shown, const PagedColumns& columns) {
  ui.open_group(ui.id("##heads"), line, Role::Group, "Columns");
  const auto head = [&](const Rect& place, std::string_view title, std::string_view about, float align) {
    AccessNode node;
    node.role = Role::Text;
    node.name = title;
    node.description = about;
    ui.describe(ui.id(title), place, std::move(node));
    ui.paint_line(place, Type::SmallStrong, ui.theme().muted, title, align);
    ui.tooltip_at(place, about);
  };
  Rect names = line.cut_left(columns.name);
  names.cut_left(ui.px(18));
  head(names, "Module", "Its name in the module above it, and its class", 0);
  for (std::size_t i = columns.first; i < columns.end; ++i) {
    const model::CallTitle& title = model::call_title(shown.columns[i]);
    head(line.cut_left(columns.widths[i]).inset(ui.px(6), 0), title.title, title.about, title.is_number ? 1.0F : 0.0F);
  }
  ui.close_group();
}

void draw_name(Ui& ui, Rect cell, const model::CallTable& table, const model::CallTable::Line& line) {
  const widgets::Theme& theme = ui.theme();
  const float most = cell.width / 2;
  cell.cut_left(std::min(ui.px(14) * static_cast<float>(line.depth), most));
  const Rect arrow = cell.cut_left(ui.px(18));
  if (line.is_expandable)
    paint_icon(ui, line.is_expanded ? Icon::ChevronDown : Icon::ChevronRight, arrow, theme.muted, 14);
  cell.cut_right(ui.px(8));
  const wire::CallSummary& call = *table.call();
  const wire::CallRow& row = *call.rows()->Get(line.row);
  const std::string_view name = line.row == 0 ? live::text_of(call.model()) : live::text_of(row.name());
  const std::string note = table.note(line.row);
  const float name_px = ui.text_width(Type::Body, name);
  if (ui.paint_line(cell, Type::Body, row.calls() == 0 && !note.empty() ? theme.muted : theme.text, name)) {
    ui.tooltip_at(cell, name);
  }
  // The class, and what is to be said of the row, where there is room.
  const auto add = [&](std::string_view text, Type type, widgets::Colour ink, float before) {
    if (text.empty() || cell.width < ui.px(40)) return;
    const float width = ui.text_width(type, text);
    if (ui.paint_line(cell, type, ink, text)) ui.tooltip_at(cell, text);
    cell.cut_left(width + before);
  };
  cell.cut_left(name_px + ui.px(8));
  add(live::text_of(row.class_name()), Type::Small, theme.muted, ui.px(8));
  add(note, Type::Small, theme.warning, 0);
}

// A thin bar below the number: its share of the whole call.
void draw_bar(Ui& ui, const Rect& cell, std::uint64_t part, std::uint64_t whole, widgets::Colour colour) {
  if (part == 0 || whole == 0) return;
  const auto share = static_cast<float>(std::min(1.0, static_cast<double>(part) / static_cast<double>(whole)));
  const float height = ui.px(2);
  const float top = cell.bottom() - ui.px(4);
  ui.draw().AddRectFilled(ImVec2(cell.x, top), ImVec2(cell.right(), top + height), ui.theme().track);
  const float width = std::max(ui.px(1), cell.width * share);
  ui.draw().AddRectFilled(ImVec2(cell.right() - width, top), ImVec2(cell.right(), top + height), colour);
}

std::string accessible_name(const model::CallTable& table, const model::CallTable::Line& line, const Shown& shown) {
  const wire::CallSummary& call = *table.call();
  const wire::CallRow& row = *call.rows()->Get(line.row);
  std::string name(line.row == 0 ? live::text_of(call.model()) : live::text_of(row.name()));
  name.append(", ").append(live::text_of(row.class_name()));
  for (std::size_t i = 0; i < shown.count; ++i) {
    const std::string text = model::call_text(row, shown.columns[i]);
    if (!text.empty()) name += fmt::format(", {} {}", model::call_title(shown.columns[i]).title, text);
  }
  if (const std::string note = table.note(line.row); !note.empty()) name.append(", ").append(note);
  return name;
}

std::optional<Intent> list_keys(Ui& ui, widgets::RowList& list, const model::CallTable& table, CallPanelState& state) {
  if (const auto expand = list.expand()) return CallAsk{expand->second ? What::Expand : What::Collapse, expand->first};
  if (state.line >= table.lines().size() || !list.has_focus()) return std::nullopt;
  const model::CallTable::Line& line = table.lines()[state.line];
  const auto choose = [&](std::uint32_t to) {
    state.line = to;
    state.list.reveal_cursor = true;
  };
  if (list.take_key(ImGuiKey_RightArrow)) {
    if (line.is_expandable && !line.is_expanded) return CallAsk{What::Expand, state.line};
    if (line.is_expanded) choose(state.line + 1);
  }
  if (list.take_key(ImGuiKey_LeftArrow)) {
    if (line.is_expanded) return CallAsk{What::Collapse, state.line};
    choose(table.parent_line(state.line));
  }
  if (list.take_key(ImGuiKey_Space) && line.is_expandable) {
    return CallAsk{line.is_expanded ? What::Collapse : What::Expand, state.line};
  }
  if (ui.take_typed('*')) return CallAsk{What::ExpandAll};
  return std::nullopt;
}

std::optional<Intent> draw_table(Ui& ui, Rect area, const CallPanelModel& model, CallPanelState& state,
                                 const Shown& shown, const PagedColumns& columns) {
  std::optional<Intent> intent;
  const model::CallTable& table = *model.table;
  const wire::CallSummary& call = *table.call();
  const wire::CallRow& whole = *call.rows()->Get(0);
  const auto inside = [&](Rect row) {
    row.cut_left(ui.px(kMargin - 12));
    row.width = columns.total();
    return row;
  };
  const auto lines = table.lines();
  if (area.height > ui.px(kLow / 2)) draw_heads(ui, inside(area.cut_top(ui.px(26))), shown, columns);
  widgets::RowListSpec spec;
  spec.name = "Modules of the call";
  spec.role = Role::Tree;
  spec.count = static_cast<std::uint32_t>(lines.size());
  if (state.line < lines.size()) spec.cursor = state.line;
  spec.key = [lines](std::uint32_t index) { return lines[index].row; };
  widgets::RowList list(ui, state.list, area, std::move(spec));
  if (list.moved_to()) state.line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::CallTable::Line& line = lines[index];
    const wire::CallRow& one = *call.rows()->Get(line.row);
    AccessNode node;
    node.role = Role::TreeItem;
    node.level = static_cast<std::int32_t>(line.depth + 1);
    node.name = accessible_name(table, line, shown);
    if (line.is_expandable) node.expanded = line.is_expanded ? 1 : 0;
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row = inside(row);
    const Rect name = row.cut_left(columns.name);
    draw_name(ui, name, table, line);
    for (std::size_t i = columns.first; i < columns.end; ++i) {
      const CallColumn column = shown.columns[i];
      const Rect cell = row.cut_left(columns.widths[i]).inset(ui.px(6), 0);
      const std::string text = model::call_text(one, column);
      const bool is_number = model::call_title(column).is_number;
      const bool is_cut = ui.paint_line(cell, Type::CodeSmall, ui.theme().text, text, is_number ? 1.0F : 0.0F);
      if (is_cut) ui.tooltip_at(cell, text);
      if (const auto part = model::call_number(one, column); part && one.same_as() == live::kNone) {
        draw_bar(ui, cell, *part, *model::call_number(whole, column), bar_colour(ui.theme(), column));
      }
    }
    list.close_row();
    if (events.clicked) {
      state.line = index;
      const bool is_at_arrow =
          line.is_expandable &&
          ImGui::GetIO().MousePos.x < name.x + ui.px(18) + ui.px(14) * static_cast<float>(line.depth);
      if (is_at_arrow) intent = CallAsk{line.is_expanded ? What::Collapse : What::Expand, index};
    }
    if (events.double_clicked || events.activated) intent = CallAsk{What::OpenRow, line.row};
  }
  if (auto asked = list_keys(ui, list, table, state)) intent = asked;
  return intent;
}

}  // namespace

std::optional<Intent> draw_call_panel(Ui& ui, Rect area, const CallPanelModel& model, CallPanelState& state) {
  std::optional<Intent> intent = draw_fields(ui, area, model, state);
  Rect status = area.cut_top(ui.px(32)).inset(ui.px(kMargin), 0);
  const wire::CallSummary* const call = model.table->call();
  if (call == nullptr) {
    draw_status(ui, status, model, state);
    if (model.request != 0) return intent;
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Layers, "See what one call does",
                     "Shapes, parameters, FLOPs and bytes of every module. Sizes are enough as inputs: nothing is "
                     "computed, and the program stays as it is.");
    return intent;
  }
  const Shown shown = shown_columns(call->with_values());
  const float width = area.width - ui.px(10 + 2 * kMargin - 12);
  const std::span<const float> widths(shown.widths.data(), shown.count);
  PagedColumns columns = page_columns(ui, width, kNameWidth, widths, state.first_column);
  if (draw_column_pager(ui, status, columns, state.first_column)) {
    columns = page_columns(ui, width, kNameWidth, widths, state.first_column);
  }
  draw_status(ui, status, model, state);
  area.cut_top(ui.px(4));
  if (auto asked = draw_table(ui, area, model, state, shown, columns)) intent = asked;
  return intent;
}

}  // namespace nns::panels
