// A picture as a PNG, a band of rows at a time.
// Behaviour: Portable Network Graphics (PNG) Specification, third edition.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ui/exports/picture.h"
#include "ui/exports/png_chunk.h"

namespace nns::exports {

namespace {

constexpr std::uint64_t kMostPendingPng = 8U << 20U;
/// Of pixels in a band. Units: bytes.
constexpr std::size_t kBand = 2U << 20U;
constexpr double kMostPixels = 2'147'483'647;

/// Rows [top, top + rows) of the picture, three bytes a pixel.
class BandCanvas final : public Canvas {
 public:
  std::size_t width = 0;
  std::size_t rows = 0;
  std::uint64_t top = 0;
  std::vector<std::uint8_t> pixels;

  void clear(widgets::Colour colour) { fill_pixels(0, width, 0, rows, colour); }

  void fill(double x, double y, double w, double h, widgets::Colour colour, std::string_view /*tip*/) override {
    const auto [left, right] = range(x, x + w, 0, width);
    const auto [first, last] = range(y, y + h, top, rows);
    fill_pixels(left, right, first, last, colour);
  }

  void text(double x, double y, double size, double /*width*/, ImFont* font, widgets::Colour colour,
            std::string_view text) override {
    if (y > static_cast<double>(top + rows) || y + 2 * size < static_cast<double>(top) || size < 1) return;
    ImFontBaked* const baked = font->GetFontBaked(static_cast<float>(size));
    double pen = x;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      unsigned code = 0;
      at += ImTextCharFromUtf8(&code, at, end);
      const ImFontGlyph* const glyph = baked->FindGlyph(static_cast<ImWchar>(code));
      if (glyph == nullptr) continue;
      if (glyph->Visible != 0) draw_glyph(*font->ContainerAtlas->TexData, *glyph, pen, y, colour);
      pen += static_cast<double>(glyph->AdvanceX);
    }
  }

  void cells(const CellBlock& block) override {
    const auto [left, right] = range(block.x, block.x + block.columns * block.cell_width, 0, width);
    const auto [first, last] = range(block.y, block.y + block.rows * block.cell_height, top, rows);
    if (left >= right || first >= last) return;
    // The cell of each pixel of a row, and whether a line is there.
    columns_.resize(right - left);
    for (std::size_t x = left; x < right; ++x) {
      const double inside = static_cast<double>(x) + 0.5 - block.x;
      const auto column = std::min(block.columns - 1, static_cast<std::uint32_t>(inside / block.cell_width));
      columns_[x - left] = {column, block.cell_width > kGridFrom && inside - column * block.cell_width < 1};
    }
    std::array<widgets::Colour, 256> lined{};
    const float grid = static_cast<float>(block.colours->grid >> 24U) / 255;
    for (std::size_t i = 0; i < lined.size(); ++i)
      lined[i] = widgets::mix(block.colours->of[i], block.colours->grid | 0xFF000000U, grid);
    for (std::size_t y = first; y < last; ++y) {
      const double inside = static_cast<double>(top + y) + 0.5 - block.y;
      const auto row = std::min(block.rows - 1, static_cast<std::uint32_t>(inside / block.cell_height));
      const bool is_line = block.cell_height > kGridFrom && inside - row * block.cell_height < 1;
      const auto line = block.cells.subspan(std::size_t{row} * block.columns, block.columns);
      std::uint8_t* pixel = pixels.data() + (y * width + left) * 3;
      for (std::size_t x = left; x < right; ++x, pixel += 3) {
        const auto [column, is_edge] = columns_[x - left];
        const std::uint8_t cell = line[column];
        widgets::Colour colour = (is_line || is_edge ? lined : block.colours->of)[cell];
        if (cell > CellColours::kHighest && !is_stripe(x, top + y, cell))
          colour = widgets::mix(widgets::rgb(0), colour, 0.72F);
        put_colour(pixel, colour);
      }
    }
  }

