#pragma once

#include <algorithm>

namespace nns::widgets {

/// A rectangle of the screen that is laid out by cutting pieces off its sides. Units: pixels of the interface.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;

  float right() const { return x + width; }
  float bottom() const { return y + height; }
  float centre_x() const { return x + width / 2; }
  float centre_y() const { return y + height / 2; }
  bool contains(float px, float py) const { return px >= x && px < right() && py >= y && py < bottom(); }

  /// The piece that was cut off; the rest stays here. Never cuts more than there is.
  Rect cut_left(float amount) {
    amount = std::clamp(amount, 0.0F, width);
    const Rect piece{x, y, amount, height};
    x += amount;
    width -= amount;
    return piece;
  }
  Rect cut_right(float amount) {
    amount = std::clamp(amount, 0.0F, width);
    width -= amount;
    return {x + width, y, amount, height};
  }
  Rect cut_top(float amount) {
    amount = std::clamp(amount, 0.0F, height);
    const Rect piece{x, y, width, amount};
    y += amount;
    height -= amount;
    return piece;
  }
  Rect cut_bottom(float amount) {
    amount = std::clamp(amount, 0.0F, height);
    height -= amount;
    return {x, y + height, width, amount};
  }
  Rect inset(float horizontal, float vertical) const {
    return {x + horizontal, y + vertical, std::max(0.0F, width - 2 * horizontal),
            std::max(0.0F, height - 2 * vertical)};
  }
  /// A rectangle of that height in the vertical middle.
  Rect middle(float inner_height) const { return {x, y + (height - inner_height) / 2, width, inner_height}; }
  friend bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace nns::widgets
