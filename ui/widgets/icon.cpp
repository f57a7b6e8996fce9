#include "ui/widgets/icon.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace nns::widgets {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

/// Draws in a box of 16 by 16.
class Pen {
 public:
  Pen(const Ui& ui, const Rect& rect, float units, Colour colour)
      : list_(ui.draw()), unit_(units * ui.scale() / 16), colour_(colour), stroke_(std::max(1.0F, 1.5F * unit_)) {
    const float size = 16 * unit_;
    x_ = std::round(rect.centre_x() - size / 2);
    y_ = std::round(rect.centre_y() - size / 2);
  }
  ImVec2 at(float x, float y) const { return {x_ + x * unit_, y_ + y * unit_}; }
  void line(std::initializer_list<std::array<float, 2>> points, bool closed = false) {
    for (const auto& point : points) list_.PathLineTo(at(point[0], point[1]));
    list_.PathStroke(colour_, closed ? ImDrawFlags_Closed : ImDrawFlags_None, stroke_);
  }
  void fill(std::initializer_list<std::array<float, 2>> points) {
    for (const auto& point : points) list_.PathLineTo(at(point[0], point[1]));
    list_.PathFillConvex(colour_);
  }
  void circle(float x, float y, float radius) { list_.AddCircle(at(x, y), radius * unit_, colour_, 0, stroke_); }
  void disc(float x, float y, float radius) { list_.AddCircleFilled(at(x, y), radius * unit_, colour_); }
  void arc(float x, float y, float radius, float from, float to) {
    list_.PathArcTo(at(x, y), radius * unit_, from, to);
    list_.PathStroke(colour_, ImDrawFlags_None, stroke_);
  }
  void box(float x, float y, float width, float height, float rounding) {
    list_.AddRect(at(x, y), at(x + width, y + height), colour_, rounding * unit_, 0, stroke_);
  }
  void filled_box(float x, float y, float width, float height, float rounding) {
    list_.AddRectFilled(at(x, y), at(x + width, y + height), colour_, rounding * unit_);
  }
  void half_disc(float x, float y, float radius) {
    list_.PathArcTo(at(x, y), radius * unit_, kPi / 2, 3 * kPi / 2);
    list_.PathFillConvex(colour_);
  }

 private:
  ImDrawList& list_;
  float x_ = 0;
  float y_ = 0;
  float unit_;
  Colour colour_;
  float stroke_;
};

void paint_node_icon(Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::Module:
      pen.box(3, 3, 10, 10, 2.5F);
      break;
    case Icon::Parameter:
      pen.disc(8, 8, 4);
      break;
    case Icon::Buffer:
      pen.circle(8, 8, 4);
      pen.half_disc(8, 8, 4);
      break;
    case Icon::Tensor:
      pen.line({{8, 3}, {13, 8}, {8, 13}, {3, 8}}, true);
      break;
    case Icon::Container:
      pen.line({{6, 3}, {4, 3}, {4, 13}, {6, 13}});
      pen.line({{10, 3}, {12, 3}, {12, 13}, {10, 13}});
      break;
    case Icon::Value:
      pen.disc(8, 8, 2);
      break;
    case Icon::Hook:
      pen.line({{10, 2.5F}, {10, 9}});
      pen.arc(7.25F, 9.5F, 2.75F, 0, kPi);
      pen.line({{4.5F, 9.5F}, {4.5F, 7.5F}});
      break;
    default:
      break;
  }
}

void paint_sign(Pen& pen, Icon icon) {
  switch (icon) {
    case Icon::Check:
      pen.line({{3.5F, 8.5F}, {6.5F, 11.5F}, {12.5F, 4.5F}});
      break;
    case Icon::Warning:
    case Icon::Danger:
      if (icon == Icon::Warning) {
        pen.line({{8, 2.5F}, {14, 13}, {2, 13}}, true);
      } else {
        pen.line({{5.5F, 2}, {10.5F, 2}, {14, 5.5F}, {14, 10.5F}, {10.5F, 14}, {5.5F, 14}, {2, 10.5F}, {2, 5.5F}},
                 true);
      }
      pen.line({{8, icon == Icon::Warning ? 6.5F : 5}, {8, icon == Icon::Warning ? 9.5F : 8.5F}});
      pen.disc(8, 11.3F, 0.9F);
      break;
    case Icon::Unknown:
    case Icon::Help:
      pen.circle(8, 8, 6);
      pen.arc(8, 6.6F, 1.9F, -kPi, kPi * 0.4F);
      pen.line({{8.2F, 8.5F}, {8, 9.6F}});
      pen.disc(8, 11.6F, 0.8F);
      break;
    case Icon::Info:
      pen.circle(8, 8, 6);
      pen.line({{8, 7.5F}, {8, 11}});
      pen.disc(8, 5.2F, 0.9F);
      break;
    case Icon::Shield:
      pen.line({{8, 2}, {13, 4}, {13, 8}, {11.5F, 11.5F}, {8, 14}, {4.5F, 11.5F}, {3, 8}, {3, 4}}, true);
      break;
    default:
      paint_node_icon(pen, icon);
      break;
  }
}

}  // namespace

