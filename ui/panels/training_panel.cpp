#include "ui/panels/training_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/slider.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::TrainingState;
using widgets::ButtonStyle;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using Act = TrainingAsk::What;

namespace {

constexpr float kNarrowTraining = 860;  // design units, below which the modules stand under the curves

widgets::Colour state_colour(const widgets::Theme& theme, TrainingState state) {
  switch (state) {
    case TrainingState::Running:
    case TrainingState::Finished:
      return theme.good;
    case TrainingState::Failed:
      return theme.danger;
    case TrainingState::Paused:
    case TrainingState::Stopped:
      return theme.warning;
    case TrainingState::Starting:
      return theme.muted;
  }
  return theme.muted;
}

/// A number with its name above it.
void draw_figure(Ui& ui, Rect& row, float width, std::string_view name, const std::string& value) {
  if (row.width < ui.px(width)) return;
  Rect cell = row.cut_left(ui.px(width));
  AccessNode node;
  node.role = Role::Text;
  node.name = fmt::format("{}: {}", name, value);
  ui.describe(ui.id(name), cell, std::move(node));
  cell = cell.middle(ui.px(38));
  ui.paint_line(cell.cut_top(ui.px(16)), Type::Small, ui.theme().muted, name);
  ui.paint_line(cell, Type::Strong, ui.theme().text, value);
}

/// Optimiser and group within it of a learning rate, by its number.
std::pair<std::uint32_t, std::uint32_t> group_of_rate(const live::wire::Training& told, std::uint32_t rate) {
  const auto& optimizers = *told.learning_rate_of();
  if (rate >= optimizers.size()) return {UINT32_MAX, UINT32_MAX};
  std::uint32_t first = rate;
  while (first > 0 && optimizers.Get(first - 1) == optimizers.Get(rate)) --first;
  return {optimizers.Get(rate), rate - first};
}

/// The learning rate, and of which group of parameters it is where there are several.
std::optional<Intent> draw_rate(Ui& ui, Rect row, const TrainingModel& model, TrainingPanelState& state,
                                bool is_disabled, std::string_view why) {
  constexpr float kField = 130;
  const live::wire::Training* told = model.training->state();
  const std::uint32_t count = told == nullptr ? 0 : told->learning_rates()->size();
  if (row.width < ui.px(count > 1 ? kField + 96 : kField + 80)) return std::nullopt;
  if (state.rate_of >= count) state.rate_of = UINT32_MAX;
  // It stays where it is while the words beside it change.
  if (count > 1) {
    if (widgets::icon_button(ui, row.cut_left(ui.px(28)), Icon::ArrowRight, "Next group of parameters")) {
      state.rate_of = state.rate_of == UINT32_MAX ? 0 : state.rate_of + 1 < count ? state.rate_of + 1 : UINT32_MAX;
      state.rate_changed = false;
    }
    row.cut_left(ui.px(6));
  }
  bool is_one = true;
  for (std::uint32_t i = 1; i < count; ++i)
    is_one = is_one && told->learning_rates()->Get(i) == told->learning_rates()->Get(0);
  if (!state.rate_changed && count > 0) {
    state.rate =
        state.rate_of == UINT32_MAX && !is_one
            ? std::string()
            : fmt::format("{:.6g}", told->learning_rates()->Get(state.rate_of == UINT32_MAX ? 0 : state.rate_of));
  }
  const std::string group =
      state.rate_of == UINT32_MAX ? fmt::format("all {} groups", count) : model::group_text(*told, state.rate_of);
  std::string label = count > 1 ? "Learning rate of " + group : std::string("Learning rate");
  // Where there is less room the field says what it is.
  const float least = ui.px(kField + 60);
  const auto label_width = [&] { return ui.text_width(Type::Small, label) + ui.px(8); };
  if (count > 1 && row.width < label_width() + least) label = group;
  if (row.width >= label_width() + least || count > 1) {
    const Rect words = row.cut_left(std::min(label_width(), row.width - least));
    ui.paint_line(words, Type::Small, ui.theme().muted, label);
    if (count > 1) {
      AccessNode node;
      node.role = Role::Text;
      node.name = fmt::format("Learning rate of {}", group);
      ui.describe(ui.id("##rate of"), words, std::move(node));
    }
  }
  widgets::TextFieldSpec field;
  field.name = "Learning rate";
  field.placeholder = count > 1 ? "they differ" : "0.001";
  field.type = Type::Code;
  const widgets::TextFieldResult typed = widgets::text_field(ui, row.cut_left(ui.px(kField)), state.rate, field);
  state.rate_changed |= typed.changed;
  if (!typed.is_active && !typed.entered && state.rate_changed && state.rate.empty()) state.rate_changed = false;
  row.cut_left(ui.px(8));
  const bool pressed = widgets::button(ui, row.cut_left(widgets::button_width(ui, "Set", false)), "Set",
                                       ButtonStyle::Plain, std::nullopt, is_disabled || !state.rate_changed, why);
  // What is no number stays to be mended.
  const std::optional<double> rate = model::finite_number(state.rate);
  if ((!typed.entered && !pressed) || is_disabled || !state.rate_changed || !rate) return std::nullopt;
  state.rate_changed = false;
  TrainingAsk asked{Act::SetRate, model.training->document(), *rate, 0};
  if (state.rate_of != UINT32_MAX) std::tie(asked.optimizer, asked.group) = group_of_rate(*told, state.rate_of);
  return asked;
}

std::optional<Intent> draw_controls(Ui& ui, Rect row, const TrainingModel& model, TrainingPanelState& state) {
  std::optional<Intent> intent;
  const live::wire::Training* told = model.training->state();
  const TrainingState now = told == nullptr ? TrainingState::Starting : told->state();
  const bool is_disabled = !model.may_control || model::is_over(now) || model.is_recording;
  const std::string_view why = model.is_recording    ? "A recording cannot be changed"
                               : !model.may_control  ? "Watching only: attach with the control token to change the run"
                               : model::is_over(now) ? "The run is over"
                                                     : "";
  const std::uint32_t document = model.training->document();
  const auto press = [&](std::string_view label, std::optional<Icon> icon, ButtonStyle style, Act what, bool disabled,
                         std::string_view tip, std::string_view reason) {
    const Rect place = row.cut_left(widgets::button_width(ui, label, icon.has_value()));
    row.cut_left(ui.px(8));
    if (widgets::button(ui, place, label, style, icon, disabled, reason.empty() ? tip : reason)) {
      intent = TrainingAsk{what, document, 0, 0};
    }
  };
  if (now == TrainingState::Paused) {
    press("Resume", Icon::ChevronRight, ButtonStyle::Primary, Act::Resume, is_disabled, "P", why);
  } else {
    press("Pause", std::nullopt, ButtonStyle::Primary, Act::Pause, is_disabled, "P", why);
  }
  press("Step", Icon::ArrowRight, ButtonStyle::Plain, Act::Step, is_disabled, "One step, then pause  (.)", why);
  // The last one is there when the run is over.
  const auto* const taken = model.training->checkpoints();
  const bool has_last =
      model.saves_checkpoints && model::is_over(now) && taken != nullptr && taken->checkpoints()->size() > 0;
  const bool takes_none = is_disabled && !has_last;
  press("Checkpoint", Icon::Layers, ButtonStyle::Plain, Act::Checkpoint, takes_none,
        model.saves_checkpoints ? "Saves one as a file  (C)" : "Writes one now  (C)", has_last ? "" : why);
  press("Stop", Icon::Close, ButtonStyle::Plain, Act::Stop, is_disabled, "Ends the run", why);
  row.cut_left(ui.px(8));
  if (auto asked = draw_rate(ui, row, model, state, is_disabled, why)) intent = std::move(asked);
  if (!ui.is_typing() && !is_disabled) {
    if (ui.take_typed('p'))
      intent = TrainingAsk{now == TrainingState::Paused ? Act::Resume : Act::Pause, document, 0, 0};
    if (ui.take_typed('.')) intent = TrainingAsk{Act::Step, document, 0, 0};
  }
  if (!ui.is_typing() && !takes_none && ui.take_typed('c')) intent = TrainingAsk{Act::Checkpoint, document, 0, 0};
  return intent;
}

std::optional<Intent> draw_head(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  const live::wire::Training* told = model.training->state();
  const TrainingState now = told == nullptr ? TrainingState::Starting : told->state();
  area = area.inset(ui.px(20), 0);
  area.cut_top(ui.px(12));
  Rect title = area.cut_top(ui.px(28));
  const std::string name = told == nullptr ? "Training" : std::string(live::text_of(told->title()));
  const std::string words(model::state_text(now));
  AccessNode node;
  node.role = Role::Heading;
  node.name = fmt::format("{}, {}, {}", name, words, told == nullptr ? "" : model::progress_text(*told));
  ui.describe(ui.id("##title"), title, std::move(node));
  const float name_width = std::min(title.width * 0.5F, ui.text_width(Type::Title, name) + ui.px(12));
  ui.paint_line(title.cut_left(name_width), Type::Title, ui.theme().text, name);
  const float chip = widgets::chip_width(ui, words);
  widgets::paint_chip(ui, title.x, title, words, state_colour(ui.theme(), now));
  title.cut_left(chip + ui.px(12));
  if (told != nullptr) ui.paint_line(title, Type::Body, ui.theme().muted, model::progress_text(*told));
  area.cut_top(ui.px(4));
  Rect figures = area.cut_top(ui.px(44));
  if (told != nullptr) {
    draw_figure(ui, figures, 110, "Loss", std::isnan(told->loss()) ? "none yet" : fmt::format("{:.5g}", told->loss()));
    draw_figure(ui, figures, 120, "Steps a second", fmt::format("{:.4g}", told->steps_per_second()));
    draw_figure(ui, figures, 130, "Samples a second", fmt::format("{:.4g}", told->samples_per_second()));
    draw_figure(ui, figures, 110, "Time", model::duration_text(told->seconds()));
    draw_figure(ui, figures, 130, "Memory", model::short_bytes(told->bytes()));
    draw_figure(ui, figures, 110, "Watching costs",
                fmt::format("{:.2g}%", static_cast<double>(told->watch_share()) * 100));
    draw_figure(ui, figures, 90, "Device", std::string(live::text_of(told->device())));
  }
  area.cut_top(ui.px(8));
  return draw_controls(ui, area.cut_top(ui.px(34)), model, state);
}

/// One line of trouble or news over the curves: an alert, a lost connection, missed events, damage.
float draw_news(Ui& ui, Rect area, const TrainingModel& model) {
  const float before = area.height;
  const auto line = [&](Icon icon, widgets::Colour colour, const std::string& text) {
    Rect row = area.cut_top(ui.px(26)).inset(ui.px(20), 0);
    AccessNode node;
    node.role = Role::Status;
    node.name = text;
    ui.describe(ui.id(text), row, std::move(node));
    paint_icon(ui, icon, row.cut_left(ui.px(20)), colour, 15);
    row.cut_left(ui.px(6));
    if (ui.paint_line(row, Type::Small, ui.theme().text, text)) ui.tooltip_at(row, text);
  };
  if (!model.trouble.empty()) line(Icon::Warning, ui.theme().warning, model.trouble);
  if (!model.damage.empty()) line(Icon::Warning, ui.theme().warning, model.damage);
  if (const auto* alert = model.training->alert()) {
    line(Icon::Danger, ui.theme().danger, model::alert_text(*alert));
  }
  // What paused the run is the alert.
  const auto* const said = model.training->alert();
  if (const auto* told = model.training->state();
      told != nullptr && told->problem() != nullptr &&
      !(said != nullptr && said->paused() && told->state() == TrainingState::Paused)) {
    line(Icon::Danger, ui.theme().danger, live::error_of(*told->problem()).message());
  }
  if (const auto* told = model.training->state(); told != nullptr && told->series_left_out() > 0) {
    line(Icon::Info, ui.theme().muted,
         fmt::format("{} more quantities that the run logs by name are not shown: there is room for {}",
                     model::thousands(told->series_left_out()), model::thousands(model.training->series().size())));
  }
  if (model.left_out > 0) {
    line(Icon::Info, ui.theme().muted,
         fmt::format("{} events were left out here, because this viewer was slow", model::thousands(model.left_out)));
  }
  return before - area.height;
}

/// Which colour is whose, where there are several curves; those for which there is no room are counted.
void draw_legend(Ui& ui, Rect row, std::span<const model::ChartLine> lines) {
  std::size_t left = 0;
  for (const model::ChartLine& line : lines) left += line.is_faint ? 0 : 1;
  if (left < 2) return;
  const float room_for_count = ui.text_width(Type::Small, "+999") + ui.px(4);
  for (const model::ChartLine& line : lines) {
    if (line.is_faint) continue;
    const float width = ui.text_width(Type::Small, line.name) + ui.px(32);
    if (row.width < width + (left > 1 ? room_for_count : 0)) {
      ui.paint_line(row, Type::Small, ui.theme().muted, fmt::format("+{}", left));
      return;
    }
    const Rect swatch = row.cut_left(ui.px(12)).middle(ui.px(4));
    ui.draw().AddRectFilled(ImVec2(swatch.x, swatch.y), ImVec2(swatch.right(), swatch.bottom()),
                            widgets::category_colour(line.colour, ui.theme().is_dark), ui.px(2));
    row.cut_left(ui.px(6));
    ui.paint_line(row.cut_left(width - ui.px(18)), Type::Small, ui.theme().muted, line.name);
    --left;
  }
}

void draw_chart(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  ui.open_group(ui.id("##curves"), area, Role::Region, "Curves");
  area = area.inset(ui.px(20), 0);
  Rect bar = area.cut_top(ui.px(34));
  std::vector<widgets::TabSpec> tabs;
  for (std::size_t i = 0; i < model::kQuantities; ++i) {
    widgets::TabSpec tab;
    tab.label = model::quantity_name(static_cast<model::ChartChoice::Quantity>(i));
    tabs.push_back(std::move(tab));
  }
  const bool is_wide = bar.width >= ui.px(760);
  const float right = is_wide ? ui.px(310) : 0;
  Rect options = is_wide ? bar.cut_right(right) : area.cut_top(ui.px(32));
  const widgets::TabsResult chosen =
      widgets::tabs(ui, bar, "Quantity", tabs, static_cast<std::size_t>(state.chart.quantity));
  if (chosen.chosen) state.chart.quantity = static_cast<model::ChartChoice::Quantity>(*chosen.chosen);
  options = options.middle(ui.px(28));
  const auto choose = [&](std::string_view name, std::initializer_list<std::string_view> labels, std::size_t on) {
    const float width = widgets::segmented_width(ui, labels);
    if (options.width < width) return std::optional<std::size_t>();
    const Rect place = options.cut_right(width);
    options.cut_right(ui.px(8));
    return widgets::segmented(ui, place, name, labels, on);
  };
  if (const auto on = choose("Horizontal axis", {"Steps", "Time"}, state.chart.is_over_time ? 1 : 0)) {
    state.chart.is_over_time = *on == 1;
    state.chart.zoom.reset();
  }
  const auto choose_log = [&](std::string_view label, std::string_view name, bool& on) {
    const float width = ui.text_width(Type::Small, label) + ui.px(24);
    if (options.width < width) return false;
    const Rect place = options.cut_right(width);
    options.cut_right(ui.px(8));
    const bool pressed = widgets::toggle(ui, label, place, label, name, on, name);
    if (pressed) on = !on;
    return pressed;
  };
  choose_log("Log y", "Logarithmic vertical axis", state.chart.log_y);
  if (choose_log("Log x", "Logarithmic horizontal axis", state.chart.log_x)) state.chart.zoom.reset();
  constexpr std::array<double, 4> kSmoothing = {0, 0.6, 0.9, 0.98};
  const auto level = static_cast<std::size_t>(std::find(kSmoothing.begin(), kSmoothing.end(), state.chart.smoothing) -
                                              kSmoothing.begin());
  Rect below = area.cut_bottom(ui.px(34)).middle(ui.px(26));
  const float smoothing = widgets::segmented_width(ui, {"None", "Light", "Strong", "Most"});
  const Rect label = below.cut_left(ui.text_width(Type::Small, "Smoothing") + ui.px(10));
  ui.paint_line(label, Type::Small, ui.theme().muted, "Smoothing");
  if (const auto on = widgets::segmented(ui, below.cut_left(smoothing), "Smoothing",
                                         {"None", "Light", "Strong", "Most"}, std::min<std::size_t>(level, 3))) {
    state.chart.smoothing = kSmoothing[*on];
  }
  below.cut_left(ui.px(8));
  // On a narrow screen nothing has room beside the smoothing.
  if (!is_wide && (model.others > 0 || state.chart.zoom)) below = area.cut_bottom(ui.px(32)).middle(ui.px(26));
  if (model.others > 0) {
    const std::string other = state.lays_over ? "Only this run" : fmt::format("Lay {} more over it", model.others);
    if (widgets::button(ui, below.cut_left(widgets::button_width(ui, other, false)), other, ButtonStyle::Ghost)) {
      state.lays_over = !state.lays_over;
    }
  }
  if (state.chart.zoom) {
    if (widgets::button(ui, below.cut_right(widgets::button_width(ui, "Show all", true)), "Show all",
                        ButtonStyle::Ghost, Icon::Fit)) {
      state.chart.zoom.reset();
    }
  }
  below.cut_left(ui.px(8));
  draw_legend(ui, below, model.chart->lines());
  area.cut_top(ui.px(6));
  if (model.chart->is_empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), ui.px(12)));
    const bool is_loss = state.chart.quantity == model::ChartChoice::Quantity::Loss;
    const bool is_metrics = state.chart.quantity == model::ChartChoice::Quantity::Metrics;
    flow.empty_state(Icon::Info, is_loss ? "No step yet" : "Nothing to draw",
                     is_loss      ? "The curve begins with the first optimizer.step()."
                     : is_metrics ? "What a run logs by name (accuracy, perplexity) stands here."
                                  : "This run has not told of this quantity, or does not watch it.");
    ui.close_group();
    return;
  }
  std::vector<widgets::PlotLine> lines;
  for (const model::ChartLine& line : model.chart->lines()) {
    widgets::PlotLine drawn{line.name, widgets::category_colour(line.colour, ui.theme().is_dark), {}, line.is_faint};
    drawn.columns.reserve(line.columns.size());
    for (const model::CurveColumn& column : line.columns) {
      drawn.columns.push_back(
          {column.x, static_cast<float>(column.low), static_cast<float>(column.high), static_cast<float>(column.last)});
    }
    lines.push_back(std::move(drawn));
  }
  const auto ticks = [&](model::AxisRange range, std::size_t most, bool log) {
    std::vector<widgets::PlotTick> drawn;
    for (const model::AxisTick& tick : model::axis_ticks(range, most, log)) {
      drawn.push_back({static_cast<float>((tick.at - range.low) / (range.high - range.low)), tick.text});
    }
    return drawn;
  };
  const auto x_ticks =
      ticks(model.chart->x(), static_cast<std::size_t>(std::max(2.0F, area.width / ui.px(110))), state.chart.log_x);
  const auto y_ticks =
      ticks(model.chart->y(), static_cast<std::size_t>(std::max(2.0F, area.height / ui.px(44))), state.chart.log_y);
  std::string description = model.chart->description();
  // Where the pointer is now: it is read out in the same frame.
  const ImGuiIO& io = ImGui::GetIO();
  Rect inner = area;
  inner.cut_left(ui.px(62));
  inner.cut_right(ui.px(8));
  std::optional<float> at = state.plot.keyboard_cursor;
  if (inner.contains(io.MousePos.x, io.MousePos.y)) at = (io.MousePos.x - inner.x) / std::max(1.0F, inner.width);
  std::vector<std::string> readout;
  if (at) readout = model.chart->readout(static_cast<double>(*at));
  // Who moves the cursor by keys may not see it: what is there is said first.
  if (state.plot.keyboard_cursor && !readout.empty())
    description = fmt::format("{}. {}", fmt::join(readout, "; "), description);
  widgets::PlotSpec spec;
  const std::string name(model::quantity_name(state.chart.quantity));
  spec.name = name;
  spec.description = description;
  spec.lines = lines;
  spec.x_ticks = x_ticks;
  spec.y_ticks = y_ticks;
  spec.readout = readout;
  const widgets::PlotEvents events = widgets::plot(ui, area, spec, state.plot);
  state.columns = static_cast<std::size_t>(std::max(16.0F, events.columns));
  const model::AxisRange whole = model.chart->whole();
  model::AxisRange seen = model.chart->x();
  if (events.fits) {
    state.chart.zoom.reset();
  } else if (events.zoom != 0 || events.pan != 0) {
    const double width = seen.high - seen.low;
    const double wanted = std::clamp(width * std::pow(0.8, static_cast<double>(events.zoom)),
                                     (whole.high - whole.low) * 1e-5, whole.high - whole.low);
    const double held = seen.low + static_cast<double>(events.zoom_at) * width;
    double low = held - static_cast<double>(events.zoom_at) * wanted - static_cast<double>(events.pan) * width;
    low = std::clamp(low, whole.low, whole.high - wanted);
    state.chart.zoom = model::AxisRange{low, low + wanted};
    if (wanted >= whole.high - whole.low) state.chart.zoom.reset();
  }
  ui.close_group();
}

