#pragma once

#include "core/live/message.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

/// The newest step of several ranks as lanes, a rank each: forward, backward, and below these when each bucket of
/// gradients was under way. Takes what it needs from the top of `area`, at most 0.6 of it.
void draw_rank_lanes(widgets::Ui& ui, widgets::Rect& area, const live::wire::Ranks& ranks);

}  // namespace nns::panels
