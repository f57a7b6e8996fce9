#pragma once

#include "ui/widgets/theme.h"

namespace nns::widgets {

/// How strongly a chip's own colour tints what is behind its words.
constexpr float chip_opacity(const Theme& theme) { return theme.is_dark ? 0.14F : 0.08F; }
/// The same of text that is selected in a field, by the accent.
inline constexpr float kSelectedTextOpacity = 0.35F;

}  // namespace nns::widgets
