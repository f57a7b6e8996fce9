// The right half of a comparison: the row that is chosen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/model/format.h"
#include "ui/panels/comparison_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"

namespace nns::panels {

using live::kNone;
using model::ComparisonModel;
using model::DiffColumn;
using widgets::Fact;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using ComparisonWhat = ComparisonAsk::What;

namespace {

void draw_map(Flow& flow, const ComparisonPanelModel& model, ComparisonPanelState& state, const std::string& name) {
  Ui& ui = flow.ui();
  const ComparisonModel& rows = *model.rows;
  const std::uint32_t row = rows.selected();
  const auto shape = rows.b().shape(rows.tensor_b(row));
  MatrixMap map(model.tiles);
  widgets::HeatMapSpec& spec = map.spec();
  spec.rows = 1;
  spec.columns = shape.empty() ? 1 : static_cast<std::uint64_t>(shape.back());
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) spec.rows *= static_cast<std::uint64_t>(shape[i]);
  if (model.tiles.overview != nullptr) {
    // Items that pack two numbers have twice the columns.
    spec.rows = model.tiles.overview->rows();
    spec.columns = model.tiles.overview->columns();
  }
  spec.name = fmt::format("Heat map of B \xE2\x88\x92 A, {}, {} rows, {} columns", name, model::thousands(spec.rows),
                          model::thousands(spec.columns));
  const float reach = difference_reach(model.tiles, rows.view().values(row));
  map.spec().look = heat_look(ui.theme(), {-static_cast<double>(reach), static_cast<double>(reach)});
  Rect head = flow.take(28);
  if (widgets::icon_button(ui, head.cut_right(ui.px(28)), Icon::Fit, "Fit the whole matrix", "0")) {
    state.view.is_fitted = true;
  }
  std::string words = "B \xE2\x88\x92 A, value by value";
  if (state.view.cursor_row >= 0 && state.view.cursor_column >= 0) {
    words = fmt::format("[{}, {}]", model::thousands(static_cast<std::uint64_t>(state.view.cursor_row)),
                        model::thousands(static_cast<std::uint64_t>(state.view.cursor_column)));
    if (const auto value = heat_map_value(spec, state.view.cursor_row, state.view.cursor_column)) {
      words += fmt::format(" = {}", model::value_text(static_cast<double>(*value)));
    }
  }
  ui.paint_line(head, Type::CodeSmall, ui.theme().muted, words);
  flow.space(6);
  state.wanted = map.draw(flow, *model.renderer, state.view);
  flow.space(20);
}

std::string exact(double value) { return fmt::format("{}", value); }

void draw_numbers(Flow& flow, const ComparisonModel& rows, std::uint32_t row) {
  const live::wire::Difference& found = *rows.view().values(row);
  struct Line {
    const char* label;
    std::string value;
    std::string exact;
  };
  std::vector<Line> lines;
  lines.push_back({"Changed",
                   fmt::format("{} of {} values", model::thousands(found.changed()), model::thousands(found.count())),
                   rows.number_text(row, DiffColumn::Changed)});
  if (found.changed() > 0) {
    const std::string place = rows.max_place_text(row);
    lines.push_back({"Largest |B \xE2\x88\x92 A|",
                     fmt::format("{}{}{}", model::value_text(found.max_abs()), place.empty() ? "" : " at ", place),
                     exact(found.max_abs())});
    lines.push_back({"Mean |B \xE2\x88\x92 A|", model::value_text(found.mean_abs()), exact(found.mean_abs())});
    lines.push_back({"Relative",
                     fmt::format("{}  (\xE2\x80\x96"
                                 "B \xE2\x88\x92 A\xE2\x80\x96 / \xE2\x80\x96"
                                 "A\xE2\x80\x96)",
                                 model::value_text(found.relative())),
                     exact(found.relative())});
    lines.push_back({"Cosine", rows.number_text(row, DiffColumn::Cosine), exact(found.cosine())});
  }
  const auto count = [&](const char* label, std::uint64_t number) {
    if (number > 0) lines.push_back({label, model::thousands(number), {}});
  };
  count("NaN in A only", found.nan_a());
  count("NaN in B only", found.nan_b());
  count("NaN in both", found.nan_both());
  count("Infinity changed", found.infinite());
  std::vector<Fact> facts;
  for (const Line& line : lines) facts.push_back({line.label, line.value, line.exact, false});
  widgets::fact_table(flow, "Values", facts);
}

std::optional<Intent> draw_values(Flow& flow, const ComparisonPanelModel& model, std::uint32_t row) {
  Ui& ui = flow.ui();
  const ComparisonModel& rows = *model.rows;
  const live::ValueState state = rows.view().state(row);
  const std::uint64_t bytes = rows.value_bytes(row);
  flow.heading("Values");
  flow.space(8);
  if (state == live::ValueState::Unreadable) {
    flow.paragraph(rows.view().problem(row), Type::Body, true);
  } else if (state != live::ValueState::Unknown) {
    draw_numbers(flow, rows, row);
  } else if (bytes == 0) {
    flow.paragraph("Tensors of different shapes, or with nothing to read, are not compared value by value.", Type::Body,
                   true);
  } else if (model.is_row_running) {
    flow.paragraph("Comparing the values of this tensor\xE2\x80\xA6", Type::Body, true);
  } else {
    const std::string label = fmt::format("Compare this tensor ({})", model::short_bytes(bytes));
    Rect place = flow.take(32);
    ImGui::PushID("row");
    const bool pressed = widgets::button(ui, place.cut_left(widgets::button_width(ui, label, false)), label);
    ImGui::PopID();
    if (pressed) return ComparisonAsk{ComparisonWhat::CompareRow, 0, {}};
  }
  return std::nullopt;
}

std::optional<Intent> draw_names(Flow& flow, const ComparisonModel& rows, std::uint32_t row) {
  std::vector<Fact> facts;
  const std::string name_a = rows.path_a(row);
  const std::string name_b = rows.path_b(row);
  const std::string status = rows.status(row);
  const std::string shape = rows.shape_text(row);
  const std::string dtype = rows.dtype_text(row);
  const std::string size = rows.number_text(row, DiffColumn::Size);
  const std::string changes = rows.is_tree() ? model::thousands(rows.changes(row)) : std::string();
  const bool is_tensor = rows.tensor_a(row) != kNone || rows.tensor_b(row) != kNone;
  if (!status.empty()) facts.push_back({"Status", status, {}, false});
  const std::size_t first = facts.size();
  std::vector<ComparisonWhat> links;
  if (rows.view().row_a(row) != kNone) {
    facts.push_back({"In A", name_a.empty() ? rows.a().title() : name_a, {}, true});
    links.push_back(ComparisonWhat::OpenInA);
  }
  if (rows.view().row_b(row) != kNone) {
    facts.push_back({"In B", name_b.empty() ? rows.b().title() : name_b, {}, true});
    links.push_back(ComparisonWhat::OpenInB);
  }
  if (!shape.empty()) facts.push_back({is_tensor ? "Shape" : "Class or value", shape, {}, false});
  if (!dtype.empty()) facts.push_back({"Dtype", dtype, {}, false});
  if (!size.empty()) facts.push_back({"Size", size, {}, false});
  if (!is_tensor && !changes.empty()) facts.push_back({"Changes below", changes, {}, false});
  const int pressed = widgets::fact_table(flow, "Names", facts);
  if (pressed < 0 || static_cast<std::size_t>(pressed) < first) return std::nullopt;
  return ComparisonAsk{links[static_cast<std::size_t>(pressed) - first], 0, {}};
}

void draw_metadata(Flow& flow, const ComparisonModel& rows) {
  if (rows.metadata().empty()) return;
  flow.space(20);
  flow.heading("Metadata of the files");
  flow.space(8);
  std::vector<std::string> texts;  // which the facts point into
  for (const model::MetadataChange& change : rows.metadata()) {
    texts.push_back(!change.a   ? fmt::format("in B only: {}", *change.b)
                    : !change.b ? fmt::format("in A only: {}", *change.a)
                                : fmt::format("{} \xE2\x86\x92 {}", *change.a, *change.b));
  }
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < texts.size(); ++i) facts.push_back({rows.metadata()[i].key, texts[i], {}, false});
  widgets::fact_table(flow, "Metadata of the files", facts);
}

}  // namespace

