#include "ui/widgets/colour_map.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace nns::widgets {

namespace {

/// A stop in Oklab: lightness, green to red, blue to yellow.
/// Behaviour: Björn Ottosson, "A perceptual color space for image processing".
struct Oklab {
  double lightness, a, b;
};

// Lightness grows evenly; hue goes from blue to yellow, the axis that red-green blindness leaves whole.
constexpr std::array<Oklab, 5> kSequential = {{
    {0.22, 0.000, -0.080},
    {0.40, -0.005, -0.060},
    {0.58, -0.008, 0.000},
    {0.76, -0.004, 0.075},
    {0.94, -0.010, 0.150},
}};
constexpr std::array<Oklab, 5> kDivergingDark = {{
    {0.84, -0.045, -0.110},
    {0.58, -0.040, -0.120},
    {0.24, 0.000, -0.004},
    {0.58, 0.075, 0.110},
    {0.84, 0.060, 0.125},
}};
constexpr std::array<Oklab, 5> kDivergingLight = {{
    {0.38, -0.030, -0.130},
    {0.66, -0.045, -0.100},
    {0.96, 0.000, 0.000},
    {0.68, 0.080, 0.105},
    {0.42, 0.080, 0.085},
}};

// Found by a search for colours far apart from each other, for all eyes, that stand out from the theme's surface; the
// last is the grey of what is left.
constexpr std::array<Oklab, kCategoryColours + 1> kCategoriesDark = {{
    {0.556, 0.003, -0.154},   // blue
    {0.733, 0.144, 0.030},    // coral
    {0.661, -0.063, 0.107},   // olive
    {0.596, 0.083, -0.065},   // mauve
    {0.899, -0.054, 0.114},   // pale yellow
    {0.847, -0.132, -0.022},  // mint
    {0.783, -0.007, 0.150},   // gold
    {0.779, -0.009, -0.098},  // light blue
    {0.450, 0.000, -0.005},
}};
constexpr std::array<Oklab, kCategoryColours + 1> kCategoriesLight = {{
    {0.443, 0.000, -0.154},   // blue
    {0.657, 0.129, 0.055},    // coral
    {0.563, -0.067, 0.115},   // olive
    {0.585, 0.074, -0.041},   // mauve
    {0.363, 0.037, 0.075},    // brown
    {0.665, -0.029, -0.120},  // sky
    {0.438, 0.136, 0.017},    // crimson
    {0.363, 0.048, -0.075},   // plum
    {0.780, 0.000, -0.003},
}};

double gamma(double linear) {
  linear = std::clamp(linear, 0.0, 1.0);
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

std::array<std::uint8_t, 3> to_srgb(const Oklab& colour) {
  const double l = std::pow(colour.lightness + 0.3963377774 * colour.a + 0.2158037573 * colour.b, 3);
  const double m = std::pow(colour.lightness - 0.1055613458 * colour.a - 0.0638541728 * colour.b, 3);
  const double s = std::pow(colour.lightness - 0.0894841775 * colour.a - 1.2914855480 * colour.b, 3);
  const double red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  const double green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  const double blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
  const auto byte = [](double channel) { return static_cast<std::uint8_t>(std::lround(gamma(channel) * 255)); };
  return {byte(red), byte(green), byte(blue)};
}

std::array<std::uint8_t, 3> sample(std::span<const Oklab> stops, double at) {
  const double place = std::clamp(at, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(left);
  const Oklab& from = stops[left];
  const Oklab& to = stops[left + 1];
  return to_srgb({from.lightness + (to.lightness - from.lightness) * part, from.a + (to.a - from.a) * part,
                  from.b + (to.b - from.b) * part});
}

std::span<const Oklab> stops_of(ColourMap map, bool is_dark) {
  if (map == ColourMap::Sequential) return kSequential;
  return is_dark ? std::span<const Oklab>(kDivergingDark) : std::span<const Oklab>(kDivergingLight);
}

}  // namespace

std::array<std::uint8_t, 1024> colour_map_bytes(ColourMap map, bool is_dark) {
  std::array<std::uint8_t, 1024> bytes{};
  for (std::size_t entry = 0; entry < 256; ++entry) {
    const auto colour = sample(stops_of(map, is_dark), static_cast<double>(entry) / 255);
    std::copy(colour.begin(), colour.end(), bytes.begin() + static_cast<std::ptrdiff_t>(entry * 4));
    bytes[entry * 4 + 3] = 255;
  }
  return bytes;
}

std::uint32_t colour_map_at(ColourMap map, bool is_dark, float at) {
  const auto colour = sample(stops_of(map, is_dark), static_cast<double>(at));
  return 0xFF000000U | (static_cast<std::uint32_t>(colour[2]) << 16U) | (static_cast<std::uint32_t>(colour[1]) << 8U) |
         colour[0];
}

std::uint32_t category_colour(std::size_t category, bool is_dark) {
  if (category >= kCategoryColours) category = kCategoryColours;
  const std::array<std::uint8_t, 3> colour = to_srgb((is_dark ? kCategoriesDark : kCategoriesLight)[category]);
  return 0xFF000000U | (std::uint32_t{colour[2]} << 16U) | (std::uint32_t{colour[1]} << 8U) | colour[0];
}

}  // namespace nns::widgets
