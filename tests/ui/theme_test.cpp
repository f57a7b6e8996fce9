#include "ui/widgets/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/widgets/colour_map.h"
#include "ui/widgets/opacity.h"

namespace nns::widgets {
namespace {

TEST(ThemeContrast, EveryPairThatIsDrawnReachesItsDemandInBothThemes) {
  for (const Theme* theme : {&dark_theme(), &light_theme()}) {
    for (const ContrastDemand& demand : contrast_demands()) {
      EXPECT_GE(contrast_ratio(theme->*demand.front, theme->*demand.back), demand.least)
          << demand.name << (theme->is_dark ? ", dark" : ", light");
    }
  }
}

// What is drawn where changes with every panel: each colour of words must do on each surface, and on the tint of a
// chip.
TEST(ThemeContrast, WordsOfEveryColourCanBeReadOnEverySurface) {
  constexpr std::array kFronts = {&Theme::text,   &Theme::muted,   &Theme::accent, &Theme::parameter,
                                  &Theme::buffer, &Theme::module,  &Theme::hook,   &Theme::event,
                                  &Theme::good,   &Theme::warning, &Theme::danger};
  constexpr std::array kBacks = {&Theme::background, &Theme::surface,   &Theme::raised,
                                 &Theme::overlay,    &Theme::selection, &Theme::hover};
  for (const Theme* theme : {&dark_theme(), &light_theme()}) {
    for (std::size_t front = 0; front < kFronts.size(); ++front) {
      for (std::size_t back = 0; back < kBacks.size(); ++back) {
        const Colour words = theme->*kFronts[front];
        const Colour behind = theme->*kBacks[back];
        EXPECT_GE(contrast_ratio(words, behind), 4.5) << front << " on " << back << ", dark: " << theme->is_dark;
        if (kBacks[back] == &Theme::background) continue;  // no chip lies there
        EXPECT_GE(contrast_ratio(words, mix(behind, words, chip_opacity(*theme))), 4.5)
            << front << " as a chip on " << back << ", dark: " << theme->is_dark;
      }
    }
    for (const Colour behind : {theme->raised, theme->surface, theme->overlay}) {
      EXPECT_GE(contrast_ratio(theme->text, mix(behind, theme->accent, kSelectedTextOpacity)), 4.5);
    }
  }
}

TEST(ThemeContrast, BlackOnWhiteIsTwentyOne) { EXPECT_NEAR(contrast_ratio(rgb(0), rgb(0xFFFFFF)), 21, 1e-9); }

double grey(std::uint32_t colour) {
  const auto linear = [](std::uint32_t channel) { return std::pow(static_cast<double>(channel & 0xFFU) / 255, 2.2); };
  return std::pow(0.2126 * linear(colour) + 0.7152 * linear(colour >> 8U) + 0.0722 * linear(colour >> 16U), 1 / 2.2);
}

TEST(ColourMapSequential, GetsLighterWithEveryStep) {
  for (int step = 1; step < 64; ++step) {
    const auto before = colour_map_at(ColourMap::Sequential, true, static_cast<float>(step - 1) / 63);
    const auto after = colour_map_at(ColourMap::Sequential, true, static_cast<float>(step) / 63);
    EXPECT_GT(grey(after), grey(before)) << step;
  }
}

TEST(ColourMapDiverging, BothEndsStandOutFromTheMiddleByLightnessToo) {
  for (const bool is_dark : {true, false}) {
    const auto middle = grey(colour_map_at(ColourMap::Diverging, is_dark, 0.5F));
    for (const float end : {0.0F, 1.0F}) {
      EXPECT_GT(std::abs(grey(colour_map_at(ColourMap::Diverging, is_dark, end)) - middle), 0.3);
    }
    // Blue against orange: the blue-yellow axis, which red-green blindness leaves whole.
    const auto low = colour_map_at(ColourMap::Diverging, is_dark, 0);
    const auto high = colour_map_at(ColourMap::Diverging, is_dark, 1);
    EXPECT_GT(low >> 16U & 0xFFU, low & 0xFFU);
    EXPECT_LT(high >> 16U & 0xFFU, high & 0xFFU);
  }
}

}  // namespace
}  // namespace nns::widgets
