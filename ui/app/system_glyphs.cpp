#include "ui/app/system_glyphs.h"

#include <imgui_internal.h>

#include <cmath>
#include <optional>

namespace nns::app {

namespace {

/// Signs between the parts of one picture, which are drawn one by one here.
bool is_joint(ImWchar letter) {
  return letter == 0x200C || letter == 0x200D || (letter >= 0xFE00 && letter <= 0xFE0F) ||
         (letter >= 0xE0100 && letter <= 0xE01EF);
}

/// Controls (also of direction), signs without width, surrogates, private ones, what is no character, and U+FFFD, which
/// stands for bytes that are no text.
bool is_for_system(ImWchar letter) {
  if (letter < 0xA1 || letter == 0xAD || letter == 0xFEFF) return false;
  if ((letter >= 0x200B && letter <= 0x200F) || (letter >= 0x2028 && letter <= 0x202E)) return false;
  if (letter >= 0x2060 && letter <= 0x206F) return false;
  if (letter >= 0xD800 && letter <= 0xF8FF) return false;
  if ((letter >= 0xFDD0 && letter <= 0xFDEF) || (letter >= 0xFFF0 && letter <= 0xFFFF)) return false;
  return letter < 0xE0000 && (letter & 0xFFFE) != 0xFFFE;
}

/// The em of the typeface that a letter stands beside, as part of the height that Dear ImGui calls its size: Inter has
/// 1.21 em between its ascent and its descent, JetBrains Mono 1.32.
float em_of(host::GlyphStyle style) { return style == host::GlyphStyle::Code ? 1 / 1.32F : 1 / 1.21F; }

bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* /*data*/, ImWchar letter,
                ImFontGlyph* made, float* advance) {
  if (is_joint(letter)) {
    if (advance != nullptr) {
      *advance = 0;
    } else {
      made->AdvanceX = 0;
    }
    return true;
  }
  if (!is_for_system(letter)) return false;
  const float density = source->RasterizerDensity * baked->RasterizerDensity;
  const auto style = static_cast<host::GlyphStyle>(source->FontLoaderFlags);
  const std::optional<host::Glyph> drawn = host::draw_glyph(letter, style, baked->Size * em_of(style) * density);
  if (!drawn) return false;
  if (advance != nullptr) {
    *advance = drawn->advance / density;
    return true;
  }
  made->AdvanceX = drawn->advance / density;
  const std::size_t bytes = std::size_t{drawn->width} * drawn->height * 4;
  if (bytes == 0 || drawn->pixels.size() != bytes) return true;
  const ImFontAtlasRectId place =
      ImFontAtlasPackAddRect(atlas, static_cast<int>(drawn->width), static_cast<int>(drawn->height));
  if (place == ImFontAtlasRectId_Invalid) return false;
  ImTextureRect* const rect = ImFontAtlasPackGetRect(atlas, place);
  const float base_line = std::round(baked->Ascent);
  made->X0 = drawn->left / density;
  made->Y0 = drawn->top / density + base_line;
  made->X1 = made->X0 + static_cast<float>(drawn->width) / density;
  made->Y1 = made->Y0 + static_cast<float>(drawn->height) / density;
  made->Visible = true;
  made->Colored = drawn->is_coloured;
  made->PackId = place;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, made, rect, drawn->pixels.data(), ImTextureFormat_RGBA32,
                                     static_cast<int>(drawn->width) * 4);
  return true;
}

const ImFontLoader& loader() {
  static const ImFontLoader made = [] {
    ImFontLoader loader;
    loader.Name = "system";
    loader.FontBakedLoadGlyph = load_glyph;
    return loader;
  }();
  return made;
}

}  // namespace

void add_system_glyphs(host::GlyphStyle style) {
  ImFontConfig config;
  config.MergeMode = true;
  config.FontLoader = &loader();
  config.FontLoaderFlags = static_cast<unsigned>(style);
  ImGui::GetIO().Fonts->AddFont(&config);
}

}  // namespace nns::app
