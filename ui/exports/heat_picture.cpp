#include "ui/exports/heat_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ui/model/format.h"
#include "ui/model/slice_view.h"
#include "ui/panels/map_look.h"
#include "ui/panels/matrix_map.h"

namespace nns::exports {

namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 18;
constexpr double kText = 12;
constexpr double kHead = 64;    // title, what it is, and the numbers of the columns
constexpr double kLegend = 58;  // below the cells
constexpr double kTickGap = 8;
constexpr double kLeastWidth = 240;  // of a picture with words
constexpr double kLeastHeight = 160;
constexpr double kMostCellWidth = 60;  // of a picture of its own size, as on the screen
constexpr double kMostCellHeight = 24;
constexpr double kNumberWidth = 44;  // a cell from which on it shows its number
constexpr double kNumberHeight = 15;
/// Cells that are asked for together; a tile may have 4,096 along a side.
constexpr std::uint64_t kStripCells = std::uint64_t{1} << 18U;
constexpr std::uint64_t kMostTile = 4096;

/// begin of cell `at` when `size` is divided into `cells`, without the product that may not fit.
std::uint64_t cell_begin(std::uint64_t size, std::uint64_t cells, std::uint64_t at) {
  return size / cells * at + size % cells * at / cells;
}

/// 1, 2 or 5 times a power of ten: the least that is at least `wanted`.
std::uint64_t round_step(double wanted) {
  std::uint64_t power = 1;
  while (true) {
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      if (static_cast<double>(power * factor) >= wanted) return power * factor;
    }
    power *= 10;
  }
}

class HeatPicture final : public Picture {
 public:
  HeatPicture(const live::Mirror& mirror, HeatSubject subject, const PictureLook& look, TileAsker asker)
      : mirror_(mirror), subject_(std::move(subject)), look_(look), asker_(std::move(asker)) {
    const live::DocumentView& document = *subject_.document;
    const auto shape = document.shape(subject_.tensor);
    const std::string_view dtype = document.dtype_name(subject_.tensor);
    view_ = model::view_slice(subject_.slice, shape, document.stride(subject_.tensor), 0, dtype);
    title_ = name_of(document, subject_.tensor);
    if (!view_.is_whole) title_ += view_.text;
    about_ = fmt::format("{}  ·  {} {}{}", document.title(), dtype, model::shape_text(shape),
                         view_.is_whole ? "" : fmt::format("  ·  part {}", view_.shape));
    if (subject_.minus != nullptr) {
      const std::string other = name_of(*subject_.minus, subject_.minus_tensor);
      about_ = fmt::format("B \xE2\x88\x92 A  ·  A: {}{}  ·  B: {}", subject_.minus->title(),
                           other == title_ ? "" : fmt::format(", {}", other), about_);
    }
    colour_look_ = panels::heat_look(*look_.theme, subject_.range);
    for (std::size_t i = 0; i <= CellColours::kHighest; ++i) {
      colours_.of[i] =
          widgets::colour_map_at(colour_look_.map, colour_look_.is_dark, static_cast<float>(i) / CellColours::kHighest);
    }
    colours_.of[CellColours::kNaN] = colour_look_.nan;
    colours_.of[CellColours::kPlusInfinity] = colours_.of[CellColours::kMinusInfinity] = colour_look_.infinite;
    scale_colours_ = colours_;
    colours_.grid = colour_look_.grid;
    lay_out();
  }
  ~HeatPicture() override {
    if (request_) asker_.cancel(*request_);
  }
  HeatPicture(const HeatPicture&) = delete;
  HeatPicture& operator=(const HeatPicture&) = delete;

  bool prepare(const base::Budget& /*budget*/) override { return true; }
  double width() const override { return width_; }
  double height() const override { return height_; }
  widgets::Colour background() const override { return look_.theme->surface; }
  // Item 0 are the words, the others strips of rows.
  std::uint32_t count() const override {
    return static_cast<std::uint32_t>((grid_rows_ + strip_rows_ - 1) / strip_rows_ + 1);
  }
  std::uint32_t first_at(double /*top*/) const override { return 0; }

