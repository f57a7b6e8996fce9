#include "ui/panels/tensor_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/live/commands.h"
#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using widgets::Fact;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

/// The exact text of the value under the cursor; empty while it is not here.
std::string_view cursor_text(const TensorPanelModel& model) {
  if (model.exact == nullptr || model.exact->offsets()->size() != 2) return {};
  return {reinterpret_cast<const char*>(model.exact->text()->data()), model.exact->text()->size()};
}
std::optional<double> cursor_value(const TensorPanelModel& model) {
  return model::finite_number(std::string(cursor_text(model)));
}

model::ValueRange colour_range(const TensorPanelModel& model, const TensorPanelState& state) {
  // What is missing or no number stays as it is.
  return model::colour_range(state.range, model::value_extent(model.numbers, model.tiles.overview), model.numbers,
                             {model::finite_number(state.low_text), model::finite_number(state.high_text)});
}

/// Puts controls side by side as long as there is room, then on the next line.
class Wrap {
 public:
  Wrap(Flow& flow, float height) : flow_(flow), height_(height) {}
  Rect place(float width) {
    const float gap = flow_.ui().px(8);
    if (line_.width < width + (is_first_ ? 0 : gap)) {
      if (!is_first_) flow_.space(6);
      line_ = flow_.take(height_);
    } else if (!is_first_) {
      line_.cut_left(gap);
    }
    is_first_ = false;
    return line_.cut_left(std::min(width, line_.width));
  }
  Rect rest() { return line_; }

 private:
  Flow& flow_;
  float height_;
  Rect line_;
  bool is_first_ = true;
};

std::optional<Intent> draw_controls(Flow& flow, const TensorPanelModel& model, TensorPanelState& state) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  Wrap wrap(flow, 28);
  const std::initializer_list<std::string_view> shapes = {"Picture", "Numbers"};
  if (const auto chosen = widgets::segmented(ui, wrap.place(widgets::segmented_width(ui, shapes)), "Show values as",
                                             shapes, state.shows_numbers ? 1 : 0)) {
    state.shows_numbers = *chosen == 1;
    state.view.reveal = state.shows_numbers;
  }
  if (!state.shows_numbers) {
    const std::initializer_list<std::string_view> ranges = {"Symmetric", "Min to max",
                                                            "1\xE2\x80\x93"
                                                            "99%",
                                                            "Typed"};
    if (const auto chosen = widgets::segmented(ui, wrap.place(widgets::segmented_width(ui, ranges)),
                                               "Range of the colours", ranges, static_cast<std::size_t>(state.range))) {
      if (static_cast<RangeMode>(*chosen) == RangeMode::Typed) {
        // From what is seen, so that a person changes what they mean to.
        const model::ValueRange now = colour_range(model, state);
        state.low_text = model::value_text(now.low);
        state.high_text = model::value_text(now.high);
        for (std::string* text : {&state.low_text, &state.high_text}) {
          std::erase(*text, ',');
          if (text->starts_with("\xE2\x88\x92")) text->replace(0, 3, "-");
        }
      }
      state.range = static_cast<RangeMode>(*chosen);
    }
    if (widgets::icon_button(ui, wrap.place(ui.px(28)), Icon::Fit, "Fit the whole matrix", "0")) {
      state.view.is_fitted = true;
    }
  }
  struct Jump {
    const char* label;
    const char* tip;
    live::wire::FindWhat what;
  };
  using live::wire::FindWhat;
  constexpr Jump kJumps[] = {{"NaN", "Go to the next NaN", FindWhat::NaN},
                             {"Inf", "Go to the next infinite value", FindWhat::Infinity},
                             {"Max", "Go to the next of the largest values", FindWhat::Maximum},
                             {"Min", "Go to the next of the smallest values", FindWhat::Minimum}};
  for (const Jump& jump : kJumps) {
    if (widgets::button(ui, wrap.place(widgets::button_width(ui, jump.label, false)), jump.label,
                        widgets::ButtonStyle::Plain, std::nullopt, false, jump.tip)) {
      intent = FindInPart{jump.what};
    }
  }
  std::uint64_t count = 0;
  const bool is_many =
      __builtin_mul_overflow(model.view->rows, model.view->columns, &count) || count > live::kMostValues;
  const std::string tip =
      is_many ? fmt::format("At most {} values are copied; look at a smaller part", model::thousands(live::kMostValues))
              : fmt::format("Copies {} values, one row a line, as comma-separated numbers", model::thousands(count));
  if (widgets::button(ui, wrap.place(widgets::button_width(ui, "Copy", true)), "Copy", widgets::ButtonStyle::Plain,
                      Icon::Copy, is_many, tip)) {
    intent = CopyPart{};
  }
  if (state.range == RangeMode::Typed && !state.shows_numbers) {
    flow.space(6);
    Rect line = flow.take(28);
    const float half = std::min(ui.px(160), (line.width - ui.px(8)) / 2);
    widgets::TextFieldSpec field;
    field.name = "Lowest colour";
    field.placeholder = "lowest";
    widgets::text_field(ui, line.cut_left(half), state.low_text, field);
    line.cut_left(ui.px(8));
    field.name = "Highest colour";
    field.placeholder = "highest";
    widgets::text_field(ui, line.cut_left(half), state.high_text, field);
    for (const std::string* text : {&state.low_text, &state.high_text}) {
      if (model::finite_number(*text) || text->empty()) continue;
      flow.space(4);
      flow.paragraph(fmt::format("\"{}\" is no number", *text), Type::Small);
    }
  }
  return intent;
}

