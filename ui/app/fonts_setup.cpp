#include "ui/app/fonts_setup.h"

#include <imgui.h>

#include <string_view>

#include "ui/app/fonts.h"
#include "ui/app/system_glyphs.h"

namespace nns::app {

namespace {

ImFont* add(std::string_view bytes, bool merge) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = merge;
  config.OversampleH = 2;
  config.OversampleV = 1;
  // Dear ImGui takes a pointer that is not const, but does not write to data that it does not own.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()), 14,
                                                    &config);
}

}  // namespace

widgets::Fonts add_fonts() {
  widgets::Fonts made;
  made.regular = add(fonts::kInterRegularOtf, false);
  add(fonts::kJetBrainsMonoRegularTtf, true);
  add_system_glyphs(host::GlyphStyle::Regular);
  made.strong = add(fonts::kInterSemiBoldOtf, false);
  add(fonts::kInterRegularOtf, true);
  add(fonts::kJetBrainsMonoRegularTtf, true);
  add_system_glyphs(host::GlyphStyle::Strong);
  made.code = add(fonts::kJetBrainsMonoRegularTtf, false);
  add(fonts::kInterRegularOtf, true);
  add_system_glyphs(host::GlyphStyle::Code);
  return made;
}

}  // namespace nns::app
