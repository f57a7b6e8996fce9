// The lower part of a training's screen: where a step's time goes, the log; of a tensor see training_tensors.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "ui/model/format.h"
#include "ui/panels/rank_lanes.h"
#include "ui/panels/studio_panel.h"
#include "ui/panels/training_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr double kNsPerMs = 1e6;

void draw_spans(Ui& ui, Rect area, const TrainingModel& model) {
  const live::wire::TrainingTimeline& told = *model.training->timeline();
  std::uint64_t end = 1;
  for (const live::wire::Span* span : *told.spans()) end = std::max(end, span->end_ns());
  ui.open_group(ui.id("##timeline"), area, Role::List,
                fmt::format("Timeline of step {}, {:.3g} ms", model::thousands(told.step() + 1),
                            static_cast<double>(end) / kNsPerMs));
  const float row_height = ui.px(20);
  int described = 0;
  std::uint32_t index = 0;
  for (const live::wire::Span* span : *told.spans()) {
    ++index;
    const auto at = [&](std::uint64_t ns) {
      return area.x + static_cast<float>(static_cast<double>(ns) / static_cast<double>(end)) * area.width;
    };
    const float y = area.y + row_height * static_cast<float>(span->depth());
    if (y + row_height > area.bottom()) continue;
    const Rect box{at(span->begin_ns()), y, std::max(1.0F, at(span->end_ns()) - at(span->begin_ns())),
                   row_height - ui.px(2)};
    ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()),
                            widgets::category_colour(static_cast<std::size_t>(span->kind()), ui.theme().is_dark),
                            ui.px(2));
    // What is too narrow to be seen would only be noise to who hears it, too.
    constexpr int kMostDescribed = 200;
    const bool is_described = box.width >= ui.px(3) && described < kMostDescribed;
    if (!is_described && !ui.is_hovered(box)) continue;
    const std::string text = model::span_text(*span, model.training->modules());
    if (ui.is_hovered(box)) ui.tooltip_at(box, text);
    if (!is_described) continue;
    ++described;
    AccessNode node;
    node.role = Role::ListItem;
    node.name = text;
    ui.describe(ui.id(fmt::format("##span{}", index)), box, std::move(node));
  }
  ui.close_group();
}

void draw_phases(Ui& ui, Rect area, const TrainingModel& model) {
  if (model.phases.empty()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Info, "No step yet", "Where the time of a step goes is shown after the first.");
    return;
  }
  double total = 0;
  for (const model::PhaseShare& phase : model.phases) total += phase.ms;
  ui.paint_line(area.cut_top(ui.px(22)), Type::Small, ui.theme().muted,
                fmt::format("A step takes {:.4g} ms (mean of the last 50)", total));
  const Rect bar = area.cut_top(ui.px(26));
  float x = bar.x;
  for (std::size_t i = 0; i < model.phases.size(); ++i) {
    const float width = static_cast<float>(model.phases[i].share) * bar.width;
    ui.draw().AddRectFilled(ImVec2(x, bar.y), ImVec2(x + width, bar.bottom()),
                            widgets::category_colour(i, ui.theme().is_dark));
    x += width;
  }
  area.cut_top(ui.px(10));
  const float columns = std::clamp(std::floor(area.width / ui.px(190)), 1.0F, 3.0F);
  const float column = area.width / columns;
  const float line_height = ui.px(24);
  Rect row = area.cut_top(line_height);
  for (std::size_t i = 0; i < model.phases.size(); ++i) {
    if (row.width < column - 1) row = area.cut_top(line_height);
    if (row.height < line_height) break;
    Rect cell = row.cut_left(column);
    const model::PhaseShare& phase = model.phases[i];
    const std::string value = fmt::format("{:.3g} ms  {:.0f}%", phase.ms, phase.share * 100);
    AccessNode node;
    node.role = Role::Text;
    node.name = fmt::format("{}: {}", phase.name, value);
    ui.describe(ui.id(phase.name), cell, std::move(node));
    const Rect mark = cell.cut_left(ui.px(12)).middle(ui.px(12));
    ui.draw().AddRectFilled(ImVec2(mark.x, mark.y), ImVec2(mark.right(), mark.bottom()),
                            widgets::category_colour(i, ui.theme().is_dark), ui.px(2));
    cell.cut_left(ui.px(8));
    ui.paint_line(cell.cut_left(ui.px(80)), Type::Body, ui.theme().text, phase.name);
    ui.paint_line(cell, Type::CodeSmall, ui.theme().muted, value);
  }
  area.cut_top(ui.px(10));
  if (model.training->timeline() != nullptr && area.height > ui.px(30)) draw_spans(ui, area, model);
}

