#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/model/inspector.h"
#include "ui/panels/intent.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct TensorPanelModel {
  const live::DocumentView* document = nullptr;
  std::uint32_t tensor = UINT32_MAX;
  const model::TensorView* facts = nullptr;
  const model::StatisticsView* statistics = nullptr;
  const live::wire::TensorStatistics* numbers = nullptr;
  const live::JobView* job = nullptr;  ///< statistics on their way
  const live::wire::HeatTile* overview = nullptr;
  const live::wire::HeatTile* detail = nullptr;
  std::uint64_t overview_version = 0;
  std::uint64_t detail_version = 0;
  widgets::HeatMapRenderer* renderer = nullptr;
};

enum class RangeMode : std::uint8_t { Full, Symmetric, Percentile };

struct TensorPanelState {
  widgets::ScrollState scroll;
  widgets::HeatMapView view;
  widgets::HeatMapWanted wanted;  ///< out: what the map shows now; the app asks for it
  RangeMode range = RangeMode::Symmetric;
  bool log_counts = false;
};

/// One tensor: heat map, facts, statistics, histogram, quantiles.
std::optional<Intent> draw_tensor_panel(widgets::Ui& ui, const widgets::Rect& area, const TensorPanelModel& model,
                                        TensorPanelState& state);

}  // namespace nns::panels
