#include "ui/widgets/prose.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ui/text/letters.h"

namespace nns::widgets {

using host::AccessNode;
using host::Role;

namespace {

/// A part of a word in one typeface.
struct ProsePart {
  std::string_view text;
  bool is_code = false;
  bool begins_word = false;
  bool goes_on = false;  ///< of the code that the part before it is of
};

std::vector<ProsePart> prose_parts(std::string_view text) {
  constexpr std::string_view kSpace = " \n\r\t";
  std::vector<ProsePart> parts;
  bool is_code = false;
  bool begins_word = true;
  bool goes_on = false;
  while (!text.empty()) {
    const char c = text.front();
    if (kSpace.find(c) != std::string_view::npos) {
      begins_word = true;
      text.remove_prefix(1);
    } else if (c == '`' && (is_code || text.find('`', 1) != std::string_view::npos)) {
      is_code = !is_code;
      goes_on = false;
      text.remove_prefix(1);
    } else {
      const std::size_t length = std::min(text.find_first_of(" \n\r\t`", 1), text.size());
      parts.push_back({text.substr(0, length), is_code, begins_word, goes_on});
      begins_word = false;
      goes_on = is_code;
      text.remove_prefix(length);
    }
  }
  return parts;
}

constexpr Type type_of(const ProsePart& part) { return part.is_code ? Type::Code : Type::Body; }

/// Draws a piece of a part at `x` of a line; `joined` is how far the ground of code goes back to what stands before it.
/// Gives how wide it is.
float paint_piece(const Ui& ui, const Rect& line, float x, const ProsePart& part, std::string_view piece, float joined,
                  Colour colour) {
  constexpr float kGround = 0.16F;
  const Type type = type_of(part);
  const float width = ui.text_width(type, piece);
  if (part.is_code && !piece.empty()) {
    const float edge = ui.px(1);
    ui.draw().AddRectFilled(ImVec2(line.x + x - joined - edge, line.y + edge),
                            ImVec2(line.x + x + width + edge, line.bottom() - edge),
                            with_alpha(ui.theme().muted, kGround), ui.px(3));
  }
  ui.paint_text(line.x + x, line.y + (line.height - ui.font_size(type)) / 2, type, colour, piece);
  return width;
}

float line_height(const Ui& ui) { return std::max(ui.line_height(Type::Body), ui.line_height(Type::Code)); }

}  // namespace

void prose(Flow& flow, std::string_view text) {
  if (text.empty()) return;
  Ui& ui = flow.ui();
  const std::vector<ProsePart> parts = prose_parts(text);
  const float height = line_height(ui);
  const float space = ui.text_width(Type::Body, " ");
  const float room = flow.width();
  const Colour colour = ui.theme().text;
  Rect line = flow.take_px(height);
  const Rect first = line;
  float x = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ProsePart& part = parts[i];
    const bool has_space = part.begins_word && x > 0;
    if (has_space) {
      float word = 0;
      std::size_t next = i;
      do {
        word += ui.text_width(type_of(parts[next]), parts[next].text);
      } while (++next < parts.size() && !parts[next].begins_word);
      x += space;
      if (x + word > room) {
        line = flow.take_px(height);
        x = 0;
      }
    }
    float joined = has_space && part.goes_on && x > 0 ? space : 0;
    // What is wider than a line is broken anywhere.
    const char* at = part.text.data();
    const char* const end = at + part.text.size();
    while (at < end) {
      const Type type = type_of(part);
      const char* stop = end;
      if (x + ui.text_width(type, std::string_view(at, static_cast<std::size_t>(end - at))) > room) {
        stop = ui.font(type)->CalcWordWrapPosition(ui.font_size(type), at, end, room - x);
        const std::string_view left(at, static_cast<std::size_t>(end - at));
        if (stop == at && x == 0) stop = at + text::next_letter(left, 0);
      }
      x += paint_piece(ui, line, x, part, std::string_view(at, static_cast<std::size_t>(stop - at)), joined, colour);
      joined = 0;
      at = stop;
      if (at == end) break;
      line = flow.take_px(height);
      x = 0;
    }
  }
  AccessNode node;
  node.role = Role::Text;
  node.name = text;
  ui.describe(ui.id(text), {first.x, first.y, room, line.bottom() - first.y}, std::move(node));
}

bool paint_prose_line(const Ui& ui, const Rect& rect, Colour colour, std::string_view text) {
  const float height = line_height(ui);
  const Rect line{rect.x, rect.y + (rect.height - height) / 2, rect.width, height};
  const float space = ui.text_width(Type::Body, " ");
  float x = 0;
  for (const ProsePart& part : prose_parts(text)) {
    const bool has_space = part.begins_word && x > 0;
    if (has_space) x += space;
    if (x + ui.text_width(type_of(part), part.text) > rect.width) {
      ui.paint_line({rect.x + x, rect.y, std::max(0.0F, rect.width - x), rect.height}, type_of(part), colour,
                    part.text);
      return true;
    }
    x += paint_piece(ui, line, x, part, part.text, has_space && part.goes_on ? space : 0, colour);
  }
  return false;
}

}  // namespace nns::widgets
