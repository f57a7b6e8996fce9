#include "ui/panels/comparison_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "ui/model/format.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using model::ComparisonModel;
using model::DiffColumn;
using model::DiffKind;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using ComparisonWhat = ComparisonAsk::What;

namespace {

/// The columns in the order of the screen. `turn`: the order in which they get room.
struct Column {
  enum Kind : std::uint8_t { Status, Name, Shape, Dtype, Number } kind;
  DiffColumn sort;
  float width;  // design units
  int turn;
};
constexpr std::size_t kColumns = 10;
constexpr std::array<Column, kColumns> kTable = {{{Column::Status, DiffColumn::Change, 88, 1},
                                                  {Column::Name, DiffColumn::Name, 0, 0},
                                                  {Column::Shape, DiffColumn::Name, 130, 4},
                                                  {Column::Dtype, DiffColumn::Name, 130, 8},
                                                  {Column::Number, DiffColumn::Size, 76, 9},
                                                  {Column::Number, DiffColumn::MaxAbs, 80, 3},
                                                  {Column::Number, DiffColumn::MeanAbs, 80, 7},
                                                  {Column::Number, DiffColumn::Relative, 80, 2},
                                                  {Column::Number, DiffColumn::Cosine, 84, 6},
                                                  {Column::Number, DiffColumn::Changed, 76, 5}}};

/// Widths in pixels; 0: not shown.
std::array<float, kColumns> columns_of(const Ui& ui, float width, bool has_values) {
  std::array<float, kColumns> widths{};
  const float name = width >= ui.px(640) ? 260 : 150;
  float rest = width - ui.px(8 + 12 + 10 + name);
  for (int turn = 1; turn < static_cast<int>(kColumns); ++turn) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      const bool is_value = kTable[i].kind == Column::Number && kTable[i].sort != DiffColumn::Size;
      if (kTable[i].turn != turn || (is_value && !has_values)) continue;
      if (rest < ui.px(kTable[i].width)) return widths;
      widths[i] = ui.px(kTable[i].width);
      rest -= widths[i];
    }
  }
  return widths;
}

/// The place of each column in a row.
std::array<Rect, kColumns> cut_cells(const Ui& ui, Rect row, const std::array<float, kColumns>& widths) {
  std::array<Rect, kColumns> cells{};
  row.cut_left(ui.px(12));
  row.cut_right(ui.px(8));
  cells[0] = row.cut_left(widths[0]);
  for (std::size_t i = kColumns; i-- > 2;) cells[i] = row.cut_right(widths[i]);
  cells[1] = row;
  return cells;
}

widgets::Colour colour_of(const widgets::Theme& theme, std::uint16_t kinds) {
  const auto is = [&](DiffKind kind) { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; };
  if (is(DiffKind::Added)) return theme.good;
  if (is(DiffKind::Removed)) return theme.danger;
  if (is(DiffKind::Equal) || kinds == 0) return theme.muted;
  return theme.warning;
}

std::optional<Intent> draw_titles(Ui& ui, Rect row, const ComparisonModel& rows) {
  std::optional<Intent> intent;
  row = row.inset(ui.px(12), 0);
  const Rect swap = row.cut_right(widgets::button_width(ui, "Swap", false)).middle(ui.px(28));
  if (widgets::button(ui, swap, "Swap", widgets::ButtonStyle::Ghost, std::nullopt, false,
                      "Compare the other way round")) {
    intent = ComparisonAsk{ComparisonWhat::Swap, 0, {}};
  }
  row.cut_right(ui.px(8));
  const std::string title = fmt::format("A {}  \xE2\x86\x92  B {}", rows.title_a(), rows.title_b());
  AccessNode node;
  node.role = Role::Heading;
  node.name = title;
  node.level = 1;
  ui.describe(ui.id("##title"), row, std::move(node));
  if (ui.text_width(Type::Strong, title) <= row.width) {
    ui.paint_line(row, Type::Strong, ui.theme().text, title);
    return intent;
  }
  // Each side is cut by itself, so that both are still told apart.
  Rect left = row.cut_left(row.width / 2);
  left.cut_right(ui.px(8));
  ui.paint_line(left, Type::Strong, ui.theme().text, "A " + rows.title_a());
  ui.paint_line(row, Type::Strong, ui.theme().text, "\xE2\x86\x92  B " + rows.title_b());
  ui.tooltip_at({left.x, left.y, row.right() - left.x, left.height}, title);
  return intent;
}

