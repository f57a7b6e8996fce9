#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/exports/pdf_file.h"
#include "ui/exports/pdf_fonts.h"
#include "ui/exports/picture.h"

namespace nns::exports {

namespace {

/// Units of a page (1/72 inch) in a pixel, and how large readers take a page.
constexpr double kUnitsPerPixel = 0.75;
constexpr double kMostUnits = 14'400;
constexpr std::uint64_t kMostPendingPdf = 8U << 20U;
constexpr std::uint32_t kItemsPerLook = 64;

/// What a page shows; y grows downwards, as on the screen.
class PdfCanvas final : public Canvas {
 public:
  PdfCanvas(PdfFile& file, PdfFonts& fonts) : file_(file), fonts_(fonts) {}

  void begin_page(double units_per_pixel, double top, double height) {
    out_.clear();
    images_.clear();
    colour_.reset();
    put(out_, "{0:.6f} 0 0 {1:.6f} 0 {2:.4f} cm\n", units_per_pixel, -units_per_pixel,
        (top + height) * units_per_pixel);
  }
  const std::string& contents() const { return out_; }
  /// Names of the images that the page shows.
  const std::string& images() const { return images_; }
  /// Of the lines between cells, which are the same in the whole picture.
  double grid_opacity() const { return grid_opacity_; }

  void fill(double x, double y, double width, double height, widgets::Colour colour,
            std::string_view /*tip*/) override {
    set_colour(colour);
    put(out_, "{:.2f} {:.2f} {:.2f} {:.2f} re f\n", x, y, width, height);
  }

  void text(double x, double y, double size, double width, ImFont* font, widgets::Colour colour,
            std::string_view text) override {
    if (text.empty()) return;
    set_colour(colour);
    out_ += "BT ";
    fonts_.put_line(out_, font, x, y, size, width, text);
    out_ += "ET\n";
  }

  void cells(const CellBlock& block) override {
    if (block.columns == 0 || block.rows == 0) return;
    put_image(block);
    put_stripes(block);
    const bool is_large = block.cell_width > kGridFrom || block.cell_height > kGridFrom;
    if (is_large && block.colours->grid != 0) put_grid(block);
  }

 private:
  void set_colour(widgets::Colour colour) {
    if (colour_ == colour) return;
    colour_ = colour;
    put_channels(colour, "rg");
  }
  void put_channels(widgets::Colour colour, std::string_view operation) {
    const auto channel = [&](unsigned shift) { return static_cast<double>(colour >> shift & 0xFFU) / 255; };
    put(out_, "{:.3f} {:.3f} {:.3f} {}\n", channel(0), channel(8), channel(16), operation);
  }

  /// A pixel a cell. Palettes are the same for all blocks of a picture.
  void put_image(const CellBlock& block) {
    if (palette_of_ != block.colours->of) {
      palette_of_ = block.colours->of;
      palette_ = file_.reserve();
      file_.stream(palette_, "", palette_bytes(*block.colours));
    }
    const int image = file_.reserve();
    file_.stream(image,
                 fmt::format("/Type /XObject /Subtype /Image /Width {} /Height {} /BitsPerComponent 8 /ColorSpace "
                             "[/Indexed /DeviceRGB 255 {} 0 R]",
                             block.columns, block.rows, palette_),
                 {reinterpret_cast<const char*>(block.cells.data()), block.cells.size()});
    put(images_, " /I{0} {0} 0 R", image);
    const double high = block.rows * block.cell_height;
    put(out_, "q {:.2f} 0 0 {:.2f} {:.2f} {:.2f} cm /I{} Do Q\n", block.columns * block.cell_width, -high, block.x,
        block.y + high, image);
  }

  void put_stripes(const CellBlock& block) {
    each_striped_run(block, [&](double x, double y, double width, double height, bool is_rising) {
      put(out_, "q /Half gs /Pattern cs /{} scn {:.2f} {:.2f} {:.2f} {:.2f} re f Q\n", is_rising ? "Rising" : "Falling",
          x, y, width, height);
    });
  }

  void put_grid(const CellBlock& block) {
    const double wide = block.columns * block.cell_width;
    const double high = block.rows * block.cell_height;
    out_ += "q /Grid gs 1 w\n";
    put_channels(block.colours->grid, "RG");
    for (std::uint32_t i = 0; block.cell_width > kGridFrom && i < block.columns; ++i) {
      const double x = block.x + i * block.cell_width + 0.5;
      put(out_, "{0:.2f} {1:.2f} m {0:.2f} {2:.2f} l\n", x, block.y, block.y + high);
    }
    for (std::uint32_t i = 0; block.cell_height > kGridFrom && i < block.rows; ++i) {
      const double y = block.y + i * block.cell_height + 0.5;
      put(out_, "{1:.2f} {0:.2f} m {2:.2f} {0:.2f} l\n", y, block.x, block.x + wide);
    }
    out_ += "S Q\n";
    grid_opacity_ = static_cast<double>(block.colours->grid >> 24U) / 255;
  }

