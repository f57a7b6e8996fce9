#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/model/rank_rows.h"
#include "ui/model/training_chart.h"
#include "ui/model/training_summary.h"
#include "ui/panels/intent.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

/// What a training's screen shows. Lifetime: one frame.
struct TrainingModel {
  const live::TrainingView* training = nullptr;
  const model::TrainingChart* chart = nullptr;
  std::span<const model::ModuleRow> modules;
  std::span<const model::PhaseShare> phases;
  bool may_control = true;  ///< else the buttons say why they do nothing
  /// A checkpoint becomes a file that the person saves; also when the run is over.
  bool saves_checkpoints = false;
  /// The tensors of the chosen module that can be looked at.
  std::span<const std::uint32_t> tensors;
  widgets::HeatMapRenderer* renderer = nullptr;
  std::size_t others = 0;      ///< runs that can be laid over this one
  std::string trouble;         ///< of the connection; empty: none
  std::uint64_t left_out = 0;  ///< events that this viewer missed
  /// Of a recording: the event that is shown, and how many there are.
  bool is_recording = false;
  std::uint64_t event = 0;
  std::uint64_t events = 0;
  double at_s = 0;
  std::string damage;
};

/// What the person has set; the panel's own.
struct TrainingPanelState {
  enum class Detail : std::uint8_t { Phases, Histogram, Values, History, Hooks, Watching, Log, Ranks };
  /// What is looked at of a tensor; or of its module: the histogram of its output, the values of its attention.
  enum class Of : std::uint8_t { Weights, Gradients, Module };
  /// How often the modules' statistics are wanted.
  enum class Rate : std::uint8_t { Never, Second, Quarter, EveryStep };
  model::ChartChoice chart;
  bool lays_over = false;  ///< the other runs, too
  model::ModuleStatistic statistic;
  Detail detail = Detail::Phases;
  std::uint32_t module = 0;           ///< the chosen one
  std::uint32_t tensor = UINT32_MAX;  ///< the chosen one of the model's
  Of of = Of::Weights;
  std::string pattern = "*";  ///< of the paths that statistics are wanted of; `*` is any text
  Rate rate_of_statistics = Rate::Quarter;
  widgets::HeatMapView heat;
  double reach = 0;            ///< the colours': the largest magnitude that was seen of reach_of
  std::uint64_t reach_of = 0;  ///< subject and tensor
  widgets::RowListState history_list;
  std::uint32_t history_line = UINT32_MAX;
  widgets::RowListState hook_list;
  std::uint32_t hook_line = 0;
  std::string rate;                    ///< in the field
  std::uint32_t rate_of = UINT32_MAX;  ///< the number of the group's rate; the largest: of all groups
  bool rate_changed = false;
  widgets::PlotState plot;
  widgets::RowListState module_list;
  widgets::RowListState log_list;
  std::uint32_t log_line = UINT32_MAX;
  model::RankRows rank_rows;
  widgets::RowListState rank_list;
  std::uint32_t rank_line = UINT32_MAX;
  std::size_t columns = 800;  ///< pixels that the chart had
};

/// A training that runs, or its recording: state and controls, curves, modules coloured by a statistic, and below them
/// where a step's time goes, a histogram over time, the log.
std::optional<Intent> draw_training(widgets::Ui& ui, const widgets::Rect& area, const TrainingModel& model,
                                    TrainingPanelState& state);

/// Its lower part (training_details.cpp), what that shows of one tensor (training_tensors.cpp), and of the hooks of one
/// module (training_hooks.cpp).
std::optional<Intent> draw_training_details(widgets::Ui& ui, const widgets::Rect& area, const TrainingModel& model,
                                            TrainingPanelState& state);
std::optional<Intent> draw_training_hooks(widgets::Ui& ui, widgets::Rect area, const TrainingModel& model,
                                          TrainingPanelState& state);
void draw_training_tensor(widgets::Ui& ui, widgets::Rect area, const TrainingModel& model, TrainingPanelState& state);

}  // namespace nns::panels