/// Buttons that turn kinds of rows on and off, in as many lines as they need.
std::optional<Intent> draw_kinds(Ui& ui, Rect& area, const ComparisonModel& rows) {
  std::optional<Intent> intent;
  const float height = ui.px(26);
  Rect group = area.inset(ui.px(12), 0);
  float x = group.x;
  float y = group.y;
  struct Pill {
    DiffKind kind;
    Rect rect;
    std::string label;
  };
  std::vector<Pill> pills;
  for (std::size_t i = 0; i < model::kDiffKinds; ++i) {
    const auto kind = static_cast<DiffKind>(i);
    if (rows.count(kind) == 0 && kind != DiffKind::Equal) continue;
    std::string label = fmt::format("{} {}", model::diff_kind_text(kind), model::thousands(rows.count(kind)));
    const float width = std::ceil(ui.text_width(Type::Small, label)) + ui.px(18);
    if (x > group.x && x + width > group.right()) {
      x = group.x;
      y += height + ui.px(4);
    }
    pills.push_back({kind, {x, y, width, height}, std::move(label)});
    x += width + ui.px(4);
  }
  const float used = y + height - group.y;
  group.height = used;
  ui.open_group(ui.id("##kinds"), group, Role::Group, "Show");
  for (const Pill& pill : pills) {
    const bool is_on = rows.shows(pill.kind);
    if (widgets::toggle(ui, model::diff_kind_text(pill.kind), pill.rect, pill.label, pill.label, is_on)) {
      intent = ComparisonAsk{ComparisonWhat::ToggleKind, static_cast<std::uint32_t>(pill.kind), {}};
    }
  }
  ui.close_group();
  area.cut_top(used + ui.px(6));
  return intent;
}

/// What is known of values: numbers, progress with a way to stop it, or a way to start.
std::optional<Intent> draw_values(Ui& ui, Rect row, const ComparisonPanelModel& model) {
  std::optional<Intent> intent;
  const live::ComparisonView& view = model.rows->view();
  row = row.inset(ui.px(12), 0);
  std::string text;
  if (model.is_running) {
    const Rect cancel = row.cut_right(widgets::button_width(ui, "Cancel", false)).middle(ui.px(28));
    if (model.job != nullptr && widgets::button(ui, cancel, "Cancel")) intent = CancelJob{model.job->request};
    row.cut_right(ui.px(12));
    const double at = model.job != nullptr && model.job->total > 0
                          ? static_cast<double>(model.job->done) / static_cast<double>(model.job->total)
                          : -1;
    widgets::progress_bar(ui, row.middle(ui.px(6)), "Comparing values", at);
    return intent;
  }
  const std::uint32_t known = static_cast<std::uint32_t>(view.all_values().size());
  if (view.bytes_left() > 0) {
    const bool is_begun = view.next_row() > 0;
    const std::string label =
        fmt::format("{} ({})", is_begun ? "Go on" : "Compare values", model::short_bytes(view.bytes_left()));
    const Rect place = row.cut_right(std::min(row.width, widgets::button_width(ui, label, false))).middle(ui.px(28));
    ImGui::PushID("values");
    if (widgets::button(ui, place, label, widgets::ButtonStyle::Primary, std::nullopt, false,
                        "Reads so much of both files together")) {
      intent = ComparisonAsk{ComparisonWhat::CompareValues, 0, {}};
    }
    ImGui::PopID();
    row.cut_right(ui.px(12));
    text = is_begun ? fmt::format("Values of {} tensors were compared", model::thousands(known))
                    : std::string("Values are not compared yet");
  } else if (known == 0) {
    text = "There are no values to compare";
  } else {
    text = fmt::format("Values: {} equal, {} different", model::thousands(view.count(live::ValueState::Equal)),
                       model::thousands(view.count(live::ValueState::Different)));
    if (const std::uint32_t unknown = view.count(live::ValueState::Unreadable); unknown > 0) {
      text += fmt::format(", {} that cannot be read", model::thousands(unknown));
    }
  }
  AccessNode node;
  node.role = Role::Status;
  node.name = text;
  ui.describe(ui.id("##values"), row, std::move(node));
  if (ui.paint_line(row, Type::Small, ui.theme().muted, text)) ui.tooltip_at(row, text);
  return intent;
}