/// Where the cursor is and what is there, on a line of its own, so that nothing jumps.
std::string draw_cursor(Flow& flow, const TensorPanelModel& model, const TensorPanelState& state) {
  Ui& ui = flow.ui();
  const Rect line = flow.take(22);
  std::string words;
  if (state.view.cursor_row >= 0 && state.view.cursor_column >= 0) {
    const auto row = static_cast<std::uint64_t>(state.view.cursor_row);
    const auto column = static_cast<std::uint64_t>(state.view.cursor_column);
    words = cell_text(*model.slice, *model.view, row, column);
    if (const std::string_view text = cursor_text(model); !text.empty()) words.append(" = ").append(text);
  }
  std::string shown = words;
  if (!model.find_note.empty()) shown = model.find_note;
  if (model.is_finding) shown = "Searching\xE2\x80\xA6";
  if (!shown.empty()) {
    host::AccessNode node;
    node.role = host::Role::Status;
    node.name = shown;
    ui.describe(ui.id("##cursor"), line, std::move(node));
  }
  const bool is_hint = shown.empty();
  if (is_hint) shown = state.shows_numbers ? "Wheel and arrow keys move" : "Ctrl+wheel or pinch zooms, drag pans";
  ui.paint_line(line, is_hint ? Type::Small : Type::Code, is_hint ? ui.theme().muted : ui.theme().text, shown);
  return words;
}

void draw_profiles(Flow& flow, const TensorPanelModel& model, const TensorPanelState& state) {
  Ui& ui = flow.ui();
  if (state.view.cursor_row < 0 || model.row_profile == nullptr) return;
  const model::SliceView& view = *model.view;
  const auto draw = [&](const Rect& rect, const live::wire::HeatTile& tile, std::string_view what, std::int64_t number,
                        std::int64_t cursor, std::uint64_t count) {
    const double at = (static_cast<double>(cursor) + 0.5) / static_cast<double>(std::max<std::uint64_t>(count, 1));
    widgets::profile(ui, rect, fmt::format("{} {}, {} values", what, number, model::thousands(count)),
                     {tile.low()->data(), tile.low()->size()}, {tile.high()->data(), tile.high()->size()}, at,
                     widgets::with_alpha(ui.theme().accent, 0.85F));
  };
  flow.space(10);
  Rect words = flow.take(18);
  Rect line = flow.take(56);
  const bool has_column = model.column_profile != nullptr;
  const float gap = ui.px(12);
  const float half = has_column ? (line.width - gap) / 2 : line.width;
  ui.paint_line(words.cut_left(half), Type::Small, ui.theme().muted, fmt::format("Row {}", state.view.cursor_row));
  draw(line.cut_left(half), *model.row_profile, "Row", state.view.cursor_row, state.view.cursor_column, view.columns);
  if (!has_column) return;
  words.cut_left(gap);
  line.cut_left(gap);
  ui.paint_line(words, Type::Small, ui.theme().muted, fmt::format("Column {}", state.view.cursor_column));
  draw(line, *model.column_profile, "Column", state.view.cursor_column, state.view.cursor_row, view.rows);
}

