#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/model/comparison.h"
#include "ui/panels/intent.h"
#include "ui/panels/matrix_map.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// Two documents and what is known of their differences.
struct ComparisonPanelModel {
  const model::ComparisonModel* rows = nullptr;  ///< without rows while names are compared
  const live::JobView* job = nullptr;            ///< values on their way, of all rows
  bool is_running = false;                       ///< the same, also before the first progress
  bool is_row_running = false;                   ///< values of the chosen row are on their way
  MatrixTiles tiles;                             ///< of the difference of the chosen row's tensors
  widgets::HeatMapRenderer* renderer = nullptr;
};

struct ComparisonPanelState {
  widgets::RowListState list;
  bool focus_list = false;
  std::string filter;  ///< as in the field
  bool focus_filter = false;
  widgets::ScrollState details;
  widgets::HeatMapView view;
  widgets::HeatMapWanted wanted;  ///< out: what the map shows now; the app asks for it
};

/// What differs: totals, prefixes, filters, and the rows as a sorted list or as both trees in one.
std::optional<Intent> draw_comparison_panel(widgets::Ui& ui, widgets::Rect area, const ComparisonPanelModel& model,
                                            ComparisonPanelState& state);

/// The chosen row: heat map of B - A, numbers, names, ways to both documents.
/// How far the colours of a difference's heat map reach from zero, to both sides: its largest value, or what is seen of
/// it so far.
float difference_reach(const MatrixTiles& tiles, const live::wire::Difference* found);

/// Whether NaN or infinities are among the values of one side, or came of their difference.
bool has_non_finite(const live::wire::Difference& found);

std::optional<Intent> draw_difference_panel(widgets::Ui& ui, const widgets::Rect& area,
                                            const ComparisonPanelModel& model, ComparisonPanelState& state);

}  // namespace nns::panels