void draw_note(Ui& ui, Rect& area, Icon icon, std::string_view id, const std::string& text) {
  Rect row = area.cut_top(ui.px(22)).inset(ui.px(12), 0);
  paint_icon(ui, icon, row.cut_left(ui.px(20)), ui.theme().event, 13);
  AccessNode node;
  node.role = Role::Text;
  node.name = text;
  ui.describe(ui.id(id), row, std::move(node));
  if (ui.paint_line(row, Type::Small, ui.theme().text, text)) ui.tooltip_at(row, text);
}

/// What is said once for both files: prefixes of names, and their metadata, of which the details tell more.
void draw_notes(Ui& ui, Rect& area, const ComparisonModel& rows) {
  if (const std::string counts = model::metadata_counts(rows.metadata()); !counts.empty())
    draw_note(ui, area, Icon::Info, "##metadata", fmt::format("Metadata of the files: {}", counts));
  const auto& prefixes = *rows.view().get().prefixes();
  constexpr std::uint32_t kMost = 2;
  for (std::uint32_t i = 0; i < std::min(prefixes.size(), kMost); ++i) {
    std::string text = model::prefix_text(*prefixes.Get(i));
    if (i + 1 == kMost && prefixes.size() > kMost) {
      text += fmt::format("; and {} more prefixes", prefixes.size() - kMost);
    }
    draw_note(ui, area, Icon::Link, fmt::format("##prefix{}", i), text);
  }
}

std::optional<Intent> draw_tools(Ui& ui, Rect row, const ComparisonModel& rows, ComparisonPanelState& state) {
  std::optional<Intent> intent;
  row = row.inset(ui.px(12), 0).middle(ui.px(32));
  const float views = widgets::segmented_width(ui, {"List", "Trees"});
  if (const auto chosen = widgets::segmented(ui, row.cut_left(views).middle(ui.px(28)), "View", {"List", "Trees"},
                                             rows.is_tree() ? 1 : 0)) {
    intent = ComparisonAsk{*chosen == 1 ? ComparisonWhat::ShowTrees : ComparisonWhat::ShowList, 0, {}};
  }
  row.cut_left(ui.px(8));
  const Rect sort = row.cut_right(widgets::button_width(ui, "Sort", false)).middle(ui.px(28));
  if (widgets::button(ui, sort, "Sort", widgets::ButtonStyle::Plain, std::nullopt, false,
                      rows.is_sorted_by(rows.sorted_by())
                          ? fmt::format("Sorted by {}", model::diff_column_text(rows.sorted_by()))
                          : std::string("In the order of the files"))) {
    intent = ComparisonAsk{ComparisonWhat::ChooseSort, 0, {}};
  }
  row.cut_right(ui.px(8));
  widgets::TextFieldSpec spec;
  spec.name = "Filter names";
  spec.placeholder = "Part of a name";
  spec.icon = Icon::Search;
  spec.role = Role::Searchbox;
  spec.take_focus = std::exchange(state.focus_filter, false);
  const widgets::TextFieldResult typed = widgets::text_field(ui, row, state.filter, spec);
  if (typed.changed) intent = ComparisonAsk{ComparisonWhat::SetFilter, 0, state.filter};
  if (typed.entered || (ImGui::IsKeyPressed(ImGuiKey_DownArrow) && ui.is_typing())) state.focus_list = true;
  return intent;
}