std::string_view number_at(const void* context, std::uint64_t row, std::uint64_t column) {
  const auto* values = static_cast<const live::wire::Values*>(context);
  if (values == nullptr || row < values->row_begin() || row >= values->row_end() || column < values->column_begin() ||
      column >= values->column_end()) {
    return {};
  }
  const std::uint64_t columns = values->column_end() - values->column_begin();
  const auto at = static_cast<std::uint32_t>((row - values->row_begin()) * columns + column - values->column_begin());
  const std::uint32_t begin = values->offsets()->Get(at);
  return {reinterpret_cast<const char*>(values->text()->data()) + begin, values->offsets()->Get(at + 1) - begin};
}

std::optional<Intent> draw_map(Flow& flow, const TensorPanelModel& model, TensorPanelState& state) {
  Ui& ui = flow.ui();
  const model::TensorView& facts = *model.facts;
  const model::SliceView& view = *model.view;
  std::optional<Intent> intent = draw_controls(flow, model, state);
  const model::ValueRange range = state.colours = colour_range(model, state);
  flow.space(4);
  std::string cursor = draw_cursor(flow, model, state);
  flow.space(4);
  const std::string what = fmt::format("{}{}, {} rows, {} columns", facts.name, view.is_whole ? "" : view.text,
                                       model::thousands(view.rows), model::thousands(view.columns));
  if (state.shows_numbers) {
    widgets::NumbersGridSpec spec;
    spec.name = "Numbers of " + what;
    spec.rows = view.rows;
    spec.columns = view.columns;
    spec.context = model.shown_numbers;
    spec.text_of = &number_at;
    spec.cursor = std::move(cursor);
    const float wished = static_cast<float>(std::min<std::uint64_t>(view.rows, 1000) + 1) * ui.px(22);
    state.wanted_numbers = numbers_grid(ui, flow.take_px(std::min(wished, ui.px(360))), state.grid, state.view, spec);
    draw_profiles(flow, model, state);
    return intent;
  }
  MatrixMap map(model.tiles);
  widgets::HeatMapSpec& spec = map.spec();
  spec.name = "Heat map of " + what;
  spec.rows = view.rows;
  spec.columns = view.columns;
  spec.cursor = std::move(cursor);
  spec.look = heat_look(ui.theme(), range);
  if (model.numbers != nullptr) map.set_marks(quantile_marks(*model.numbers));
  state.wanted = map.draw(flow, *model.renderer, state.view);
  draw_profiles(flow, model, state);
  return intent;
}

void draw_histogram(Flow& flow, const TensorPanelModel& model, TensorPanelState& state) {
  const model::StatisticsView& statistics = *model.statistics;
  Ui& ui = flow.ui();
  Rect head = flow.take(28);
  const float width = widgets::segmented_width(ui, {"Linear", "Log"});
  if (const auto chosen = widgets::segmented(ui, head.cut_right(width), "Scale of the counts", {"Linear", "Log"},
                                             state.log_counts ? 1 : 0)) {
    state.log_counts = *chosen == 1;
  }
  Flow title(ui, head);
  title.heading("Histogram");
  flow.space(8);
  const auto& bars = statistics.histogram;
  // Where the value under the cursor lies.
  const std::optional<double> value = cursor_value(model);
  double marked = -1;
  if (value && !bars.empty() && bars.back().high > bars.front().low) {
    marked = (*value - bars.front().low) / (bars.back().high - bars.front().low);
  }
  widgets::histogram(
      ui, flow.take(96), "Histogram", bars.size(),
      [&](std::size_t bar) { return state.log_counts ? bars[bar].log_height : bars[bar].height; },
      [&](std::size_t bar) {
        return fmt::format("{} to {}\n{} values", model::value_text(bars[bar].low), model::value_text(bars[bar].high),
                           model::thousands(bars[bar].count));
      },
      marked);
  if (bars.empty()) return;
  flow.space(4);
  const Rect labels = flow.take(18);
  ui.paint_line(labels, Type::CodeSmall, ui.theme().muted, model::value_text(bars.front().low), 0);
  if (bars.front().low == bars.back().high) return;  // one value, over and over
  ui.paint_line(labels, Type::CodeSmall, ui.theme().muted, model::value_text(bars.back().high), 1);
}

