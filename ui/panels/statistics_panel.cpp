#include "ui/panels/statistics_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "ui/model/format.h"
#include "ui/panels/paged_columns.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using model::NumbersColumn;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

namespace wire = live::wire;

constexpr float kNumberWidth = 84;      // design units
constexpr float kStatisticWidth = 150;  // at least

// Those behind the name: the first is number 1 of model::NumbersColumn.
PagedColumns columns_of(const Ui& ui, float width, std::uint32_t& first) {
  std::array<float, model::kNumbersColumns - 1> widths{};
  widths.fill(kNumberWidth);
  return page_columns(ui, width, kStatisticWidth, widths, first);
}

std::string progress_words(const StatisticsPanelModel& model) {
  const std::uint32_t all = model.document->tensor_count();
  return fmt::format("{} of {} {}", model::thousands(model.numbers.size()), model::thousands(all),
                     all == 1 ? "tensor" : "tensors");
}

std::string summary_words(const model::NumbersSummary& summary) {
  std::string words = fmt::format("{} {}", model::thousands(summary.known), summary.known == 1 ? "tensor" : "tensors");
  const auto add = [&](std::uint32_t count, std::string_view what) {
    if (count != 0) words += fmt::format(" \xC2\xB7 {} {}", model::thousands(count), what);
  };
  add(summary.not_finite, "with NaN or Inf");
  add(summary.dead, "with dead rows or columns");
  add(summary.outliers, "with outliers");
  add(summary.without_values, "without values");
  add(summary.unreadable, "unreadable");
  return words;
}

std::optional<Intent> draw_progress(Ui& ui, Rect line, const StatisticsPanelModel& model) {
  std::optional<Intent> intent;
  const bool is_running = model.request != 0;
  const bool is_done = model.numbers.size() == model.document->tensor_count();
  std::string words = is_done ? summary_words(*model.summary) : progress_words(model);
  if (is_running) {
    const char* label = "Cancel";
    ImGui::PushID("statistics");
    if (widgets::button(ui, line.cut_right(widgets::button_width(ui, label, false)), label)) {
      intent = CancelJob{model.request};
    }
    ImGui::PopID();
    line.cut_right(ui.px(12));
    const bool is_told = model.job != nullptr && model.job->total != 0;
    const double at = is_told ? static_cast<double>(model.job->done) / static_cast<double>(model.job->total) : -1;
    widgets::progress_bar(ui, line.cut_right(line.width * 0.4F).middle(ui.px(6)), "Statistics of all tensors", at);
    line.cut_right(ui.px(12));
  } else if (!is_done) {
    const char* label = model.numbers.empty() ? "Compute statistics" : "Go on";
    if (widgets::button(ui, line.cut_right(widgets::button_width(ui, label, false)), label,
                        widgets::ButtonStyle::Primary)) {
      intent = ComputeModelStatistics{};
    }
    line.cut_right(ui.px(12));
    words = model.numbers.empty() ? fmt::format("Reads {}", model::short_bytes(model.bytes_left))
                                  : fmt::format("{}; {} to be read", words, model::short_bytes(model.bytes_left));
  }
  AccessNode node;
  node.role = Role::Status;
  node.name = words;
  ui.describe(ui.id("##progress"), line, std::move(node));
  if (ui.paint_line(line, Type::Small, ui.theme().muted, words)) ui.tooltip_at(line, words);
  return intent;
}

std::optional<Intent> draw_heads(Ui& ui, Rect line, const StatisticsPanelModel& model, const PagedColumns& columns) {
  std::optional<Intent> intent;
  ui.open_group(ui.id("##heads"), line, Role::Row, "Columns");
  const auto head = [&](std::size_t index, const Rect& place) {
    const auto column = static_cast<NumbersColumn>(index);
    const model::NumbersTitle& title = numbers_title(column);
    const bool is_chosen = model.table->is_sorted() && model.table->column() == column;
    AccessNode node;
    node.role = Role::ColumnHeader;
    node.name = title.title;
    node.description =
        is_chosen ? (model.table->is_descending() ? "sorted, largest first" : "sorted, smallest first") : title.about;
    const widgets::Interaction what = ui.control(ui.id(title.title), place, std::move(node));
    if (what.clicked) intent = SortStatistics{static_cast<std::uint8_t>(index)};
    const widgets::Colour ink = is_chosen || what.hovered ? ui.theme().text : ui.theme().muted;
    std::string words(title.title);
    if (is_chosen) words += model.table->is_descending() ? " \xE2\x86\x93" : " \xE2\x86\x91";
    ui.paint_line(place, Type::SmallStrong, ink, words, index == 0 ? 0.0F : 1.0F);
    ui.tooltip(what, title.about);
    if (what.focus_visible) ui.focus_ring(place, ui.px(4));
  };
  head(0, line.cut_left(columns.name));
  for (std::size_t index = columns.first; index < columns.end; ++index) {
    head(index + 1, line.cut_left(columns.widths[index]).inset(ui.px(4), 0));
  }
  ui.close_group();
  return intent;
}

