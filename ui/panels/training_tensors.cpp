// One tensor of a model that trains: its histogram over time, its values as they change, what touched it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/model/format.h"
#include "ui/model/value_range.h"
#include "ui/panels/matrix_map.h"
#include "ui/panels/training_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::TrainingSubject;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using Detail = TrainingPanelState::Detail;
using Of = TrainingPanelState::Of;

namespace {

TrainingSubject subject_of(const TrainingPanelState& state) {
  switch (state.of) {
    case Of::Weights:
      return TrainingSubject::Parameters;
    case Of::Gradients:
      return TrainingSubject::Gradients;
    case Of::Module:
      return state.detail == Detail::Values ? TrainingSubject::Attention : TrainingSubject::Activations;
  }
  return TrainingSubject::Parameters;
}

/// When there will be something to see.
std::string_view when(const TrainingModel& model) {
  return model.is_recording ? "Nothing of it is in the recording up to here."
                            : "It comes with one of the next steps that are made.";
}

/// Which tensor of the module, and what of it.
void draw_choice(Ui& ui, Rect row, const TrainingModel& model, TrainingPanelState& state) {
  const auto at = std::find(model.tensors.begin(), model.tensors.end(), state.tensor) - model.tensors.begin();
  const auto count = static_cast<std::ptrdiff_t>(model.tensors.size());
  const auto turn = [&](std::ptrdiff_t by) {
    if (count > 0) state.tensor = model.tensors[static_cast<std::size_t>((at + by + count) % count)];
  };
  const float button = ui.px(28);
  if (widgets::icon_button(ui, row.cut_left(button), Icon::ArrowLeft, "Previous tensor", "{")) turn(-1);
  if (widgets::icon_button(ui, row.cut_left(button), Icon::ArrowRight, "Next tensor", "}")) turn(1);
  if (!ui.is_typing() && ui.take_typed('{')) turn(-1);
  if (!ui.is_typing() && ui.take_typed('}')) turn(1);
  row.cut_left(ui.px(8));
  if (state.detail != Detail::History) {
    const std::initializer_list<std::string_view> labels = {
        "Weights", "Gradients", state.detail == Detail::Histogram ? "Activations" : "Attention"};
    const float width = std::min(row.width, widgets::segmented_width(ui, labels));
    const auto chosen =
        widgets::segmented(ui, row.cut_right(width), "What of it", labels, static_cast<std::size_t>(state.of));
    if (chosen) state.of = static_cast<Of>(*chosen);
    row.cut_right(ui.px(8));
  }
  const auto& modules = *model.training->modules();
  std::string name;
  if (state.of == Of::Module && state.detail != Detail::History) {
    const std::string_view path = live::text_of(modules.path()->Get(state.module));
    name = fmt::format("{} of {}", state.detail == Detail::Histogram ? "Output" : "Attention",
                       path.empty() ? "the model" : path);
  } else {
    const auto* devices = modules.tensor_device();
    name =
        fmt::format("{}  {}{}{}  ({} of {})", live::text_of(modules.tensor_path()->Get(state.tensor)),
                    live::text_of(modules.tensor_shape()->Get(state.tensor)), devices == nullptr ? "" : "  on ",
                    devices == nullptr ? std::string_view() : live::text_of(devices->Get(state.tensor)), at + 1, count);
  }
  AccessNode node;
  node.role = Role::Heading;
  node.name = name;
  ui.describe(ui.id("##tensor"), row, std::move(node));
  if (ui.paint_line(row, Type::Strong, ui.theme().text, name)) ui.tooltip_at(row, name);
}

/// One column a step, lowest bin at the bottom; the colour says how many values are in a bin.
void draw_histogram(Ui& ui, Rect area, const TrainingModel& model, const TrainingPanelState& state) {
  const std::deque<live::Message>* const told =
      model.training->histograms(subject_of(state), state.of == Of::Module ? state.module : state.tensor);
  if (told == nullptr || told->empty()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Tensor, "No histogram yet", when(model));
    return;
  }
  double low = 0;
  double high = 0;
  for (const live::Message& message : *told) {
    const auto& one = *message.as<live::wire::TrainingHistogram>();
    low = std::min(low, one.low());
    high = std::max(high, one.high());
  }
  if (high <= low) high = low + 1;
  const auto& newest = *told->back().as<live::wire::TrainingHistogram>();
  const std::string text =
      fmt::format("{}: {:.3g} to {:.3g}, step {}", live::wire::EnumNameTrainingSubject(subject_of(state)), newest.low(),
                  newest.high(), model::thousands(newest.step() + 1));
  AccessNode node;
  node.role = Role::Img;
  node.name = text;
  ui.describe(ui.id("##histogram"), area, std::move(node));
  ui.paint_line(area.cut_top(ui.px(22)), Type::Small, ui.theme().muted, text);
  const float width = area.width / static_cast<float>(told->size());
  for (std::size_t i = 0; i < told->size(); ++i) {
    const auto& one = *(*told)[i].as<live::wire::TrainingHistogram>();
    const auto& counts = *one.counts();
    std::uint32_t most = 1;
    for (const std::uint32_t count : counts) most = std::max(most, count);
    const double bin = counts.size() == 0 ? 0 : (one.high() - one.low()) / counts.size();
    for (std::uint32_t k = 0; k < counts.size(); ++k) {
      if (counts.Get(k) == 0) continue;
      const auto y_of = [&](double value) {
        return area.bottom() - static_cast<float>((value - low) / (high - low)) * area.height;
      };
      const float x = area.x + width * static_cast<float>(i);
      const float shade = std::sqrt(static_cast<float>(counts.Get(k)) / static_cast<float>(most));
      ui.draw().AddRectFilled(ImVec2(x, y_of(one.low() + bin * (k + 1))),
                              ImVec2(x + width + 0.5F, y_of(one.low() + bin * k)),
                              widgets::colour_map_at(widgets::ColourMap::Sequential, ui.theme().is_dark, shade));
    }
  }
}