void paint_icon(const Ui& ui, Icon icon, const Rect& rect, Colour colour, float units) {
  Pen pen(ui, rect, units, colour);
  switch (icon) {
    case Icon::Folder:
      pen.line({{2, 12.5F}, {2, 3.5F}, {6, 3.5F}, {7.5F, 5.5F}, {14, 5.5F}, {14, 12.5F}}, true);
      break;
    case Icon::Link:
      pen.arc(5, 11, 2.6F, kPi * 0.25F, kPi * 1.75F);
      pen.arc(11, 5, 2.6F, -kPi * 0.75F, kPi * 0.75F);
      pen.line({{6, 10}, {10, 6}});
      break;
    case Icon::Search:
      pen.circle(7, 7, 4.2F);
      pen.line({{10.2F, 10.2F}, {13.5F, 13.5F}});
      break;
    case Icon::Close:
      pen.line({{4, 4}, {12, 12}});
      pen.line({{12, 4}, {4, 12}});
      break;
    case Icon::Sun:
      pen.circle(8, 8, 2.8F);
      for (int ray = 0; ray < 8; ++ray) {
        const float angle = static_cast<float>(ray) * kPi / 4;
        pen.line({{8 + 4.8F * std::cos(angle), 8 + 4.8F * std::sin(angle)},
                  {8 + 6.4F * std::cos(angle), 8 + 6.4F * std::sin(angle)}});
      }
      break;
    case Icon::Moon:
      pen.arc(8, 8, 5.5F, kPi * -0.02F, kPi * 1.52F);
      pen.arc(10.9F, 5.1F, 4, kPi * 0.18F, kPi * 1.32F);
      break;
    case Icon::Contrast:
      pen.circle(8, 8, 5.5F);
      pen.half_disc(8, 8, 5.5F);
      break;
    case Icon::Plus:
      pen.line({{8, 3.5F}, {8, 12.5F}});
      pen.line({{3.5F, 8}, {12.5F, 8}});
      break;
    case Icon::Minus:
      pen.line({{3.5F, 8}, {12.5F, 8}});
      break;
    case Icon::ChevronRight:
      pen.line({{6.25F, 4.5F}, {9.75F, 8}, {6.25F, 11.5F}});
      break;
    case Icon::ChevronLeft:
      pen.line({{9.75F, 4.5F}, {6.25F, 8}, {9.75F, 11.5F}});
      break;
    case Icon::ChevronDown:
      pen.line({{4.5F, 6.25F}, {8, 9.75F}, {11.5F, 6.25F}});
      break;
    case Icon::ArrowLeft:
      pen.line({{13, 8}, {3.5F, 8}});
      pen.line({{7, 4}, {3, 8}, {7, 12}});
      break;
    case Icon::ArrowRight:
      pen.line({{3, 8}, {12.5F, 8}});
      pen.line({{9, 4}, {13, 8}, {9, 12}});
      break;
    case Icon::Copy:
      pen.box(5.5F, 5.5F, 8, 8, 1.5F);
      pen.line({{10.5F, 2.5F}, {4, 2.5F}, {2.5F, 4}, {2.5F, 10.5F}});
      break;
    case Icon::Drop:
      pen.line({{8, 2}, {8, 10}});
      pen.line({{4.5F, 6.5F}, {8, 10}, {11.5F, 6.5F}});
      pen.line({{2.5F, 10.5F}, {2.5F, 13.5F}, {13.5F, 13.5F}, {13.5F, 10.5F}});
      break;
    case Icon::Fit:
      pen.line({{2.5F, 6}, {2.5F, 2.5F}, {6, 2.5F}});
      pen.line({{10, 2.5F}, {13.5F, 2.5F}, {13.5F, 6}});
      pen.line({{13.5F, 10}, {13.5F, 13.5F}, {10, 13.5F}});
      pen.line({{6, 13.5F}, {2.5F, 13.5F}, {2.5F, 10}});
      break;
    case Icon::SideBar:
      pen.box(2.5F, 3, 11, 10, 2);
      pen.line({{6.5F, 3}, {6.5F, 13}});
      break;
    case Icon::Layers:
      pen.line({{8, 2}, {14, 5}, {8, 8}, {2, 5}}, true);
      pen.line({{2, 8}, {8, 11}, {14, 8}});
      pen.line({{2, 11}, {8, 14}, {14, 11}});
      break;
    default:
      paint_sign(pen, icon);
      break;
  }
}

}  // namespace nns::widgets