 private:
  /// The stripes of shaders/heat_map.frag: rising for -inf, falling for the others.
  static bool is_stripe(std::uint64_t x, std::uint64_t y, std::uint8_t cell) {
    constexpr std::uint64_t kPeriods = std::uint64_t{6} << 40U;  // so that the difference is never negative
    const std::uint64_t along = cell == CellColours::kMinusInfinity ? x + y : x + kPeriods - y;
    return along / 3 % 2 == 1;
  }
  static void put_colour(std::uint8_t* pixel, widgets::Colour colour) {
    pixel[0] = static_cast<std::uint8_t>(colour);
    pixel[1] = static_cast<std::uint8_t>(colour >> 8U);
    pixel[2] = static_cast<std::uint8_t>(colour >> 16U);
  }
  struct PixelColumn {
    std::uint32_t cell = 0;
    bool is_edge = false;
  };
  std::vector<PixelColumn> columns_;

  /// Whole pixels whose middle lies between the two places.
  static std::pair<std::size_t, std::size_t> range(double from, double to, std::uint64_t begin, std::size_t count) {
    const double shift = static_cast<double>(begin);
    const double low = std::clamp(std::ceil(from - 0.5 - shift), 0.0, static_cast<double>(count));
    const double high = std::clamp(std::ceil(to - 0.5 - shift), low, static_cast<double>(count));
    return {static_cast<std::size_t>(low), static_cast<std::size_t>(high)};
  }

  void fill_pixels(std::size_t left, std::size_t right, std::size_t first, std::size_t last, widgets::Colour colour) {
    if (left >= right || first >= last) return;
    std::uint8_t* const line = pixels.data() + (first * width + left) * 3;
    const std::size_t bytes = (right - left) * 3;
    for (std::size_t x = 0; x < 3; ++x) line[x] = static_cast<std::uint8_t>(colour >> (8U * x));
    // Twice as much each time, then line by line.
    for (std::size_t done = 3; done < bytes; done *= 2) std::memcpy(line + done, line, std::min(done, bytes - done));
    for (std::size_t y = first + 1; y < last; ++y) std::memcpy(pixels.data() + (y * width + left) * 3, line, bytes);
  }

  void draw_glyph(const ImTextureData& texture, const ImFontGlyph& glyph, double x, double y, widgets::Colour colour) {
    const auto left = static_cast<std::int64_t>(std::lround(x + static_cast<double>(glyph.X0)));
    const auto above = static_cast<std::int64_t>(std::lround(y + static_cast<double>(glyph.Y0)));
    const double wide = static_cast<double>(glyph.X1 - glyph.X0);
    const double high = static_cast<double>(glyph.Y1 - glyph.Y0);
    const double from_x = static_cast<double>(glyph.U0) * texture.Width;
    const double from_y = static_cast<double>(glyph.V0) * texture.Height;
    const double step_x = wide > 0 ? static_cast<double>(glyph.U1 - glyph.U0) * texture.Width / wide : 0;
    const double step_y = high > 0 ? static_cast<double>(glyph.V1 - glyph.V0) * texture.Height / high : 0;
    for (std::int64_t row = 0; row < std::llround(high); ++row) {
      const std::int64_t to_y = above + row - static_cast<std::int64_t>(top);
      if (to_y < 0 || to_y >= static_cast<std::int64_t>(rows)) continue;
      for (std::int64_t column = 0; column < std::llround(wide); ++column) {
        const std::int64_t to_x = left + column;
        if (to_x < 0 || to_x >= static_cast<std::int64_t>(width)) continue;
        const double at_x = from_x + static_cast<double>(column) * step_x;
        const double at_y = from_y + static_cast<double>(row) * step_y;
        const unsigned alpha = coverage(texture, at_x, at_y, step_x);
        std::uint8_t* const pixel =
            pixels.data() + (static_cast<std::size_t>(to_y) * width + static_cast<std::size_t>(to_x)) * 3;
        for (unsigned channel = 0; channel < 3; ++channel) {
          const unsigned ink = glyph.Colored != 0 ? texel(texture, std::lround(at_x), std::lround(at_y))[channel]
                                                  : (colour >> (8U * channel)) & 0xFFU;
          pixel[channel] = static_cast<std::uint8_t>((pixel[channel] * (255 - alpha) + ink * alpha + 127) / 255);
        }
      }
    }
  }

  static const unsigned char* texel(const ImTextureData& texture, long x, long y) {
    const int row = static_cast<int>(std::clamp(y, 0L, texture.Height - 1L));
    const int column = static_cast<int>(std::clamp(x, 0L, texture.Width - 1L));
    return texture.Pixels + (row * texture.Width + column) * texture.BytesPerPixel;
  }