/// What was told of the tensor, or of the attention in the chosen module or below it; null: nothing was.
const live::wire::TrainingValues* values_told(const TrainingModel& model, const TrainingPanelState& state) {
  if (state.of != Of::Module) return model.training->values_of(subject_of(state), state.tensor);
  const auto& parents = *model.training->modules()->parent();
  const auto* const told = model.training->values_of(TrainingSubject::Attention);
  for (std::uint32_t at = told == nullptr ? UINT32_MAX : told->of(); at < parents.size(); at = parents.Get(at)) {
    if (at == state.module) return told;
  }
  return nullptr;
}

/// The tensor as a matrix whose colours keep their meaning while it changes.
void draw_values(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  const live::wire::TrainingValues* const told = values_told(model, state);
  if (told == nullptr || model.renderer == nullptr) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Tensor, "No values yet",
                     state.of == Of::Module && !model.is_recording
                         ? "They come with the next step in which this module calls scaled_dot_product_attention."
                         : when(model));
    return;
  }
  const std::uint64_t of = (std::uint64_t{told->of()} << 32U) | told->subject();
  if (state.reach_of != of) {
    state.reach_of = of;
    state.reach = 0;
    state.heat = {};
  }
  for (const float value : *told->values()) {
    if (std::isfinite(value)) state.reach = std::max(state.reach, std::abs(static_cast<double>(value)));
  }
  const bool is_attention = state.of == Of::Module;
  const model::ValueRange range =
      model::colour_range(is_attention ? model::RangeMode::Full : model::RangeMode::Symmetric,
                          {is_attention ? 0 : -state.reach, state.reach}, nullptr);
  // Another number than those of the tensor panel, for every document, step and tensor.
  constexpr std::uint64_t kLive = std::uint64_t{1} << 63U;
  widgets::HeatMapTile tile;
  tile.version = kLive | (std::uint64_t{model.training->document() & 0x3FFU} << 53U) |
                 ((of ^ (of >> 32U)) % 0x1FFFFFU << 32U) | (told->step() & 0xFFFFFFFFU);
  tile.row_end = told->rows();
  tile.column_end = told->columns();
  tile.width = told->width();
  tile.height = told->height();
  tile.values = {told->values()->data(), told->values()->size()};
  widgets::HeatMapSpec spec;
  std::string text = fmt::format("{} after step {}: {} to {}", live::wire::EnumNameTrainingSubject(subject_of(state)),
                                 model::thousands(told->step() + 1), model::value_text(is_attention ? 0 : -state.reach),
                                 model::value_text(state.reach));
  if (told->tile_rows() > 0) {
    text += fmt::format(", {} {}", told->tiles(), is_attention ? "heads" : "filters by input channel");
    if (told->tiles_left_out() > 0) text += fmt::format(" ({} more do not fit)", told->tiles_left_out());
  }
  spec.name = text;
  spec.rows = told->rows();
  spec.columns = told->columns();
  spec.overview = &tile;
  spec.look = heat_look(ui.theme(), range);
  if (told->tile_rows() > 0) spec.look.infinite = ui.theme().background;  // between the tiles
  spec.format = [](double value) { return model::value_text(value); };
  if (state.heat.cursor_row >= 0) {
    const std::int64_t high = std::int64_t{told->tile_rows()} + 1, wide = std::int64_t{told->tile_columns()} + 1;
    const std::int64_t row = state.heat.cursor_row, column = state.heat.cursor_column;
    spec.cursor = told->tile_rows() == 0
                      ? fmt::format("[{}, {}]", row, column)
                      : fmt::format("tile {}, {}: [{}, {}]", row / high, column / wide, row % high, column % wide);
    if (const auto value = widgets::heat_map_value(spec, state.heat.cursor_row, state.heat.cursor_column))
      spec.cursor += fmt::format(" = {}", model::value_text(static_cast<double>(*value)));
  }
  Rect words = area.cut_top(ui.px(22));
  if (!spec.cursor.empty())
    ui.paint_line(words.cut_right(words.width / 2), Type::CodeSmall, ui.theme().text, spec.cursor, 1);
  ui.paint_line(words, Type::Small, ui.theme().muted, text);
  widgets::heat_map(ui, area, *model.renderer, state.heat, spec);
}

