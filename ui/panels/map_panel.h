#pragma once

#include <cstdint>
#include <optional>

#include "ui/model/treemap.h"
#include "ui/model/treemap_colours.h"
#include "ui/panels/intent.h"
#include "ui/widgets/tile_renderer.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct MapPanelModel {
  const model::Treemap* map = nullptr;
  const model::TreemapLegend* legend = nullptr;  ///< of the map's tiles as they are now
  std::uint64_t legend_version = 0;              ///< grows whenever the legend changes
  model::TreemapColour colour = model::TreemapColour::Kind;
  bool has_statistics = false;          ///< of all tensors: the map may be coloured by them
  std::uint32_t selected = UINT32_MAX;  ///< the row that the tree has chosen
  widgets::TileRenderer* renderer = nullptr;
};

struct MapPanelState {
  model::Treemap::Frame wanted;  ///< out: the room for the map; the app lays it out for that
  double scale = 1;              ///< 1: all of it is seen
  double left = 0;               ///< of the visible part, in pixels of the layout
  double top = 0;
  std::uint64_t laid_out = 0;           ///< the version of the layout that scale and place are of
  std::uint32_t followed = UINT32_MAX;  ///< the choice that was brought into view
};

/// What takes the room: tensors as rectangles inside the modules that own them, coloured by what they are.
std::optional<Intent> draw_map_panel(widgets::Ui& ui, widgets::Rect area, const MapPanelModel& model,
                                     MapPanelState& state);

}  // namespace nns::panels
