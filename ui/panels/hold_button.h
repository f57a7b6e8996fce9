#pragma once

#include "ui/widgets/button.h"

namespace nns::panels {

/// The button that lets a program stand still and go on, whichever is next. True: it was pressed.
bool draw_hold(widgets::Ui& ui, const widgets::Rect& place, bool is_held);
/// The same whatever it says. Units: pixels.
float hold_width(const widgets::Ui& ui);

}  // namespace nns::panels
