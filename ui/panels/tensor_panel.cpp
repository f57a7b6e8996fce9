#include "ui/panels/tensor_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using widgets::Fact;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

widgets::HeatMapTile tile_of(const live::wire::HeatTile& tile, std::uint64_t version) {
  widgets::HeatMapTile made;
  made.version = version;
  made.row_begin = tile.row_begin();
  made.row_end = tile.row_end();
  made.column_begin = tile.column_begin();
  made.column_end = tile.column_end();
  made.width = tile.width();
  made.height = tile.height();
  made.values = {tile.mean()->data(), tile.mean()->size()};
  return made;
}

struct Range {
  double low = 0;
  double high = 1;
};

double quantile(const live::wire::TensorStatistics& numbers, double at, double otherwise) {
  for (std::uint32_t index = 0; index < numbers.quantile_at()->size() && index < numbers.quantiles()->size(); ++index) {
    if (std::abs(numbers.quantile_at()->Get(index) - at) < 1e-9) return numbers.quantiles()->Get(index);
  }
  return otherwise;
}

/// The values' extent: of all values once they are known, else of the picture's cells.
Range full_range(const TensorPanelModel& model) {
  if (model.numbers != nullptr && std::isfinite(model.numbers->min()) && std::isfinite(model.numbers->max())) {
    return {model.numbers->min(), model.numbers->max()};
  }
  Range range{INFINITY, -INFINITY};
  if (model.overview != nullptr) {
    for (const float value : *model.overview->low()) {
      if (std::isfinite(value)) range.low = std::min(range.low, static_cast<double>(value));
    }
    for (const float value : *model.overview->high()) {
      if (std::isfinite(value)) range.high = std::max(range.high, static_cast<double>(value));
    }
  }
  if (range.low > range.high) return {0, 1};
  return range;
}

Range colour_range(const TensorPanelModel& model, RangeMode mode) {
  Range range = full_range(model);
  if (mode == RangeMode::Percentile && model.numbers != nullptr) {
    range = {quantile(*model.numbers, 0.01, range.low), quantile(*model.numbers, 0.99, range.high)};
  }
  if (mode == RangeMode::Symmetric) {
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    range = {-most, most};
  }
  if (range.low == range.high) {
    const double margin = range.low == 0 ? 1 : std::abs(range.low) * 0.5;
    range = {range.low - margin, range.high + margin};
  }
  // The picture counts in float32.
  constexpr double kMost = std::numeric_limits<float>::max();
  return {std::clamp(range.low, -kMost, kMost), std::clamp(range.high, -kMost, kMost)};
}

