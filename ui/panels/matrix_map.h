#pragma once

#include <utility>
#include <vector>

#include "core/live/message.h"
#include "ui/model/value_range.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/heat_map.h"

namespace nns::panels {

/// What the Host has sent of a matrix's picture. Null: not here yet.
struct MatrixTiles {
  const live::wire::HeatTile* overview = nullptr;
  std::uint64_t overview_version = 0;
  const live::wire::HeatTile* detail = nullptr;
  std::uint64_t detail_version = 0;
};

/// The colours of a range of values, with those of NaN and infinity. Signs have colours of their own where zero lies in
/// the middle.
widgets::HeatMapRenderer::Look heat_look(const widgets::Theme& theme, const model::ValueRange& range);
/// The quantiles that are known, for the scale of the colours.
std::vector<widgets::ScaleMark> quantile_marks(const live::wire::TensorStatistics& numbers);

/// A matrix as a heat map with the scale of its colours below: a tensor's part, or the difference of two.
/// Lifetime: one frame; spec() points into it.
class MatrixMap {
 public:
  explicit MatrixMap(const MatrixTiles& tiles);
  MatrixMap(const MatrixMap&) = delete;
  MatrixMap& operator=(const MatrixMap&) = delete;

  /// To be filled by the caller but for the tiles.
  widgets::HeatMapSpec& spec() { return spec_; }
  /// Places that are marked on the scale of the colours.
  void set_marks(std::vector<widgets::ScaleMark> marks) { marks_ = std::move(marks); }
  /// Draws it where `flow` is. Returns which tiles it would like to have.
  widgets::HeatMapWanted draw(widgets::Flow& flow, widgets::HeatMapRenderer& renderer,
                              widgets::HeatMapView& view) const;

 private:
  widgets::HeatMapTile overview_;
  widgets::HeatMapTile detail_;
  bool is_sampled_ = false;
  widgets::HeatMapSpec spec_;
  std::vector<widgets::ScaleMark> marks_;
};

}  // namespace nns::panels
