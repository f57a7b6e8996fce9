#pragma once

#include "ui/panels/intent.h"

namespace nns::app {

/// What outlives the program, kept by ui/host: theme, UI scale, the splitter.
struct Settings {
  panels::ThemeChoice theme = panels::ThemeChoice::System;
  int scale_percent = 100;
  float tree_share = 0.46F;  ///< of the window's width
};

/// Settings that are not there or make no sense are at their defaults.
Settings load_settings();
void save_settings(const Settings& settings);
/// The next larger (steps > 0) or smaller scale; 100 for 0.
int next_scale(int percent, int steps);

}  // namespace nns::app
