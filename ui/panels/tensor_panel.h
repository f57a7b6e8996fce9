#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/model/inspector.h"
#include "ui/model/value_range.h"
#include "ui/panels/intent.h"
#include "ui/panels/matrix_map.h"
#include "ui/panels/tensor_part.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/numbers_grid.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct TensorPanelModel {
  const live::DocumentView* document = nullptr;
  std::uint32_t tensor = UINT32_MAX;
  const base::TensorSlice* slice = nullptr;  ///< the part that is looked at
  const model::SliceView* view = nullptr;
  const model::TensorView* facts = nullptr;
  const model::StatisticsView* statistics = nullptr;
  const live::wire::TensorStatistics* numbers = nullptr;
  const live::JobView* job = nullptr;  ///< statistics on their way
  MatrixTiles tiles;
  widgets::HeatMapRenderer* renderer = nullptr;
  const live::wire::Values* exact = nullptr;  ///< of the cell under the cursor
  const live::wire::HeatTile* row_profile = nullptr;
  const live::wire::HeatTile* column_profile = nullptr;
  const live::wire::Values* shown_numbers = nullptr;  ///< of the table of numbers, or a part of it
  std::string_view find_note;                         ///< "No NaN here"
  bool is_finding = false;
};

using model::RangeMode;

struct TensorPanelState {
  widgets::ScrollState scroll;
  widgets::HeatMapView view;
  widgets::HeatMapWanted wanted;  ///< out: what the map shows now; the app asks for it
  TensorPartState part;
  RangeMode range = RangeMode::Symmetric;
  std::string low_text;  ///< of RangeMode::Typed
  std::string high_text;
  bool log_counts = false;
  model::ValueRange colours;   ///< out: the range of the colours that is shown
  bool shows_numbers = false;  ///< a table of numbers instead of the picture
  widgets::NumbersGridState grid;
  widgets::HeatMapWanted wanted_numbers;  ///< out, as `wanted`
};

/// One tensor: heat map, facts, statistics, histogram, quantiles.
std::optional<Intent> draw_tensor_panel(widgets::Ui& ui, const widgets::Rect& area, const TensorPanelModel& model,
                                        TensorPanelState& state);

}  // namespace nns::panels
