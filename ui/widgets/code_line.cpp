#include "ui/widgets/code_line.h"

#include <algorithm>
#include <cmath>

#include "ui/text/letters.h"

namespace nns::widgets {

namespace {

constexpr float kTabCells = 4;

bool is_simple(std::string_view part) {
  return std::all_of(part.begin(), part.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Colour token_colour(const Theme& theme, text::TokenKind kind) {
  using text::TokenKind;
  switch (kind) {
    case TokenKind::Keyword:
      return theme.module;
    case TokenKind::Text:
      return theme.good;
    case TokenKind::Escape:
    case TokenKind::Decorator:
      return theme.event;
    case TokenKind::Number:
    case TokenKind::Constant:
      return theme.hook;
    case TokenKind::Comment:
    case TokenKind::Bracket:
      return theme.muted;
    case TokenKind::Function:
      return theme.parameter;
    case TokenKind::Class:
    case TokenKind::Builtin:
      return theme.buffer;
    case TokenKind::Self:
      return theme.event;
    case TokenKind::Argument:
      return theme.warning;
    case TokenKind::Plain:
    case TokenKind::Property:
    case TokenKind::Operator:
      return theme.text;
  }
  return theme.text;
}

LetterGrid::LetterGrid(const Ui& ui, float size_px)
    : font_(ui.font(Type::Code)), baked_(font_->GetFontBaked(size_px)), size_(size_px) {
  cell_ = std::max(1.0F, baked_->GetCharAdvance('M') * size_ / baked_->Size);
}

float LetterGrid::advance(std::string_view line, std::uint32_t at, float x, std::uint32_t& next) const {
  const text::CodePoint point = text::code_point_at(line, at);
  next = at + point.length;
  if (point.value == '\t') {
    const float tab = cell_ * kTabCells;
    return (std::floor(x / tab + 0.01F) + 1) * tab - x;
  }
  if (point.value < ' ') return cell_;
  if (point.value < 0x7F) return cell_;
  const auto letter = static_cast<ImWchar>(point.value <= IM_UNICODE_CODEPOINT_MAX ? point.value : 0xFFFDU);
  return baked_->GetCharAdvance(letter) * size_ / baked_->Size;
}

float LetterGrid::x_of(std::string_view line, std::uint32_t column) const {
  const auto end = std::min(column, static_cast<std::uint32_t>(line.size()));
  if (is_simple(line.substr(0, end))) return static_cast<float>(end) * cell_;
  float x = 0;
  for (std::uint32_t at = 0; at < end;) {
    std::uint32_t next = at;
    x += advance(line, at, x, next);
    at = next;
  }
  return x;
}

std::uint32_t LetterGrid::column_at(std::string_view line, float wanted) const {
  float x = 0;
  for (std::uint32_t at = 0; at < line.size();) {
    // A letter with its marks is one target.
    const std::uint32_t end = text::next_letter(line, at);
    const float before = x;
    for (std::uint32_t part = at; part < end;) {
      std::uint32_t next = part;
      x += advance(line, part, x, next);
      part = next;
    }
    if (wanted < (before + x) / 2) return at;
    at = end;
  }
  return static_cast<std::uint32_t>(line.size());
}

float LetterGrid::paint(ImDrawList& list, std::string_view part, float left, float x, float y, Colour colour) const {
  std::uint32_t from = 0;
  float from_x = x;
  const auto flush = [&](std::uint32_t to) {
    if (to > from) list.AddText(font_, size_, ImVec2(left + from_x, y), colour, part.data() + from, part.data() + to);
  };
  if (is_simple(part)) {
    flush(static_cast<std::uint32_t>(part.size()));
    return x + static_cast<float>(part.size()) * cell_;
  }
  for (std::uint32_t at = 0; at < part.size();) {
    std::uint32_t next = at;
    const float width = advance(part, at, x, next);
    const bool is_control = static_cast<unsigned char>(part[at]) < ' ';
    if (is_control) {
      flush(at);
      from = next;
      from_x = x + width;
    }
    x += width;
    at = next;
  }
  flush(static_cast<std::uint32_t>(part.size()));
  return x;
}

void LetterGrid::paint_code(ImDrawList& list, const Theme& theme, std::string_view line,
                            std::span<const text::TokenSpan> spans, float left, float y, float right) const {
  const auto size = static_cast<std::uint32_t>(line.size());
  std::uint32_t at = 0;
  const auto paint_to = [&](std::uint32_t to, text::TokenKind kind) {
    if (to <= at) return;
    paint(list, line.substr(at, to - at), left, x_of(line, at), y, token_colour(theme, kind));
    at = to;
  };
  for (const text::TokenSpan& span : spans) {
    paint_to(std::min(span.begin, size), text::TokenKind::Plain);
    paint_to(std::min(span.end, size), span.kind);
    // A letter is at least a quarter of a cell wide.
    if (left + static_cast<float>(at) * cell_ > 4 * right) break;
  }
  paint_to(size, text::TokenKind::Plain);
}

}  // namespace nns::widgets
