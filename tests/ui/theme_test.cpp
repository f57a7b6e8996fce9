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

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) result[row] += matrix[row][column] * vector[column];
  }
  return result;
}

/// Linear red, green and blue.
Triple linear(std::uint32_t colour) {
  const auto channel = [&](unsigned shift) {
    const double value = static_cast<double>(colour >> shift & 0xFFU) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return {channel(0), channel(8), channel(16)};
}

/// CIE 1976 L*a*b* under D65.
Triple lab(const Triple& rgb) {
  constexpr Matrix kToXyz = {
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  const Triple white = times(kToXyz, {1, 1, 1});
  const Triple xyz =
      times(kToXyz, {std::clamp(rgb[0], 0., 1.), std::clamp(rgb[1], 0., 1.), std::clamp(rgb[2], 0., 1.)});
  Triple f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = xyz[i] / white[i];
    f[i] = part > 216. / 24389 ? std::cbrt(part) : (24389. / 27 * part + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

// How much each eye sees: Machado, Oliveira and Fernandes 2009, severity 1.
constexpr std::array<Matrix, 4> kEyes = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

TEST(CategoryColours, AreFarApartForEveryEye) {
  for (const bool is_dark : {true, false}) {
    for (std::size_t eye = 0; eye < kEyes.size(); ++eye) {
      for (std::size_t a = 0; a <= kCategoryColours; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const Triple one = lab(times(kEyes[eye], linear(category_colour(a, is_dark))));
          const Triple other = lab(times(kEyes[eye], linear(category_colour(b, is_dark))));
          EXPECT_GE(std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]), 20)
              << a << " and " << b << ", eye " << eye << ", dark: " << is_dark;
        }
      }
    }
  }
}

TEST(CategoryColours, StandOutFromTheSurface) {
  for (const Theme* theme : {&dark_theme(), &light_theme()}) {
    for (std::size_t category = 0; category < kCategoryColours; ++category) {
      EXPECT_GE(contrast_ratio(category_colour(category, theme->is_dark), theme->surface), 3)
          << category << ", dark: " << theme->is_dark;
    }
  }
}

}  // namespace
}  // namespace nns::widgets
