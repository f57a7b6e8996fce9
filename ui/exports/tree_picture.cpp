#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/exports/picture.h"
#include "ui/model/format.h"
#include "ui/panels/row_look.h"

namespace nns::exports {

namespace {

constexpr double kLine = 22;
constexpr double kTreeText = 14;
constexpr double kIndent = 18;
constexpr double kTreeMargin = 16;
constexpr double kGap = 24;
constexpr double kDot = 8;
constexpr double kTreeHead = 56;
constexpr std::uint32_t kTreeRowsPerLook = 128;

class TreePicture final : public Picture {
 public:
  TreePicture(std::shared_ptr<const live::DocumentView> document, const PictureLook& look)
      : document_(std::move(document)), look_(look) {
    levels_.resize(document_->row_count());
    const auto& told = document_->get();
    about_ = fmt::format("{}  ·  {} tensors  ·  {} parameters  ·  {}", document_->format(),
                         model::thousands(document_->tensor_count()), model::thousands(told.total_parameters()),
                         model::short_bytes(told.total_bytes()));
  }

  bool prepare(const base::Budget& budget) override {
    for (; next_ < document_->row_count(); ++next_) {
      if (next_ != 0) levels_[next_] = static_cast<std::uint16_t>(levels_[document_->parent(next_)] + 1);
      const auto texts = texts_of(next_);
      widths_[0] = std::max(widths_[0], levels_[next_] * kIndent + kDot * 2 + wide(texts[0]));
      for (std::size_t i = 1; i < texts.size(); ++i) widths_[i] = std::max(widths_[i], wide(texts[i]));
      if (next_ % kTreeRowsPerLook == kTreeRowsPerLook - 1 && budget.spent()) {
        ++next_;
        return false;
      }
    }
    own_width_ = 2 * kTreeMargin + widths_[0] + widths_[1] + widths_[2] + widths_[3] + 3 * kGap;
    own_width_ =
        std::max({own_width_, 2 * kTreeMargin + wide(about_), 2 * kTreeMargin + wide(document_->title()) * 1.4});
    own_height_ = kTreeHead + kLine * document_->row_count() + kTreeMargin;
    if (look_.width > 0 && look_.height > 0) scale_ = std::min(look_.width / own_width_, look_.height / own_height_);
    return true;
  }

  double width() const override { return own_width_ * scale_; }
  double height() const override { return own_height_ * scale_; }
  // Item 0 is the head.
  std::uint32_t count() const override { return document_->row_count() + 1; }
  widgets::Colour background() const override { return look_.theme->surface; }

  std::uint32_t first_at(double top) const override {
    const double row = std::floor((top / scale_ - kTreeHead) / kLine) - 1;
    return row <= 0 ? 0 : static_cast<std::uint32_t>(std::min<double>(row, document_->row_count()));
  }

  std::uint32_t draw(Canvas& canvas, std::uint32_t item, double /*top*/, double bottom) const override {
    const widgets::Theme& theme = *look_.theme;
    if (item == 0) {
      put(canvas, look_.fonts.strong, kTreeMargin, 8, kTreeText * 1.3, theme.text, document_->title());
      put(canvas, look_.fonts.regular, kTreeMargin, 30, kTreeText, theme.muted, about_);
      return 1;
    }
    const std::uint32_t row = item - 1;
    const double y = kTreeHead + kLine * row;
    if (y * scale_ >= bottom) return count();
    if (row % 2 == 1) canvas.fill(0, y * scale_, width(), kLine * scale_, theme.raised, {});
    const auto texts = texts_of(row);
    const double x = kTreeMargin + levels_[row] * kIndent;
    canvas.fill(x * scale_, (y + (kLine - kDot) / 2) * scale_, kDot * scale_, kDot * scale_,
                panels::kind_colour(theme, document_->kind(row)), {});
    const double text_y = y + (kLine - kTreeText) / 2 - 1;
    put(canvas, look_.fonts.regular, x + kDot * 2, text_y, kTreeText, theme.text, texts[0]);
    double column = kTreeMargin + widths_[0] + kGap;
    put(canvas, look_.fonts.regular, column, text_y, kTreeText, theme.muted, texts[1]);
    column += widths_[1] + kGap;
    put(canvas, look_.fonts.regular, column + widths_[2] - wide(texts[2]), text_y, kTreeText, theme.text, texts[2]);
    column += widths_[2] + kGap;
    put(canvas, look_.fonts.regular, column + widths_[3] - wide(texts[3]), text_y, kTreeText, theme.muted, texts[3]);
    return item + 1;
  }

 private:
  /// Name, type or value, parameters, bytes.
  std::array<std::string, 4> texts_of(std::uint32_t row) const {
    std::array<std::string, 4> texts;
    texts[0] = row == 0 ? document_->title() : document_->name(row);
    texts[1] = panels::type_text(*document_, row);
    if (document_->parameters(row) != 0) texts[2] = model::thousands(document_->parameters(row));
    if (document_->bytes(row) != 0) texts[3] = model::short_bytes(document_->bytes(row));
    return texts;
  }

  double wide(std::string_view text) const { return text_width(look_.fonts.regular, kTreeText, text); }

  void put(Canvas& canvas, ImFont* font, double x, double y, double size, widgets::Colour colour,
           std::string_view text) const {
    canvas.text(x * scale_, y * scale_, size * scale_, text_width(font, size, text) * scale_, font, colour, text);
  }

  std::shared_ptr<const live::DocumentView> document_;
  PictureLook look_;
  std::string about_;
  std::vector<std::uint16_t> levels_;
  std::array<double, 4> widths_{};
  std::uint32_t next_ = 0;
  double own_width_ = 0;
  double own_height_ = 0;
  double scale_ = 1;
};

}  // namespace

std::unique_ptr<Picture> make_tree_picture(std::shared_ptr<const live::DocumentView> document,
                                           const PictureLook& look) {
  return std::make_unique<TreePicture>(std::move(document), look);
}

}  // namespace nns::exports
