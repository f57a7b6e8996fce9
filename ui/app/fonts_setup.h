#pragma once

#include "ui/widgets/ui.h"

namespace nns::app {

/// Puts the embedded typefaces into the current Dear ImGui context: Inter, Inter SemiBold and JetBrains Mono; what
/// Inter lacks comes from JetBrains Mono, and what both lack from the system. Glyphs are drawn at the size and display
/// density that is asked for.
widgets::Fonts add_fonts();

}  // namespace nns::app
