#pragma once

#include "ui/panels/intent.h"

namespace nns::app {

/// What outlives the program, kept by ui/host: theme, UI scale, the splitter.
struct Settings {
  panels::ThemeChoice theme = panels::ThemeChoice::System;
  int scale_percent = 100;
  float tree_share = 0.46F;        ///< of the window's width
  float stacked_share = 0.36F;     ///< the tree's of the height, where it is narrow and stands above the inspector
  float side_share = 0.5F;         ///< of the left one of two documents side by side
  float comparison_share = 0.58F;  ///< of the list of a comparison
  float console_share = 0.4F;      ///< of a program's console
  bool hides_tree = false;         ///< the inspector has the whole room
  bool watches = false;            ///< opens files again when they change
};

/// Settings that are not there or make no sense are at their defaults.
Settings load_settings();
void save_settings(const Settings& settings);
/// The next larger (steps > 0) or smaller scale; 100 for 0.
int next_scale(int percent, int steps);

}  // namespace nns::app
