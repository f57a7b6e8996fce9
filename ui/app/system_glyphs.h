#pragma once

#include "ui/host/glyph.h"

namespace nns::app {

/// Lets the platform draw what the last font that was added lacks (host::draw_glyph), when such a letter is first seen
/// in a size. Signs that nobody can see are not asked for, and private ones mean something else in each typeface: `?`
/// stands for them, so that a name does not look like another one.
void add_system_glyphs(host::GlyphStyle style);

}  // namespace nns::app