  /// The texels of one pixel; glyphs are drawn wider than they are shown.
  static unsigned coverage(const ImTextureData& texture, double x, double y, double step) {
    const int count = std::max(1, static_cast<int>(std::lround(step)));
    unsigned sum = 0;
    for (int i = 0; i < count; ++i)
      sum += texel(texture, std::lround(x) + i, std::lround(y))[texture.BytesPerPixel - 1];
    return sum / static_cast<unsigned>(count);
  }
};

class Png final : public Export {
 public:
  explicit Png(std::unique_ptr<Picture> picture) : picture_(std::move(picture)) {}

  double progress() const override {
    return height_ == 0 ? 0 : static_cast<double>(canvas_.top) / static_cast<double>(height_);
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget& budget) override {
    if (height_ == 0) {
      if (!picture_->prepare(budget)) return false;
      NNS_TRY(begin(file));
    }
    while (canvas_.top < height_) {
      if (file.pending() > kMostPendingPng) return false;
      // A band takes as long as its pixels: in the middle of one, the items that were drawn stay drawn.
      if (!is_in_band_) {
        canvas_.rows = static_cast<std::size_t>(std::min<std::uint64_t>(band_rows_, height_ - canvas_.top));
        canvas_.clear(picture_->background());
        item_ = picture_->first_at(static_cast<double>(canvas_.top));
        is_in_band_ = true;
      }
      const auto top = static_cast<double>(canvas_.top);
      const double bottom = top + static_cast<double>(canvas_.rows);
      for (std::uint32_t since = 0; item_ < picture_->count(); ++since) {
        NNS_TRY_ASSIGN(const bool is_here, picture_->fetch(item_, top, bottom));
        if (!is_here) return false;
        item_ = picture_->draw(canvas_, item_, top, bottom);
        if (since % 1024 == 1023 && budget.spent()) return false;
      }
      pack(file);
      canvas_.top += canvas_.rows;
      is_in_band_ = false;
      if (budget.spent() && canvas_.top < height_) return false;
    }
    file.write(png_chunk("IEND", {}));
    return true;
  }

 private:
  base::Result<void> begin(host::SaveFile& file) {
    const double width = std::max(1.0, std::ceil(picture_->width()));
    const double height = std::max(1.0, std::ceil(picture_->height()));
    if (width > 1e6 || height > kMostPixels) {
      return base::Error{
          "a picture of so many pixels", "at most 1,000,000 x 2,147,483,647; an SVG has no limit", {}, std::nullopt};
    }
    canvas_.width = static_cast<std::size_t>(width);
    height_ = static_cast<std::uint64_t>(height);
    band_rows_ = std::clamp<std::size_t>(kBand / (canvas_.width * 3), 1, 512);
    canvas_.pixels.resize(band_rows_ * canvas_.width * 3);
    before_.resize(canvas_.width * 3);
    same_.assign(1 + canvas_.width * 3, '\0');
    same_[0] = 2;  // filter "up": nothing but zeros
    std::string head;
    put_u32(head, static_cast<std::uint32_t>(canvas_.width));
    put_u32(head, static_cast<std::uint32_t>(height_));
    head += std::string_view("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB
    file.write(std::string("\x89PNG\r\n\x1a\n") + png_chunk("IHDR", head));
    return {};
  }

  void pack(host::SaveFile& file) {
    const std::size_t bytes = canvas_.width * 3;
    for (std::size_t row = 0; row < canvas_.rows; ++row) {
      const auto* const line = reinterpret_cast<const char*>(canvas_.pixels.data() + row * bytes);
      const bool is_last = canvas_.top + row + 1 == height_;
      if (has_before_ && std::memcmp(before_.data(), line, bytes) == 0) {
        file.write_packed(same_, is_last);
        continue;
      }
      std::memcpy(before_.data(), line, bytes);
      has_before_ = true;
      line_.assign(1, '\0');
      line_.append(line, bytes);
      file.write_packed(line_, is_last);
    }
  }

  std::unique_ptr<Picture> picture_;
  BandCanvas canvas_;
  std::uint64_t height_ = 0;
  std::size_t band_rows_ = 0;
  bool is_in_band_ = false;
  std::uint32_t item_ = 0;
  std::string before_;
  std::string same_;
  std::string line_;
  bool has_before_ = false;
};

}  // namespace

std::unique_ptr<Export> make_png(std::unique_ptr<Picture> picture) { return std::make_unique<Png>(std::move(picture)); }

}  // namespace nns::exports