const char* column_title(const Column& column) {
  switch (column.kind) {
    case Column::Status:
      return "Status";
    case Column::Shape:
      return "Shape";
    case Column::Dtype:
      return "Dtype";
    default:
      return model::diff_column_text(column.sort);
  }
}

std::optional<Intent> draw_header(Ui& ui, const Rect& area, const ComparisonModel& rows,
                                  const std::array<float, kColumns>& widths) {
  std::optional<Intent> intent;
  ui.open_group(ui.id("##header"), area, Role::Group, "Columns");
  Rect row = area;
  row.cut_right(ui.px(10));
  const auto cells = cut_cells(ui, row, widths);
  for (std::size_t i = 0; i < kColumns; ++i) {
    const Column& column = kTable[i];
    if (cells[i].width <= 0) continue;
    const char* title = column_title(column);
    const float align = column.kind == Column::Number ? 1.0F : 0.0F;
    AccessNode node;
    if (column.kind == Column::Shape || column.kind == Column::Dtype) {
      node.role = Role::Text;
      node.name = title;
      ui.describe(ui.id(title), cells[i], std::move(node));
      ui.paint_line(cells[i], Type::Small, ui.theme().muted, title, align);
      continue;
    }
    const bool is_sorted = rows.is_sorted_by(column.sort);
    node.role = Role::Button;
    node.name = fmt::format("Sort by {}", model::diff_column_text(column.sort));
    node.checked = is_sorted ? 1 : 0;
    if (is_sorted) node.description = rows.is_ascending() ? "smallest first" : "largest first";
    const widgets::Interaction what = ui.control(ui.id(title), cells[i], std::move(node));
    std::string text = title;
    if (is_sorted) text += rows.is_ascending() ? " \xE2\x86\x91" : " \xE2\x86\x93";
    const widgets::Colour ink = is_sorted || what.hovered ? ui.theme().text : ui.theme().muted;
    ui.paint_line(cells[i], is_sorted ? Type::SmallStrong : Type::Small, ink, text, align);
    if (what.focus_visible) ui.focus_ring(cells[i], ui.px(4));
    if (what.clicked) intent = ComparisonAsk{ComparisonWhat::SortBy, static_cast<std::uint32_t>(column.sort), {}};
  }
  ui.close_group();
  return intent;
}

std::string cell_text(const ComparisonModel& rows, std::uint32_t row, const Column& column) {
  switch (column.kind) {
    case Column::Status:
      return rows.status(row);
    case Column::Name:
      return rows.label(row);
    case Column::Shape:
      return rows.shape_text(row);
    case Column::Dtype:
      return rows.dtype_text(row);
    default:
      return rows.number_text(row, column.sort);
  }
}

std::optional<Intent> tree_keys(widgets::RowList& list, const ComparisonModel& rows, std::uint32_t cursor) {
  if (!rows.is_tree() || cursor >= rows.lines().size()) return std::nullopt;
  const model::ComparisonLine& line = rows.lines()[cursor];
  if (list.take_key(ImGuiKey_RightArrow)) {
    if (line.expandable && !line.expanded) return ComparisonAsk{ComparisonWhat::ExpandLine, cursor, {}};
    if (line.expanded) return ComparisonAsk{ComparisonWhat::SelectLine, cursor + 1, {}};
  }
  if (list.take_key(ImGuiKey_LeftArrow)) {
    if (line.expanded) return ComparisonAsk{ComparisonWhat::CollapseLine, cursor, {}};
    if (const std::uint32_t parent = rows.parent_line(cursor); parent != ComparisonModel::kNoLine) {
      return ComparisonAsk{ComparisonWhat::SelectLine, parent, {}};
    }
  }
  if (list.take_key(ImGuiKey_Space) && line.expandable) {
    return ComparisonAsk{line.expanded ? ComparisonWhat::CollapseLine : ComparisonWhat::ExpandLine, cursor, {}};
  }
  return std::nullopt;
}

