#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/widgets/ui.h"

namespace nns::widgets {

/// A tick of an axis; `at` goes from 0 to 1 over it.
struct PlotTick {
  float at = 0;
  std::string text;
};

/// One column of a curve: all from 0 to 1 over the axes.
struct PlotColumn {
  float x = 0;
  float low = 0;
  float high = 0;
  float last = 0;
};

struct PlotLine {
  std::string name;
  Colour colour = 0;
  std::vector<PlotColumn> columns;  ///< left to right
  bool is_faint = false;            ///< behind the others: what a smoothed line was made of
};

struct PlotSpec {
  std::string_view name;         ///< accessible name
  std::string_view description;  ///< what it shows in words, with its newest value
  std::span<const PlotLine> lines;
  std::span<const PlotTick> x_ticks;
  std::span<const PlotTick> y_ticks;
  std::span<const std::string> readout;  ///< beside the cursor: a line each, the first is where it is
};

/// What was asked of the plot; positions from 0 to 1 over its x axis.
struct PlotEvents {
  std::optional<float> cursor;  ///< the pointer, or what the arrow keys moved
  float zoom = 0;               ///< steps of Ctrl+wheel, + or -; positive is nearer
  float zoom_at = 0.5F;
  float pan = 0;      ///< share of the width by which the picture moved to the right
  bool fits = false;  ///< a double click, Space or 0: all of it
  float columns = 0;  ///< how many pixels wide the picture is
};

/// Where the keyboard has moved the cursor. Kept by the caller between frames.
struct PlotState {
  std::optional<float> keyboard_cursor;
};

/// Curves over two axes. Drag pans, Ctrl+wheel zooms; with the focus the arrow keys move a cursor, + and - zoom, Space
/// shows all.
PlotEvents plot(Ui& ui, const Rect& rect, const PlotSpec& spec, PlotState& state);

}  // namespace nns::widgets
