#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ui/model/numbers_table.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct StatisticsPanelModel {
  const live::DocumentView* document = nullptr;
  std::span<const live::wire::TensorNumbers> numbers;  ///< as many as are known, by tensor
  const model::NumbersTable* table = nullptr;
  const model::NumbersSummary* summary = nullptr;
  std::uint64_t bytes_left = 0;        ///< that the rest would read
  const live::JobView* job = nullptr;  ///< while it is computed; null before it is first told of
  std::uint64_t request = 0;           ///< of that job, 0: none
};
struct StatisticsPanelState {
  widgets::RowListState list;
  std::uint32_t tensor = UINT32_MAX;     ///< the chosen line's
  std::uint32_t list_line = UINT32_MAX;  ///< where it stood in the last frame
  std::uint32_t first_column = 0;        ///< where not all fit
};

/// The statistics of all tensors as a table that sorts, filled while they are computed.
std::optional<Intent> draw_statistics_panel(widgets::Ui& ui, widgets::Rect area, const StatisticsPanelModel& model,
                                            StatisticsPanelState& state);

}  // namespace nns::panels
