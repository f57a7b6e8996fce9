#include "ui/app/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "ui/host/host.h"

namespace nns::app {

namespace {

constexpr std::array<int, 13> kScales = {50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300};
constexpr std::array<const char*, 3> kThemes = {"system", "light", "dark"};

std::optional<int> load_number(std::string_view key) {
  const std::optional<std::string> text = host::load_setting(key);
  if (!text) return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(text->c_str(), &end, 10);
  if (end == text->c_str() || *end != '\0' || number < 0 || number > 1'000'000) return std::nullopt;
  return static_cast<int>(number);
}

}  // namespace

Settings load_settings() {
  Settings settings;
  const std::string theme = host::load_setting("theme").value_or("system");
  for (std::size_t index = 0; index < kThemes.size(); ++index) {
    if (theme == kThemes[index]) settings.theme = static_cast<panels::ThemeChoice>(index);
  }
  settings.scale_percent = std::clamp(load_number("scale").value_or(100), kScales.front(), kScales.back());
  settings.tree_share = static_cast<float>(std::clamp(load_number("tree_share").value_or(46), 15, 85)) / 100;
  settings.stacked_share = static_cast<float>(std::clamp(load_number("stacked_share").value_or(36), 15, 85)) / 100;
  settings.hides_tree = load_number("hides_tree").value_or(0) == 1;
  settings.side_share = static_cast<float>(std::clamp(load_number("side_share").value_or(50), 15, 85)) / 100;
  settings.comparison_share =
      static_cast<float>(std::clamp(load_number("comparison_share").value_or(58), 15, 85)) / 100;
  settings.console_share = static_cast<float>(std::clamp(load_number("console_share").value_or(40), 15, 85)) / 100;
  settings.watches = load_number("watch").value_or(0) == 1;
  return settings;
}

void save_settings(const Settings& settings) {
  host::save_setting("theme", kThemes[static_cast<std::size_t>(settings.theme)]);
  host::save_setting("scale", std::to_string(settings.scale_percent));
  host::save_setting("tree_share", std::to_string(std::lround(settings.tree_share * 100)));
  host::save_setting("stacked_share", std::to_string(std::lround(settings.stacked_share * 100)));
  host::save_setting("hides_tree", settings.hides_tree ? "1" : "0");
  host::save_setting("side_share", std::to_string(std::lround(settings.side_share * 100)));
  host::save_setting("comparison_share", std::to_string(std::lround(settings.comparison_share * 100)));
  host::save_setting("console_share", std::to_string(std::lround(settings.console_share * 100)));
  host::save_setting("watch", settings.watches ? "1" : "0");
}

int next_scale(int percent, int steps) {
  if (steps == 0) return 100;
  if (steps > 0) {
    const auto larger = std::upper_bound(kScales.begin(), kScales.end(), percent);
    return larger == kScales.end() ? kScales.back() : *larger;
  }
  const auto smaller = std::lower_bound(kScales.begin(), kScales.end(), percent);
  return smaller == kScales.begin() ? kScales.front() : *(smaller - 1);
}

}  // namespace nns::app