void draw_name(Ui& ui, Rect cell, const ComparisonModel& rows, const model::ComparisonLine& line,
               const std::string& text) {
  const widgets::Theme& theme = ui.theme();
  if (rows.is_tree()) {
    cell.cut_left(std::min(cell.width / 2, ui.px(14) * static_cast<float>(line.depth)));
    const Rect arrow = cell.cut_left(ui.px(18));
    if (line.expandable) paint_icon(ui, line.expanded ? Icon::ChevronDown : Icon::ChevronRight, arrow, theme.muted, 14);
    const std::uint32_t changes = rows.changes(line.row);
    if (changes > 0 && line.expandable) {
      const std::string chip = model::thousands(changes);
      const float width = widgets::chip_width(ui, chip);
      if (cell.width > width + ui.px(60)) {
        cell.cut_right(ui.px(10));  // to the next column
        widgets::paint_chip(ui, cell.right() - width, cell, chip, theme.warning);
        cell.cut_right(width);
      }
    }
  }
  cell.cut_right(ui.px(8));
  if (ui.paint_line(cell, Type::Body, theme.text, text)) ui.tooltip_at(cell, text);
}

std::optional<Intent> draw_rows(Ui& ui, const Rect& area, const ComparisonModel& rows, ComparisonPanelState& state,
                                const std::array<float, kColumns>& widths) {
  std::optional<Intent> intent;
  const auto& lines = rows.lines();
  const std::uint32_t cursor = rows.selected_line();
  widgets::RowListSpec spec;
  spec.name = rows.is_tree() ? "Both trees" : "Differences";
  spec.role = rows.is_tree() ? Role::Tree : Role::Table;
  spec.count = static_cast<std::uint32_t>(lines.size());
  spec.cursor = cursor;
  spec.key = [&lines](std::uint32_t index) { return lines[index].row; };
  widgets::RowList list(ui, state.list, area, std::move(spec));
  if (std::exchange(state.focus_list, false)) list.take_focus();
  // A link may lead to a row that is not listed, or not yet: that the list has the keyboard is no other choice.
  const bool is_hidden = cursor == ComparisonModel::kNoLine && rows.selected() != ComparisonModel::kNoLine;
  const bool is_by_itself = is_hidden && rows.filter().empty() && list.moved_to() == list.first();
  const bool is_begin = cursor == ComparisonModel::kNoLine && !is_hidden && list.moved_to() == list.first();
  if (list.moved_to() && !is_by_itself)
    intent = ComparisonAsk{is_begin ? ComparisonWhat::BeginAtLine : ComparisonWhat::SelectLine, *list.moved_to(), {}};
  if (list.expand()) {
    intent = ComparisonAsk{
        list.expand()->second ? ComparisonWhat::ExpandLine : ComparisonWhat::CollapseLine, list.expand()->first, {}};
  }
  if (auto asked = tree_keys(list, rows, cursor)) intent = std::move(asked);
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::ComparisonLine& line = lines[index];
    std::array<std::string, kColumns> texts;
    for (std::size_t i = 0; i < kColumns; ++i) texts[i] = cell_text(rows, line.row, kTable[i]);
    AccessNode node;
    node.role = rows.is_tree() ? Role::TreeItem : Role::Row;
    node.name = texts[1];
    if (!texts[0].empty()) node.name += fmt::format(", {}", texts[0]);
    if (const std::uint32_t changes = line.expandable ? rows.changes(line.row) : 0; changes > 0) {
      node.name += fmt::format(", {} {} below", model::thousands(changes), changes == 1 ? "change" : "changes");
    }
    for (std::size_t i = 2; i < kColumns; ++i) {
      if (!texts[i].empty())
        node.description += fmt::format("{}{} {}", i > 2 ? ", " : "", column_title(kTable[i]), texts[i]);
    }
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    if (rows.is_tree()) {
      node.level = line.depth + 1;
      if (line.expandable) node.expanded = line.expanded ? 1 : 0;
    }
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    const auto cells = cut_cells(ui, row, widths);
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (cells[i].width <= 0) continue;
      if (!rows.is_tree()) list.cell(cells[i], texts[i]);
      Rect cell = cells[i];
      if (i == 1) {
        draw_name(ui, cell, rows, line, texts[i]);
        continue;
      }
      const bool is_number = kTable[i].kind == Column::Number;
      if (!is_number) cell.cut_right(ui.px(8));
      const widgets::Colour ink = i == 0      ? colour_of(ui.theme(), rows.kinds(line.row))
                                  : is_number ? ui.theme().text
                                              : ui.theme().muted;
      if (ui.paint_line(cell, i == 0 ? Type::Small : Type::CodeSmall, ink, texts[i], is_number ? 1.0F : 0.0F)) {
        ui.tooltip_at(cell, texts[i]);
      }
    }
    list.close_row();
    if (!events.clicked) continue;
    const bool on_arrow =
        rows.is_tree() && !events.activated && line.expandable &&
        ImGui::GetIO().MousePos.x < cells[1].x + ui.px(14) * static_cast<float>(line.depth) + ui.px(18);
    if (line.expandable && (on_arrow || events.activated || events.double_clicked)) {
      intent = ComparisonAsk{line.expanded ? ComparisonWhat::CollapseLine : ComparisonWhat::ExpandLine, index, {}};
    } else {
      intent = ComparisonAsk{ComparisonWhat::SelectLine, index, {}};
    }
  }
  return intent;
}

}  // namespace