  base::Result<bool> fetch(std::uint32_t item, double top, double bottom) override {
    if (item == 0 || strip_ == item || !is_seen(item, top, bottom)) return true;
    const bool has_other = subject_.minus == nullptr || mirror_.document(subject_.minus->id()) != nullptr;
    if (!has_other || mirror_.document(subject_.document->id()) == nullptr)
      return base::Error{"the document was closed", "it stays open until its picture is saved", {}, std::nullopt};
    const std::uint64_t first = first_row(item);
    const std::uint64_t rows = std::min(strip_rows_, grid_rows_ - first);
    if (loading_ != item) {
      loading_ = item;
      loaded_ = 0;
      strip_ = 0;
      cells_.resize(static_cast<std::size_t>(rows * grid_columns_));
      values_.resize(has_numbers_ ? cells_.size() : 0);
    }
    while (loaded_ < grid_columns_) {
      const std::uint64_t columns = std::min(kMostTile, grid_columns_ - loaded_);
      if (!request_) {
        request_ =
            asker_.ask({cell_begin(view_.rows, grid_rows_, first), cell_begin(view_.rows, grid_rows_, first + rows),
                        cell_begin(view_.columns, grid_columns_, loaded_),
                        cell_begin(view_.columns, grid_columns_, loaded_ + columns),
                        static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), true});
      }
      if (const auto job = mirror_.jobs().find(*request_); job != mirror_.jobs().end() && job->second.error) {
        request_.reset();
        return *job->second.error;
      }
      const live::wire::HeatTile* const tile = mirror_.file_tile(*request_);
      if (tile == nullptr) return false;
      request_.reset();
      if (tile->width() != columns || tile->height() != rows)
        return base::Error{fmt::format("a tile of {} x {}", tile->width(), tile->height()),
                           fmt::format("{} x {}", columns, rows), title_, std::nullopt};
      take(*tile);
      loaded_ += columns;
    }
    strip_ = item;
    return true;
  }

  std::uint32_t draw(Canvas& canvas, std::uint32_t item, double top, double bottom) const override {
    if (item == 0) {
      if (has_words_) draw_words(canvas);
      const double above = (top - y_) / (cell_height_ * static_cast<double>(strip_rows_));
      return above <= 1 ? 1 : std::min(count(), static_cast<std::uint32_t>(above));
    }
    if (y_of(first_row(item)) >= bottom) return count();
    if (!is_seen(item, top, bottom)) return item + 1;
    CellBlock block;
    block.x = x_;
    block.y = y_of(first_row(item));
    block.cell_width = cell_width_;
    block.cell_height = cell_height_;
    block.columns = static_cast<std::uint32_t>(grid_columns_);
    block.rows = static_cast<std::uint32_t>(cells_.size() / grid_columns_);
    block.cells = cells_;
    block.colours = &colours_;
    canvas.cells(block);
    if (has_numbers_) draw_numbers(canvas, block);
    return item + 1;
  }

 private:
  static std::string name_of(const live::DocumentView& document, std::uint32_t tensor) {
    const std::uint32_t row = document.node(tensor);
    return row == live::kNone ? std::string(document.title()) : document.path(row);
  }
  double y_of(std::uint64_t row) const { return y_ + static_cast<double>(row) * cell_height_; }
  std::uint64_t first_row(std::uint32_t item) const { return (item - std::uint64_t{1}) * strip_rows_; }
  bool is_seen(std::uint32_t item, double top, double bottom) const {
    const std::uint64_t first = first_row(item);
    return y_of(first) < bottom && y_of(std::min(grid_rows_, first + strip_rows_)) > top;
  }

  void lay_out() {
    const bool has_box = look_.width > 0 && look_.height > 0;
    has_words_ = !has_box || (look_.width >= kLeastWidth && look_.height >= kLeastHeight);
    const auto rows = static_cast<double>(view_.rows);
    const auto columns = static_cast<double>(view_.columns);
    if (has_words_) {
      x_ = kMargin + wide(row_label(view_.rows - 1)) + kTickGap;
      y_ = kHead;
    }
    double room_x = 0;
    double room_y = 0;
    if (has_box) {
      room_x = std::max(1.0, std::floor(look_.width - x_ - (has_words_ ? kMargin : 0)));
      room_y = std::max(1.0, std::floor(look_.height - y_ - (has_words_ ? kLegend : 0)));
    } else {
      constexpr auto kOwn = static_cast<double>(kMostOwn);
      room_x = std::min(kOwn, columns * std::clamp(std::floor(kOwn * 0.75 / columns), 1.0, kMostCellWidth));
      room_y = std::min(kOwn, rows * std::clamp(std::floor(kOwn * 0.5 / rows), 1.0, kMostCellHeight));
    }
    grid_columns_ = std::min(view_.columns, static_cast<std::uint64_t>(room_x));
    grid_rows_ = std::min(view_.rows, static_cast<std::uint64_t>(room_y));
    cell_width_ = room_x / static_cast<double>(grid_columns_);
    cell_height_ = room_y / static_cast<double>(grid_rows_);
    strip_rows_ = std::clamp<std::uint64_t>(kStripCells / grid_columns_, 1, 256);
    has_numbers_ = grid_columns_ == view_.columns && grid_rows_ == view_.rows && cell_width_ >= kNumberWidth &&
                   cell_height_ >= kNumberHeight;
    if (has_box) {
      width_ = look_.width;
      height_ = look_.height;
      return;
    }
    width_ = std::max({x_ + room_x + kMargin, 2 * kMargin + wide(about_), 2 * kMargin + wide_title(), 420.0});
    height_ = y_ + room_y + kLegend;
  }

  void take(const live::wire::HeatTile& tile) {
    // Halves, as in shaders/heat_map.frag.
    const float low = colour_look_.low / 2;
    const float span = std::max(colour_look_.high / 2 - low, 1e-37F);
    const float* value = tile.mean()->data();
    for (std::uint32_t row = 0; row < tile.height(); ++row) {
      const auto begin = static_cast<std::size_t>(row * grid_columns_ + loaded_);
      for (std::uint32_t column = 0; column < tile.width(); ++column, ++value) {
        cells_[begin + column] = cell_of((*value / 2 - low) / span, *value);
        if (has_numbers_) values_[begin + column] = *value;
      }
    }
  }
  static std::uint8_t cell_of(float at, float value) {
    if (std::isnan(value)) return CellColours::kNaN;
    if (std::isinf(value)) return value > 0 ? CellColours::kPlusInfinity : CellColours::kMinusInfinity;
    // To the nearest: halves of steps, counted and rounded up.
    return static_cast<std::uint8_t>(
        (static_cast<unsigned>(std::clamp(at, 0.0F, 1.0F) * 2 * CellColours::kHighest) + 1) / 2);
  }

  void draw_numbers(Canvas& canvas, const CellBlock& block) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const widgets::Colour ink = panels::map_ink_on(colours_.of[cells_[i]]);
      const std::string text = model::value_text(static_cast<double>(values_[i]));
      const double size = text_width(look_.fonts.regular, 11, text);
      const std::uint64_t row = i / grid_columns_;
      const std::uint64_t column = i % grid_columns_;
      const double x = block.x + (static_cast<double>(column) + 0.5) * cell_width_ - size / 2;
      const double y = block.y + (static_cast<double>(row) + 0.5) * cell_height_ - 6.5;
      if (cells_[i] > CellColours::kHighest)  // the stripes leave the word its place
        canvas.fill(x - 3, y - 1, size + 6, 15, colours_.of[cells_[i]], {});
      canvas.text(x, y, 11, size, look_.fonts.regular, ink, text);
    }
  }

  /// What a row or column is called at the edge: the index of its axis where it is one axis, else its number.
  std::string label(std::uint64_t at, bool is_column) const {
    const auto& order = subject_.slice.order;
    const std::size_t axes =
        is_column ? std::min<std::size_t>(order.size(), 1) : order.size() - std::min<std::size_t>(order.size(), 1);
    if (axes == 1) {
      const base::AxisRange& range = subject_.slice.axes[is_column ? order.back() : order.front()];
      if (view_.per_item == 1 || !is_column) at = range.start + at * range.step;
    }
    return model::thousands(at);
  }
  std::string row_label(std::uint64_t at) const { return label(at, false); }

  void draw_words(Canvas& canvas) const {
    const widgets::Theme& theme = *look_.theme;
    put(canvas, look_.fonts.strong, kMargin, 10, kTitle, theme.text, title_);
    put(canvas, look_.fonts.regular, kMargin, 32, kText, theme.muted, about_);
    draw_ticks(canvas);
    draw_scale(canvas);
  }

  void draw_ticks(Canvas& canvas) const {
    const widgets::Theme& theme = *look_.theme;
    const double column_px = cell_width_ * static_cast<double>(grid_columns_) / static_cast<double>(view_.columns);
    const double row_px = cell_height_ * static_cast<double>(grid_rows_) / static_cast<double>(view_.rows);
    const std::uint64_t column_step = round_step((wide(label(view_.columns - 1, true)) + 2 * kTickGap) / column_px);
    double free_from = 0;
    for (std::uint64_t at = 0; at < view_.columns; at += column_step) {
      const std::string text = label(at, true);
      const double middle = x_ + (static_cast<double>(at) + 0.5) * column_px;
      const double x = std::max(x_, middle - wide(text) / 2);
      if (x < free_from || x + wide(text) > width_) continue;
      put(canvas, look_.fonts.regular, x, y_ - kText - 4, kText, theme.muted, text);
      free_from = x + wide(text) + kTickGap;
    }
    if (subject_.slice.order.size() < 2) return;
    const std::uint64_t row_step = round_step((kText + 4) / row_px);
    for (std::uint64_t at = 0; at < view_.rows; at += row_step) {
      const std::string text = row_label(at);
      const double middle = y_ + (static_cast<double>(at) + 0.5) * row_px;
      const double y = std::max(y_ - 2, middle - kText / 2 - 1);
      put(canvas, look_.fonts.regular, x_ - kTickGap - wide(text), y, kText, theme.muted, text);
    }
  }

  void draw_scale(Canvas& canvas) const {
    const widgets::Theme& theme = *look_.theme;
    const double top = y_of(grid_rows_) + 12;
    const std::string swatches[] = {"NaN", "\xE2\x88\x9E"};
    double right = width_ - kMargin;
    if (subject_.has_non_finite) {
      for (std::size_t i = 2; i-- > 0;) {
        right -= wide(swatches[i]);
        put(canvas, look_.fonts.regular, right, top - 1, kText, theme.text, swatches[i]);
        right -= 18;
        const std::uint8_t cell = i == 0 ? CellColours::kNaN : CellColours::kPlusInfinity;
        canvas.cells({right, top, 12, 12, 1, 1, {&cell, 1}, &scale_colours_});
        right -= 16;
      }
    }
    const double bar = std::min(480.0, right - x_);
    if (bar < 40) return;
    std::array<std::uint8_t, CellColours::kHighest + 1> steps{};
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::uint8_t>(i);
    canvas.cells({x_, top, bar / static_cast<double>(steps.size()), 12, static_cast<std::uint32_t>(steps.size()), 1,
                  steps, &scale_colours_});
    for (const widgets::ScaleMark& mark : subject_.marks) {
      const double at = widgets::scale_place(colour_look_, mark.value);
      if (at < 0 || at > 1) continue;
      const double x = std::clamp(std::floor(x_ + at * bar), x_ + 1, x_ + bar - 2);
      const double high = mark.is_middle ? 15 : 12;
      canvas.fill(x - 1, top, 3, high, widgets::rgb(0), {});
      canvas.fill(x, top, 1, high, widgets::rgb(0xFFFFFF),
                  fmt::format("{}: {}", mark.label, model::value_text(mark.value)));
    }
    const double low = subject_.range.low;
    const double high = subject_.range.high;
    const std::string ends[] = {model::value_text(low), model::value_text((low + high) / 2), model::value_text(high)};
    double free_from = 0;
    for (std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{1}}) {
      const double x = x_ + (bar - wide(ends[i])) * static_cast<double>(i) / 2;
      const bool is_free =
          i != 1 || (x > x_ + wide(ends[0]) + kTickGap && x + wide(ends[1]) + kTickGap < x_ + bar - wide(ends[2]));
      if (is_free) put(canvas, look_.fonts.regular, x, top + 18, kText, theme.muted, ends[i]);
      free_from = std::max(free_from, x + wide(ends[i]));
    }
    if (grid_columns_ == view_.columns && grid_rows_ == view_.rows) return;
    const std::string note =
        fmt::format("{} \xC3\x97 {} values, shown as {} \xC3\x97 {} means", model::thousands(view_.rows),
                    model::thousands(view_.columns), model::thousands(grid_rows_), model::thousands(grid_columns_));
    const double x = width_ - kMargin - wide(note);
    if (x > free_from + 2 * kTickGap) put(canvas, look_.fonts.regular, x, top + 18, kText, theme.muted, note);
  }

  double wide(std::string_view text) const { return text_width(look_.fonts.regular, kText, text); }
  double wide_title() const { return text_width(look_.fonts.strong, kTitle, title_); }
  void put(Canvas& canvas, ImFont* font, double x, double y, double size, widgets::Colour colour,
           std::string_view text) const {
    canvas.text(x, y, size, text_width(font, size, text), font, colour, text);
  }

  const live::Mirror& mirror_;
  HeatSubject subject_;
  PictureLook look_;
  TileAsker asker_;
  model::SliceView view_;
  std::string title_;
  std::string about_;
  widgets::HeatMapRenderer::Look colour_look_;
  CellColours colours_;
  CellColours scale_colours_;  // without lines
  // Where the cells are.
  double x_ = 0;
  double y_ = 0;
  double width_ = 0;
  double height_ = 0;
  double cell_width_ = 1;
  double cell_height_ = 1;
  std::uint64_t grid_rows_ = 1;
  std::uint64_t grid_columns_ = 1;
  std::uint64_t strip_rows_ = 1;
  bool has_words_ = true;
  bool has_numbers_ = false;
  // The strip that is here, or that comes.
  std::uint32_t strip_ = 0;
  std::uint32_t loading_ = 0;
  std::uint64_t loaded_ = 0;  // columns of it
  std::optional<std::uint64_t> request_;
  std::vector<std::uint8_t> cells_;
  std::vector<float> values_;  // of cells that show their numbers
};

}  // namespace

std::unique_ptr<Picture> make_heat_picture(const live::Mirror& mirror, HeatSubject subject, const PictureLook& look,
                                           TileAsker asker) {
  return std::make_unique<HeatPicture>(mirror, std::move(subject), look, std::move(asker));
}

}  // namespace nns::exports