void draw_modules(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  ui.open_group(ui.id("##modules"), area, Role::Region, "Modules");
  area.cut_top(ui.px(4));
  const auto turner = [&](std::string_view shown, std::string_view what, char back, char on) {
    Rect bar = area.cut_top(ui.px(28)).inset(ui.px(12), 0);
    int by = 0;
    if (widgets::icon_button(ui, bar.cut_left(ui.px(28)), Icon::ArrowLeft, fmt::format("Previous {}", what),
                             std::string_view(&back, 1)))
      by = -1;
    if (widgets::icon_button(ui, bar.cut_right(ui.px(28)), Icon::ArrowRight, fmt::format("Next {}", what),
                             std::string_view(&on, 1)))
      by = 1;
    if (!ui.is_typing() && ui.take_typed(back)) by = -1;
    if (!ui.is_typing() && ui.take_typed(on)) by = 1;
    ui.paint_line(bar.inset(ui.px(6), 0), Type::Strong, ui.theme().text, shown, 0.5F);
    return by;
  };
  const Rect head{area.x, area.y, area.width, ui.px(56)};
  AccessNode heading;
  heading.role = Role::Heading;
  heading.name = fmt::format("Modules by {}", model::statistic_name(state.statistic));
  ui.describe(ui.id("##statistic"), head, std::move(heading));
  if (const int by = turner(model::subject_name(state.statistic.of), "subject", '(', ')'); by != 0)
    state.statistic = model::turned_subject(state.statistic, by);
  if (const int by = turner(model::measure_name(state.statistic.measure), "statistic", '[', ']'); by != 0)
    state.statistic = model::turned_measure(state.statistic, by);
  if (model.modules.empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(20), ui.px(12)));
    flow.empty_state(Icon::Module, "No modules yet", "They are shown once the program has made a step with a model.");
    ui.close_group();
    return;
  }
  widgets::RowListSpec spec;
  spec.name = "Modules";
  spec.role = Role::Table;
  spec.count = static_cast<std::uint32_t>(model.modules.size());
  spec.cursor = std::min(state.module, spec.count - 1);
  spec.row_height = 26;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, state.module_list, area, std::move(spec));
  if (list.moved_to()) state.module = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::ModuleRow& module = model.modules[index];
    AccessNode node;
    node.role = Role::Row;
    node.name = fmt::format("{}, {}, {}{}", module.name, module.class_name,
                            module.text.empty() ? "not watched" : module.text, module.is_bad ? ", NaN or Inf" : "");
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(model.modules.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    list.cell(row, module.name);
    list.cell(row, module.text);
    row.cut_left(ui.px(10));
    row.cut_right(ui.px(10));
    const Rect swatch = row.cut_left(ui.px(14)).middle(ui.px(14));
    const widgets::Colour colour =
        module.shade < 0 ? ui.theme().track
        : module.is_bad  ? ui.theme().danger
                         : widgets::colour_map_at(widgets::ColourMap::Sequential, ui.theme().is_dark, module.shade);
    ui.draw().AddRectFilled(ImVec2(swatch.x, swatch.y), ImVec2(swatch.right(), swatch.bottom()), colour, ui.px(3));
    row.cut_left(ui.px(8) + ui.px(12) * static_cast<float>(std::min(module.depth, 8)));
    const Rect value = row.cut_right(std::min(ui.px(84), row.width / 2));
    ui.paint_line(value, Type::CodeSmall, module.is_bad ? ui.theme().danger : ui.theme().text,
                  module.text.empty() ? "\xE2\x80\x93" : module.text, 1);
    row.cut_right(ui.px(8));
    const float name_width = std::min(row.width, ui.text_width(Type::Body, module.name) + ui.px(8));
    ui.paint_line(row.cut_left(name_width), Type::Body, ui.theme().text, module.name);
    if (row.width > ui.px(30)) ui.paint_line(row, Type::Small, ui.theme().muted, module.class_name);
    list.close_row();
    if (events.clicked) state.module = index;
  }
  ui.close_group();
}