std::optional<Intent> draw_comparison_panel(Ui& ui, Rect area, const ComparisonPanelModel& model,
                                            ComparisonPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("comparison"), area, Role::Navigation, "Comparison");
  widgets::draw_plate(ui, area, ui.theme().surface);
  const ComparisonModel& rows = *model.rows;
  if (!rows.has_rows()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), ui.px(24)));
    flow.paragraph("Comparing names and headers\xE2\x80\xA6", Type::Body, true);
    ui.close_group();
    return intent;
  }
  keep(draw_titles(ui, area.cut_top(ui.px(40)), rows));
  keep(draw_tools(ui, area.cut_top(ui.px(36)), rows, state));
  area.cut_top(ui.px(6));
  keep(draw_kinds(ui, area, rows));
  draw_notes(ui, area, rows);
  keep(draw_values(ui, area.cut_top(ui.px(34)), model));
  const auto widths = columns_of(ui, area.width, rows.view().get().value_bytes() > 0);
  keep(draw_header(ui, area.cut_top(ui.px(24)), rows, widths));
  if (rows.lines().empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    const live::wire::DiffRows& counts = rows.view().get();
    if (!rows.filter().empty()) {
      flow.empty_state(Icon::Search, "Nothing matches", "No name in A or B has these letters among what is shown.");
    } else if (rows.view().changes(0) == 0 && rows.count(DiffKind::Values) == 0 && rows.count(DiffKind::Unknown) == 0) {
      const bool is_known = rows.view().bytes_left() == 0;
      flow.empty_state(
          Icon::Check, is_known ? "Nothing differs" : "Names and headers are the same",
          fmt::format("All {} tensors line up{}. \xE2\x80\x9C"
                      "equal\xE2\x80\x9D above shows them.",
                      model::thousands(counts.tensors_b()), is_known ? ", and their values are equal" : ""));
    } else {
      flow.empty_state(Icon::Search, "Nothing of this kind", "Switch on the kinds of difference above.");
    }
  } else {
    keep(draw_rows(ui, area, rows, state, widths));
  }
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