  PdfFile& file_;
  PdfFonts& fonts_;
  std::string out_;
  std::string images_;
  std::optional<widgets::Colour> colour_;
  std::array<widgets::Colour, 256> palette_of_{};
  int palette_ = 0;
  double grid_opacity_ = 1;
};

class Pdf final : public Export {
 public:
  explicit Pdf(std::unique_ptr<Picture> picture) : picture_(std::move(picture)), canvas_(file_, fonts_) {}

  double progress() const override {
    return pages_ == 0 ? 0 : static_cast<double>(page_numbers_.size()) / static_cast<double>(pages_);
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget& budget) override {
    if (file.pending() > kMostPendingPdf) return false;
    if (pages_ == 0) {
      if (!picture_->prepare(budget)) return false;
      begin();
    }
    while (page_numbers_.size() < pages_) {
      const double top = static_cast<double>(page_numbers_.size()) * page_height_;
      const double height = std::min(page_height_, picture_->height() - top);
      if (!is_in_page_) {
        canvas_.begin_page(scale_, top, height);
        canvas_.fill(0, top, picture_->width(), height, picture_->background(), {});
        item_ = picture_->first_at(top);
        is_in_page_ = true;
      }
      for (std::uint32_t since = 0; item_ < picture_->count(); ++since) {
        NNS_TRY_ASSIGN(const bool is_here, picture_->fetch(item_, top, top + height));
        if (!is_here) return false;
        item_ = picture_->draw(canvas_, item_, top, top + height);
        if (since % kItemsPerLook != kItemsPerLook - 1) continue;
        file_.flush(file);
        if (budget.spent()) return false;
      }
      end_page(height);
      file_.flush(file);
      if (budget.spent() && page_numbers_.size() < pages_) return false;
    }
    end();
    file_.flush(file);
    return true;
  }

 private:
  void begin() {
    const double width = std::max(1.0, picture_->width());
    const double height = std::max(1.0, picture_->height());
    // A picture that is wider than a page can be is smaller; one that is higher goes on, on further pages.
    scale_ = std::min(kUnitsPerPixel, kMostUnits / width);
    page_height_ = std::min(height, std::floor(kMostUnits / scale_));
    pages_ = static_cast<std::size_t>(std::ceil(height / page_height_));
    catalog_ = file_.reserve();
    tree_ = file_.reserve();
    font_names_ = file_.reserve();
    states_ = file_.reserve();
    patterns_ = file_.reserve();
  }

  void end_page(double height) {
    const int contents = file_.reserve();
    const int page = file_.reserve();
    file_.stream(contents, "", canvas_.contents());
    file_.object(page, fmt::format("<</Type /Page /Parent {} 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents {} 0 R "
                                   "/Resources <</Font {} 0 R /ExtGState {} 0 R /Pattern {} 0 R /XObject <<{}>>>>>>",
                                   tree_, picture_->width() * scale_, height * scale_, contents, font_names_, states_,
                                   patterns_, canvas_.images()));
    page_numbers_.push_back(page);
    is_in_page_ = false;
  }

  void end() {
    fonts_.write(file_, font_names_);
    file_.object(states_, fmt::format("<</Half <</ca 0.28>> /Grid <</CA {:.2f}>>>>", canvas_.grid_opacity()));
    const int falling = file_.reserve();
    const int rising = file_.reserve();
    // Stripes at 45 degrees, as wide as those on the screen.
    const double turned = scale_ * std::sqrt(0.5);
    for (const auto& [number, sign] : {std::pair(falling, 1), std::pair(rising, -1)}) {
      file_.stream(number,
                   fmt::format("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 4.24 4.24] /XStep "
                               "4.24 /YStep 4.24 /Resources <<>> /Matrix [{0:.4f} {1:.4f} {2:.4f} {0:.4f} 0 0]",
                               turned, sign * turned, -sign * turned),
                   "0 g 0 0 2.12 4.24 re f");
    }
    file_.object(patterns_, fmt::format("<</Falling {} 0 R /Rising {} 0 R>>", falling, rising));
    std::string kids;
    for (const int page : page_numbers_) put(kids, " {} 0 R", page);
    file_.object(tree_, fmt::format("<</Type /Pages /Count {} /Kids [{}]>>", page_numbers_.size(), kids));
    file_.object(catalog_, fmt::format("<</Type /Catalog /Pages {} 0 R>>", tree_));
    file_.end(catalog_);
  }

  std::unique_ptr<Picture> picture_;
  PdfFile file_;
  PdfFonts fonts_;
  PdfCanvas canvas_;
  double scale_ = kUnitsPerPixel;
  double page_height_ = 0;  // pixels
  std::size_t pages_ = 0;   // 0: not begun
  std::vector<int> page_numbers_;
  int catalog_ = 0;
  int tree_ = 0;
  int font_names_ = 0;
  int states_ = 0;
  int patterns_ = 0;
  bool is_in_page_ = false;
  std::uint32_t item_ = 0;
};

}  // namespace

std::unique_ptr<Export> make_pdf(std::unique_ptr<Picture> picture) { return std::make_unique<Pdf>(std::move(picture)); }

}  // namespace nns::exports
