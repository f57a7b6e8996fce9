#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/widgets/icon.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Lays controls out from top to bottom in one column, and knows how tall they became.
class Flow {
 public:
  Flow(Ui& ui, const Rect& area) : ui_(ui), area_(area), y_(area.y) {}
  Ui& ui() { return ui_; }
  float width() const { return area_.width; }
  float y() const { return y_; }
  /// Height so far. Units: pixels.
  float height() const { return y_ - area_.y; }
  /// The next `units` design units over the whole width.
  Rect take(float units) { return take_px(ui_.px(units)); }
  Rect take_px(float height) {
    const Rect rect{area_.x, y_, area_.width, height};
    y_ += height;
    return rect;
  }
  void space(float units) { y_ += ui_.px(units); }

  /// A heading of the access tree, too. Words that wrap.
  void heading(std::string_view text, Type type = Type::Heading);
  /// Words that wrap.
  void paragraph(std::string_view text, Type type = Type::Body, bool muted = false);
  /// A quiet picture with a title and what to do: for panels that have nothing to show.
  void empty_state(Icon icon, std::string_view title, std::string_view advice);

 private:
  /// Gives the place that the lines took.
  Rect paint_wrapped(std::string_view text, Type type, Colour colour);

  Ui& ui_;
  Rect area_;
  float y_;
};

/// Label and value, one pair a row, labels in one column; `mono`: values in the typeface of code.
struct Fact {
  std::string_view label;
  std::string_view value;
  std::string_view exact;  ///< shown as a tooltip if it differs from `value`
  bool is_link = false;
};
/// Draws the facts as a table. Gives the index of the link that was pressed, or -1.
int fact_table(Flow& flow, std::string_view name, std::span<const Fact> facts, bool align_numbers = false);

/// How wide `text` is up to its decimal point (or its end, without one), for numbers in a column.
float width_to_point(const Ui& ui, Type type, std::string_view text);

/// A bar that fills with `at` (0 to 1), or moves if `at` is negative. `name` says what is on its way.
void progress_bar(Ui& ui, const Rect& rect, std::string_view name, double at);

/// A read-only text that can be selected and copied with the system's keys.
void code_view(Ui& ui, const Rect& rect, std::string_view name, std::string& text);

/// A draggable line between two parts; gives how far it was moved. Units: pixels.
float splitter(Ui& ui, const Rect& rect, std::string_view name, bool vertical_line, double now_percent);

}  // namespace nns::widgets