/// What of the run this viewer is told, how often, and where its memory goes.
void draw_watching(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  const auto line = [&](std::string_view text) {
    ui.paint_line(area.cut_top(ui.px(22)), Type::Small, ui.theme().muted, text);
  };
  const auto label = [&](Rect& row, std::string_view text) {
    ui.paint_line(row.cut_left(std::min(ui.px(150), row.width * 0.4F)), Type::Body, ui.theme().text, text);
  };
  if (!model.is_recording) {
    Rect row = area.cut_top(ui.px(32));
    label(row, "Modules and tensors");
    widgets::TextFieldSpec field;
    field.name = "Statistics of modules and tensors";
    field.placeholder = "layers.*.weight (* is any text)";
    field.type = Type::Code;
    widgets::text_field(ui, row.cut_left(std::min(row.width, ui.px(320))), state.pattern, field);
    area.cut_top(ui.px(6));
    row = area.cut_top(ui.px(28));
    label(row, "How often");
    const std::initializer_list<std::string_view> rates = {"Never", "1 a second", "4 a second", "Every step"};
    if (const auto chosen =
            widgets::segmented(ui, row.cut_left(std::min(row.width, widgets::segmented_width(ui, rates))),
                               "How often statistics come", rates, static_cast<std::size_t>(state.rate_of_statistics)))
      state.rate_of_statistics = static_cast<TrainingPanelState::Rate>(*chosen);
    area.cut_top(ui.px(6));
  }
  const live::wire::Training* const told = model.training->state();
  if (told == nullptr) return;
  line(fmt::format("All that is watched, by whomever, costs {:.2g}% of the last steps' time",
                   static_cast<double>(told->watch_share()) * 100));
  const std::uint64_t known = told->model_bytes() + told->gradient_bytes() + told->optimizer_bytes();
  line(fmt::format("Tensors: {} now, at most {}", model::short_bytes(told->bytes()),
                   model::short_bytes(told->peak_bytes())));
  line(fmt::format("Model {}, gradients {}, optimizer {}, other {}", model::short_bytes(told->model_bytes()),
                   model::short_bytes(told->gradient_bytes()), model::short_bytes(told->optimizer_bytes()),
                   model::short_bytes(told->bytes() - std::min(known, told->bytes()))));
  line(told->run_folder()->size() == 0 ? std::string("This run is not kept: it has no folder")
                                       : fmt::format("Kept in {}", live::text_of(told->run_folder())));
}

void draw_log(Ui& ui, const Rect& area, const TrainingModel& model, TrainingPanelState& state) {
  const auto& log = model.training->log();
  if (log.empty()) {
    widgets::Flow flow(ui, area);
    flow.empty_state(Icon::Info, "Nothing was logged", "What the run says of itself stands here.");
    return;
  }
  widgets::RowListSpec spec;
  spec.name = "Log";
  spec.role = Role::List;
  spec.count = static_cast<std::uint32_t>(log.size());
  spec.cursor = state.log_line;
  spec.begins_at_end = true;
  spec.row_height = 22;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, state.log_list, area, std::move(spec));
  if (list.moved_to()) state.log_line = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const live::TrainingLogLine& line = log[index];
    AccessNode node;
    node.role = Role::ListItem;
    node.name = fmt::format("step {}: {}", line.step + 1, line.text);
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(log.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row.cut_left(ui.px(8));
    const bool is_error = line.level == live::wire::LogLevel::Error;
    const bool is_warning = line.level == live::wire::LogLevel::Warning;
    ui.paint_line(row.cut_left(ui.px(72)), Type::CodeSmall, ui.theme().muted, model::thousands(line.step + 1));
    ui.paint_line(row, Type::CodeSmall,
                  is_error     ? ui.theme().danger
                  : is_warning ? ui.theme().warning
                               : ui.theme().text,
                  line.text);
    list.close_row();
    if (events.clicked) state.log_line = index;
  }
}

/// What all ranks of the run did in the newest step that was looked at.
void draw_ranks(Ui& ui, Rect area, const TrainingModel& model, TrainingPanelState& state) {
  draw_rank_lanes(ui, area, *model.training->ranks());
  draw_studio_rows(ui, area, "Ranks and their buckets", state.rank_rows.of(*model.training->ranks()), model::kNoObject,
                   state.rank_list, state.rank_line);
}

}  // namespace

std::optional<Intent> draw_training_details(Ui& ui, const Rect& whole, const TrainingModel& model,
                                            TrainingPanelState& state) {
  ui.open_group(ui.id("##details"), whole, Role::Region, "Details");
  Rect area = whole.inset(ui.px(20), 0);
  ui.draw().AddLine(ImVec2(whole.x, whole.y), ImVec2(whole.right(), whole.y), ui.theme().border);
  std::optional<Intent> intent;
  std::array<widgets::TabSpec, 8> tabs;
  tabs[0].label = "Step";
  tabs[1].label = "Histogram";
  tabs[2].label = "Values";
  tabs[3].label = "History";
  tabs[4].label = "Hooks";
  tabs[5].label = "Watching";
  tabs[6].label = "Log";
  if (const std::size_t lines = model.training->log().size(); lines > 0) tabs[6].badge = model::thousands(lines);
  const live::wire::Ranks* const ranks = model.training->ranks();
  if (ranks == nullptr && state.detail == TrainingPanelState::Detail::Ranks) {
    state.detail = TrainingPanelState::Detail::Phases;
  }
  tabs[7].label = "Ranks";
  const auto shown = std::span(tabs).first(ranks != nullptr ? 8 : 7);
  const widgets::TabsResult chosen =
      widgets::tabs(ui, area.cut_top(ui.px(36)), "Details", shown, static_cast<std::size_t>(state.detail));
  if (chosen.chosen) state.detail = static_cast<TrainingPanelState::Detail>(*chosen.chosen);
  area.cut_top(ui.px(8));
  switch (state.detail) {
    case TrainingPanelState::Detail::Phases:
      draw_phases(ui, area, model);
      break;
    case TrainingPanelState::Detail::Histogram:
    case TrainingPanelState::Detail::Values:
    case TrainingPanelState::Detail::History:
      area.cut_bottom(ui.px(10));
      draw_training_tensor(ui, area, model, state);
      break;
    case TrainingPanelState::Detail::Hooks:
      intent = draw_training_hooks(ui, area, model, state);
      break;
    case TrainingPanelState::Detail::Watching:
      draw_watching(ui, area, model, state);
      break;
    case TrainingPanelState::Detail::Log:
      draw_log(ui, area, model, state);
      break;
    case TrainingPanelState::Detail::Ranks:
      draw_ranks(ui, area, model, state);
      break;
  }
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