/// Newest first.
void draw_history(Ui& ui, const Rect& area, const TrainingModel& model, TrainingPanelState& state) {
  const std::deque<live::wire::Touch>* const told = model.training->history(state.tensor);
  if (told == nullptr || told->empty()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Info, "Nothing has touched it yet",
                     model.is_recording ? when(model)
                                        : "From now on each gradient, write of an optimizer and hook of this parameter "
                                          "stands here.");
    return;
  }
  const auto count = static_cast<std::uint32_t>(told->size());
  widgets::RowListSpec spec;
  spec.name = "History";
  spec.role = Role::List;
  spec.count = count;
  spec.cursor = state.history_line;
  spec.row_height = 22;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, state.history_list, area, std::move(spec));
  if (list.moved_to()) state.history_line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const live::wire::Touch& touch = (*told)[count - 1 - index];
    const std::string text = model::touch_text(touch);
    AccessNode node;
    node.role = Role::ListItem;
    node.name = fmt::format("step {}: {}", touch.step() + 1, text);
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(count);
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row.cut_left(ui.px(8));
    ui.paint_line(row.cut_left(ui.px(80)), Type::CodeSmall, ui.theme().muted, model::thousands(touch.step() + 1));
    using live::wire::TouchKind;
    const bool is_bad = touch.kind() != TouchKind::Hook && std::isinf(touch.norm());
    const widgets::Colour colour = is_bad                             ? ui.theme().danger
                                   : touch.kind() == TouchKind::Hook  ? ui.theme().hook
                                   : touch.kind() == TouchKind::Write ? ui.theme().parameter
                                                                      : ui.theme().text;
    ui.paint_line(row, Type::CodeSmall, colour, text);
    list.close_row();
    if (events.clicked) state.history_line = index;
  }
}

}  // namespace

void draw_training_tensor(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  const bool has_tensor = std::find(model.tensors.begin(), model.tensors.end(), state.tensor) != model.tensors.end();
  if (!has_tensor) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Tensor, "No parameter here", "Choose a module that has parameters, itself or below it.");
    return;
  }
  draw_choice(ui, area.cut_top(ui.px(28)), model, state);
  area.cut_top(ui.px(4));
  if (state.detail == Detail::Histogram) draw_histogram(ui, area, model, state);
  if (state.detail == Detail::Values) draw_values(ui, area, model, state);
  if (state.detail == Detail::History) draw_history(ui, area, model, state);
}

}  // namespace nns::panels