std::optional<Intent> draw_time_slider(Ui& ui, Rect area, const TrainingModel& model) {
  std::optional<Intent> intent;
  ui.open_group(ui.id("##time"), area, Role::Region, "Time");
  Rect row = area.inset(ui.px(20), 0).middle(ui.px(30));
  const std::string text = fmt::format("{} of {} events, {}", model::thousands(model.event),
                                       model::thousands(model.events), model::duration_text(model.at_s));
  ui.paint_line(row.cut_right(std::min(row.width / 2, ui.text_width(Type::Small, text) + ui.px(8))), Type::Small,
                ui.theme().muted, text, 1);
  row.cut_right(ui.px(12));
  if (const auto event = widgets::index_slider(ui, row, "Time of the recording", model.event, model.events + 1)) {
    intent = TrainingAsk{Act::Seek, model.training->document(), 0, *event};
  }
  ui.close_group();
  return intent;
}

}  // namespace

std::optional<Intent> draw_training(Ui& ui, const Rect& whole, const TrainingModel& model, TrainingPanelState& state) {
  ui.open_group(ui.id("##training"), whole, Role::Main, "Training");
  Rect area = whole;
  widgets::draw_plate(ui, area, ui.theme().surface);
  std::optional<Intent> intent = draw_head(ui, area.cut_top(ui.px(138)), model, state);
  area.cut_top(draw_news(ui, area, model));
  if (model.is_recording) {
    if (auto asked = draw_time_slider(ui, area.cut_bottom(ui.px(44)), model)) intent = std::move(asked);
  }
  const bool is_narrow = area.width < ui.px(kNarrowTraining);
  // Lanes of ranks are of the whole model: where there is little room they take that of its modules.
  const bool is_ranks = state.detail == TrainingPanelState::Detail::Ranks && model.training->ranks() != nullptr;
  const bool has_modules = !is_narrow || !is_ranks;
  Rect modules;
  if (has_modules) modules = is_narrow ? area.cut_bottom(std::round(area.height * 0.3F)) : area.cut_right(ui.px(330));
  // A heat map wants to be looked at; figures need less.
  const bool is_picture = is_ranks || state.detail == TrainingPanelState::Detail::Values ||
                          state.detail == TrainingPanelState::Detail::Histogram;
  const float part = !has_modules ? 0.6F : is_picture ? 0.5F : 0.36F;
  // Room for the names and times of all phases, but no more than half.
  const float least = std::min(std::max(ui.px(120), area.height / 2), ui.px(188));
  const Rect details = area.cut_bottom(
      std::clamp(std::round(area.height * part), std::min(area.height, least), ui.px(is_picture ? 520 : 320)));
  draw_chart(ui, area, model, state);
  if (auto asked = draw_training_details(ui, details, model, state)) intent = std::move(asked);
  if (has_modules) {
    const ImVec2 end = is_narrow ? ImVec2(modules.right(), modules.y) : ImVec2(modules.x, modules.bottom());
    ui.draw().AddLine(ImVec2(modules.x, modules.y), end, ui.theme().border);
    draw_modules(ui, modules, model, state);
  }
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
