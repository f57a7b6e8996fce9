#pragma once

#include "ui/model/link.h"
#include "ui/widgets/heat_map.h"

namespace nns::app {

/// Writes the part of a heat map that is seen into a link, as `seen`: where it begins, how much it holds, in rows and
/// columns of the matrix; nothing of one that shows all.
void write_seen(model::Link& link, const widgets::HeatMapView& view);
/// Goes there; without `seen`, or with one that makes no sense, all is seen.
void read_seen(const model::Link& link, widgets::HeatMapView& view);

}  // namespace nns::app
