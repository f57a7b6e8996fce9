#include <algorithm>
#include <cmath>

#include "core/base/utf8.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

float base_size(Type type) {
  switch (type) {
    case Type::Small:
    case Type::SmallStrong:
      return 12;
    case Type::Body:
    case Type::Strong:
      return 14;
    case Type::Heading:
      return 16;
    case Type::Title:
      return 20;
    case Type::Display:
      return 28;
    case Type::Code:
      return 13;
    case Type::CodeSmall:
      return 12;
  }
  return 14;
}

using base::is_continuation;

}  // namespace

ImFont* Ui::font(Type type) const {
  switch (type) {
    case Type::Small:
    case Type::Body:
      return fonts_.regular;
    case Type::Code:
    case Type::CodeSmall:
      return fonts_.code;
    default:
      return fonts_.strong;
  }
}

float Ui::font_size(Type type) const { return std::round(base_size(type) * scale_); }
float Ui::line_height(Type type) const { return std::round(font_size(type) * 1.43F); }

float Ui::text_width(Type type, std::string_view text) const {
  if (text.empty()) return 0;
  return font(type)->CalcTextSizeA(font_size(type), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

void Ui::paint_text(float x, float y, Type type, Colour colour, std::string_view text) const {
  if (text.empty()) return;
  draw().AddText(font(type), font_size(type), ImVec2(std::round(x), std::round(y)), colour, text.data(),
                 text.data() + text.size());
}

bool Ui::paint_line(const Rect& rect, Type type, Colour colour, std::string_view text, float align) const {
  if (text.empty() || rect.width <= 0) return false;
  const float y = rect.y + (rect.height - font_size(type)) / 2;
  const float width = text_width(type, text);
  if (width <= rect.width + 0.5F) {
    paint_text(rect.x + (rect.width - width) * align, y, type, colour, text);
    return false;
  }
  const std::string cut = elide_middle(type, text, rect.width);
  paint_text(rect.x, y, type, colour, cut);
  return true;
}

std::string Ui::elide_middle(Type type, std::string_view text, float width) const {
  ImFont* face = font(type);
  const float size = font_size(type);
  const float rest = width - text_width(type, kEllipsis);
  if (rest <= 0) return std::string(kEllipsis);
  // The head gets a little less than half: the end of a name tells more than its middle.
  const char* head_end = nullptr;
  face->CalcTextSizeA(size, rest * 0.45F, 0, text.data(), text.data() + text.size(), &head_end);
  auto head = static_cast<std::size_t>(head_end - text.data());
  const float head_width = text_width(type, text.substr(0, head));
  // The tail: the longest suffix that fits, found by halving.
  std::size_t low = head;
  std::size_t high = text.size();
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    if (text_width(type, text.substr(middle)) <= rest - head_width) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  while (low < text.size() && is_continuation(text[low])) ++low;
  return std::string(text.substr(0, head)).append(kEllipsis).append(text.substr(low));
}

}  // namespace nns::widgets