std::optional<Intent> draw_map(Flow& flow, const TensorPanelModel& model, TensorPanelState& state) {
  Ui& ui = flow.ui();
  const model::TensorView& facts = *model.facts;
  Rect controls = flow.take(28);
  const float choices = widgets::segmented_width(ui, {"Symmetric", "Min to max",
                                                      "1\xE2\x80\x93"
                                                      "99%"});
  if (const auto chosen =
          widgets::segmented(ui, controls.cut_left(std::min(choices, controls.width)), "Range of the colours",
                             {"Symmetric", "Min to max",
                              "1\xE2\x80\x93"
                              "99%"},
                             state.range == RangeMode::Symmetric ? 0U
                             : state.range == RangeMode::Full    ? 1U
                                                                 : 2U)) {
    state.range = *chosen == 0 ? RangeMode::Symmetric : *chosen == 1 ? RangeMode::Full : RangeMode::Percentile;
  }
  controls.cut_left(ui.px(8));
  if (widgets::icon_button(ui, controls.cut_left(ui.px(28)), Icon::Fit, "Fit the whole matrix", "0")) {
    state.view.is_fitted = true;
  }
  const Range range = colour_range(model, state.range);
  widgets::HeatMapSpec spec;
  spec.name = fmt::format("Heat map of {}, {} rows, {} columns", facts.name, model::thousands(facts.rows),
                          model::thousands(facts.columns));
  spec.rows = facts.rows;
  spec.columns = facts.columns;
  spec.format = &model::value_text;
  spec.look.map = state.range == RangeMode::Symmetric ? widgets::ColourMap::Diverging : widgets::ColourMap::Sequential;
  spec.look.is_dark = ui.theme().is_dark;
  spec.look.low = static_cast<float>(range.low);
  spec.look.high = static_cast<float>(range.high);
  spec.look.nan = widgets::rgb(0xE0218A);
  spec.look.infinite = widgets::rgb(0x2ECC71);
  spec.look.grid = widgets::with_alpha(ui.theme().background, 0.35F);
  widgets::HeatMapTile overview;
  widgets::HeatMapTile detail;
  if (model.overview != nullptr) {
    overview = tile_of(*model.overview, model.overview_version);
    spec.overview = &overview;
  }
  if (model.detail != nullptr) {
    detail = tile_of(*model.detail, model.detail_version);
    spec.detail = &detail;
  }
  // What the pointer is on, to the right of the controls, so that nothing jumps.
  if (state.view.cursor_row >= 0 && state.view.cursor_column >= 0) {
    std::string words = fmt::format("[{}, {}]", model::thousands(static_cast<std::uint64_t>(state.view.cursor_row)),
                                    model::thousands(static_cast<std::uint64_t>(state.view.cursor_column)));
    if (const auto value = heat_map_value(spec, state.view.cursor_row, state.view.cursor_column)) {
      words += fmt::format(" = {}", model::value_text(static_cast<double>(*value)));
    }
    ui.paint_line(controls.inset(ui.px(8), 0), Type::CodeSmall, ui.theme().text, words, 1);
  } else {
    const std::string_view hint = "Ctrl+wheel zooms, drag pans";
    const Rect place = controls.inset(ui.px(8), 0);
    if (ui.text_width(Type::Small, hint) <= place.width) {
      ui.paint_line(place, Type::Small, ui.theme().muted, hint, 1);
    }
  }
  flow.space(8);
  const float most = ui.px(320);
  const float wished = static_cast<float>(std::min<std::uint64_t>(facts.rows, 10'000)) * ui.px(24);
  const Rect map = flow.take_px(std::clamp(wished, ui.px(28), most));
  state.wanted = heat_map(ui, map, *model.renderer, state.view, spec);
  if (model.overview == nullptr) {
    ui.paint_line(map.inset(ui.px(12), 0), Type::Small, ui.theme().muted, "Reading values\xE2\x80\xA6", 0.5F);
  } else if (model.overview->sampled()) {
    widgets::progress_bar(ui, {map.x, map.bottom() - ui.px(3), map.width, ui.px(3)}, "Reading all values", -1);
  }
  flow.space(8);
  colour_scale(ui, flow.take(28), spec.look, &model::value_text);
  return std::nullopt;
}

void draw_histogram(Flow& flow, const model::StatisticsView& statistics, TensorPanelState& state) {
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
  widgets::histogram(
      ui, flow.take(96), "Histogram", bars.size(),
      [&](std::size_t bar) { return state.log_counts ? bars[bar].log_height : bars[bar].height; },
      [&](std::size_t bar) {
        return fmt::format("{} to {}\n{} values", model::value_text(bars[bar].low), model::value_text(bars[bar].high),
                           model::thousands(bars[bar].count));
      });
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
  flow.heading("Statistics");
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
    draw_histogram(flow, *model.statistics, state);
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
      intent = ComputeStatistics{model.tensor};
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
  const Rect content = ui.begin_scroll(id, area, state.scroll);
  Flow flow(ui, content.inset(ui.px(20), 0));
  flow.space(8);
  if (model.tensor == UINT32_MAX) {
    flow.empty_state(Icon::Tensor, "No tensor is chosen",
                     "Choose a parameter or buffer in the tree to see its values.");
  } else if (model.facts == nullptr) {
    flow.paragraph("Asking for the tensor\xE2\x80\xA6", Type::Body, true);
  } else {
    if (model.facts->has_values && model.facts->rows > 0 && model.facts->columns > 0) {
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