widgets::Colour ink_of(const Ui& ui, const wire::TensorNumbers& numbers, NumbersColumn column) {
  const bool is_bad = (column == NumbersColumn::NaN && numbers.nan() != 0) ||
                      (column == NumbersColumn::Infinite && numbers.infinite() != 0);
  if (is_bad) return ui.theme().danger;
  const bool is_odd = (column == NumbersColumn::DeadRows && numbers.dead_rows() != 0) ||
                      (column == NumbersColumn::DeadColumns && numbers.dead_columns() != 0);
  if (is_odd) return ui.theme().warning;
  const bool is_quiet = column >= NumbersColumn::Zeros && numbers_text(numbers, column) == "0";
  return is_quiet ? ui.theme().muted : ui.theme().text;
}

}  // namespace

std::optional<Intent> draw_statistics_panel(Ui& ui, Rect area, const StatisticsPanelModel& model,
                                            StatisticsPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  const live::DocumentView& document = *model.document;
  if (document.tensor_count() == 0) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Tensor, "No tensors", "There are no values to count in this document.");
    return intent;
  }
  Rect top = area.cut_top(ui.px(34)).inset(ui.px(20), ui.px(2));
  const float list_width = area.width - ui.px(10);
  PagedColumns columns = columns_of(ui, list_width - ui.px(40), state.first_column);
  if (draw_column_pager(ui, top, columns, state.first_column)) {
    columns = columns_of(ui, list_width - ui.px(40), state.first_column);
  }
  keep(draw_progress(ui, top, model));
  area.cut_top(ui.px(6));
  if (model.numbers.empty() && model.request == 0) return intent;

  const auto inside = [&](Rect row) {
    row.cut_left(ui.px(20));
    row.width = columns.total();
    return row;
  };
  const std::span<const std::uint32_t> lines = model.table->lines();
  widgets::RowListSpec spec;
  spec.name = "Statistics of all tensors";
  spec.role = Role::Table;
  spec.head_height = 24;
  spec.draw_head = [&](const Rect& head) { keep(draw_heads(ui, inside(head), model, columns)); };
  spec.count = static_cast<std::uint32_t>(lines.size());
  // The chosen tensor keeps the cursor wherever the order puts it.
  const std::uint32_t at =
      state.list_line < lines.size() && lines[state.list_line] == state.tensor
          ? state.list_line
          : static_cast<std::uint32_t>(std::find(lines.begin(), lines.end(), state.tensor) - lines.begin());
  state.list_line = at;
  if (at < lines.size()) spec.cursor = at;
  spec.key = [lines](std::uint32_t index) { return lines[index]; };
  widgets::RowList list(ui, state.list, area, std::move(spec));
  if (list.moved_to()) state.tensor = lines[*list.moved_to()];
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const wire::TensorNumbers& numbers = model.numbers[lines[index]];
    const std::uint32_t row_of_tree = document.node(numbers.tensor());
    const std::string name =
        row_of_tree == live::kNone ? fmt::format("tensor {}", numbers.tensor()) : document.path(row_of_tree);
    const char* lacking = numbers.state() == wire::NumbersState::Unreadable ? "cannot be read"
                          : numbers.state() == wire::NumbersState::NoValues ? "no values here"
                          : numbers.count() == 0                            ? "empty"
                                                                            : nullptr;
    AccessNode node;
    node.role = Role::Row;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    node.name = name;
    if (lacking != nullptr) node.name += fmt::format(", {}", lacking);
    for (std::size_t column = columns.first; column < columns.end && lacking == nullptr; ++column) {
      const auto which = static_cast<NumbersColumn>(column + 1);
      const std::string text = numbers_text(numbers, which);
      if (!text.empty()) node.name += fmt::format(", {} {}", numbers_title(which).title, text);
    }
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row = inside(row);
    const Rect label = row.cut_left(columns.name);
    list.cell(label, name);
    if (ui.paint_line({label.x, label.y, label.width - ui.px(12), label.height}, Type::Body, ui.theme().text, name)) {
      ui.tooltip_at(label, name);
    }
    if (lacking != nullptr) {
      list.cell(row, lacking);
      ui.paint_line(row.inset(ui.px(4), 0), Type::Small, ui.theme().muted, lacking, 1);
    }
    for (std::size_t column = columns.first; column < columns.end && lacking == nullptr; ++column) {
      const auto which = static_cast<NumbersColumn>(column + 1);
      const Rect place = row.cut_left(columns.widths[column]).inset(ui.px(4), 0);
      const std::string text = numbers_text(numbers, which);
      list.cell(place, text);
      ui.paint_line(place, Type::CodeSmall, ink_of(ui, numbers, which), text, 1);
    }
    list.close_row();
    if (events.clicked) state.tensor = lines[index];
    if ((events.double_clicked || events.activated) && row_of_tree != live::kNone) intent = OpenTensor{row_of_tree};
  }
  return intent;
}

}  // namespace nns::panels