std::optional<Intent> draw_statistics(Flow& flow, const TensorPanelModel& model, TensorPanelState& state) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  flow.heading(model.view->is_whole ? "Statistics" : "Statistics of the part");
  flow.space(8);
  if (model.statistics != nullptr) {
    std::vector<Fact> facts;
    for (const model::FactLine& line : model.statistics->facts)
      facts.push_back({line.label, line.value, line.exact, false});
    widgets::fact_table(flow, "Statistics", facts, true);
    flow.space(16);
    if (model.statistics->histogram.empty()) {
      flow.paragraph("No value is finite: there is no histogram, and there are no quantiles.", Type::Body, true);
      return intent;
    }
    draw_histogram(flow, model, state);
    flow.space(16);
    flow.heading("Quantiles");
    flow.space(8);
    std::vector<Fact> quantiles;
    for (const model::QuantileLine& line : model.statistics->quantiles)
      quantiles.push_back({line.label, line.text, {}, false});
    widgets::fact_table(flow, "Quantiles", quantiles, true);
    if (!model.statistics->quantile_note.empty()) flow.paragraph(model.statistics->quantile_note, Type::Small, true);
  } else if (model.job != nullptr) {
    const double at =
        model.job->total > 0 ? static_cast<double>(model.job->done) / static_cast<double>(model.job->total) : -1;
    flow.paragraph(model.job->text.empty() ? "Reading values" : model.job->text, Type::Body, true);
    flow.space(8);
    Rect row = flow.take(32);
    const Rect cancel = row.cut_right(widgets::button_width(ui, "Cancel", false));
    row.cut_right(ui.px(12));
    widgets::progress_bar(ui, row.middle(ui.px(6)), "Statistics", at);
    ImGui::PushID("statistics");
    if (widgets::button(ui, cancel, "Cancel")) intent = CancelJob{model.job->request};
    ImGui::PopID();
  } else if (model.facts->has_values) {
    flow.paragraph(
        fmt::format("Reads all {} of this tensor.", model::short_bytes(model.document->nbytes(model.tensor))),
        Type::Body, true);
    flow.space(8);
    Rect row = flow.take(32);
    const char* label = "Compute statistics";
    if (widgets::button(ui, row.cut_left(widgets::button_width(ui, label, false)), label)) {
      intent = ComputeStatistics{};
    }
  } else {
    flow.paragraph("There are no values to count: the tensor is on meta, or its file is not there.", Type::Body, true);
  }
  return intent;
}

std::optional<Intent> draw_facts(Flow& flow, const TensorPanelModel& model) {
  std::optional<Intent> intent;
  flow.heading("Facts");
  flow.space(8);
  std::vector<Fact> facts;
  for (const model::FactLine& line : model.facts->facts) {
    facts.push_back({line.label, line.value, line.exact, line.tensor != UINT32_MAX});
  }
  const int pressed = widgets::fact_table(flow, "Facts", facts);
  if (pressed >= 0) {
    const std::uint32_t other = model.facts->facts[static_cast<std::size_t>(pressed)].tensor;
    if (const std::uint32_t row = model.document->node(other); row != live::kNone) intent = SelectRow{row};
  }
  return intent;
}

}  // namespace

std::optional<Intent> draw_tensor_panel(Ui& ui, const Rect& area, const TensorPanelModel& model,
                                        TensorPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  const std::uint32_t id = ui.id("tensor");
  state.wanted = {};
  state.wanted_numbers = {};
  const Rect content = ui.begin_scroll(id, area, state.scroll);
  Flow flow(ui, content.inset(ui.px(20), 0));
  flow.space(8);
  if (model.tensor == UINT32_MAX) {
    flow.empty_state(Icon::Tensor, "No tensor is chosen",
                     "Choose a parameter or buffer in the tree to see its values.");
  } else if (model.facts == nullptr) {
    flow.paragraph("Asking for the tensor\xE2\x80\xA6", Type::Body, true);
  } else {
    if (model.facts->has_values) {
      keep(draw_tensor_part(flow, model.document->shape(model.tensor), *model.slice, *model.view, state.part));
      flow.space(12);
    }
    if (model.facts->has_values && model.view->rows > 0 && model.view->columns > 0) {
      keep(draw_map(flow, model, state));
      flow.space(20);
    }
    const float gap = ui.px(32);
    if (flow.width() >= ui.px(620)) {
      const float half = std::floor((flow.width() - gap) / 2);
      const Rect top = flow.take_px(0);
      Flow left(ui, {top.x, top.y, half, 0});
      keep(draw_facts(left, model));
      Flow right(ui, {top.x + half + gap, top.y, half, 0});
      keep(draw_statistics(right, model, state));
      flow.take_px(std::max(left.height(), right.height()));
    } else {
      keep(draw_facts(flow, model));
      flow.space(20);
      keep(draw_statistics(flow, model, state));
    }
  }
  flow.space(24);
  ui.end_scroll(flow.height());
  return intent;
}

}  // namespace nns::panels
