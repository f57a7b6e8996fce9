#pragma once

#include "ui/widgets/rect.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Fills `rect` with an opaque colour, under what is drawn next: the ground of a screen or a panel. It is a clearing of
/// that part of the picture when the platform renders the draw list, which needs no textures and no blending: of what
/// a software renderer spends on a screen, grounds that are drawn as rectangles are two thirds.
/// The draw list's clip holds. Units: pixels of the interface; edges lie at the nearest pixels of the screen.
void draw_plate(const Ui& ui, const Rect& rect, Colour colour);

}  // namespace nns::widgets