float difference_reach(const MatrixTiles& tiles, const live::wire::Difference* found) {
  double most = 0;
  if (found != nullptr && std::isfinite(found->max_abs())) most = found->max_abs();
  if (most == 0 && tiles.overview != nullptr) {
    for (const auto* column : {tiles.overview->low(), tiles.overview->high()}) {
      for (const float value : *column) {
        if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
      }
    }
  }
  if (most == 0) most = 1;
  return static_cast<float>(std::min(most, static_cast<double>(std::numeric_limits<float>::max())));
}

bool has_non_finite(const live::wire::Difference& found) {
  return found.nan_a() + found.nan_b() + found.nan_both() + found.infinite() != 0;
}

std::optional<Intent> draw_difference_panel(Ui& ui, const Rect& area, const ComparisonPanelModel& model,
                                            ComparisonPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  state.wanted = {};
  ui.open_group(ui.id("difference"), area, host::Role::Region, "Difference");
  widgets::draw_plate(ui, area, ui.theme().surface);
  const Rect content = ui.begin_scroll(ui.id("difference scroll"), area, state.details);
  Flow flow(ui, content.inset(ui.px(20), 0));
  flow.space(12);
  const ComparisonModel& rows = *model.rows;
  const std::uint32_t row = rows.has_rows() ? rows.selected() : ComparisonModel::kNoLine;
  if (row == ComparisonModel::kNoLine) {
    if (rows.has_rows()) {
      flow.empty_state(Icon::Tensor, "Nothing is chosen", "Choose a row to see how far its two sides are apart.");
    }
  } else {
    const std::string name(rows.view().row_b(row) != kNone ? rows.path_b(row) : rows.path_a(row));
    flow.heading(name.empty() ? rows.label(row) : name);
    flow.space(12);
    const bool has_map = rows.value_bytes(row) > 0 && rows.view().state(row) != live::ValueState::Unreadable;
    if (has_map && model.renderer != nullptr) draw_map(flow, model, state, name);
    keep(draw_names(flow, rows, row));
    if (rows.tensor_a(row) != kNone && rows.tensor_b(row) != kNone) {
      flow.space(20);
      keep(draw_values(flow, model, row));
    }
  }
  if (rows.has_rows()) draw_metadata(flow, rows);
  flow.space(24);
  ui.end_scroll(flow.height());
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
