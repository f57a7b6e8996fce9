#include "ui/exports/picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <cfloat>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "ui/exports/png_chunk.h"

namespace nns::exports {

namespace {

constexpr std::size_t kPictureFlush = 64U << 10U;
constexpr std::uint64_t kMostPendingPicture = 8U << 20U;
constexpr std::uint32_t kPictureItemsPerLook = 64;

unsigned hex(widgets::Colour colour) {
  return ((colour & 0xFFU) << 16U) | (colour & 0xFF00U) | ((colour >> 16U) & 0xFFU);
}

class SvgCanvas final : public Canvas {
 public:
  std::string out;
  const ImFont* strong = nullptr;

  void fill(double x, double y, double width, double height, widgets::Colour colour, std::string_view tip) override {
    put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:06x}\"", round(x), round(y), round(width),
        round(height), hex(colour));
    if (tip.empty()) {
      out += "/>\n";
      return;
    }
    out += "><title>";
    escape(tip);
    out += "</title></rect>\n";
  }

  void text(double x, double y, double size, double width, ImFont* font, widgets::Colour colour,
            std::string_view text) override {
    if (text.empty()) return;
    // Dear ImGui's sizes are heights of a line, of which Inter has 0.80 above the base line and 0.83 as its em. The
    // length keeps the line in its place where the typeface is another.
    put("<text x=\"{}\" y=\"{}\" font-size=\"{}\" textLength=\"{}\" fill=\"#{:06x}\"{}>", round(x),
        round(y + size * 0.8), round(size * 0.83), round(width), hex(colour),
        font == strong ? " font-weight=\"600\"" : "");
    escape(text);
    out += "</text>\n";
  }

  void cells(const CellBlock& block) override {
    if (block.columns == 0 || block.rows == 0) return;
    put_image(block);
    put_stripes(block);
    const bool is_large = block.cell_width > kGridFrom || block.cell_height > kGridFrom;
    if (is_large && block.colours->grid != 0) put_grid(block);
  }

  /// The patterns that put_stripes() uses.
  void put_definitions() {
    out += "<defs>";
    for (const auto& [name, turn] : {std::pair("falling", -45), std::pair("rising", 45)}) {
      put("<pattern id=\"{}\" width=\"4.24\" height=\"4.24\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate({})\"><path d=\"M0 0H2.12V4.24H0Z\" fill-opacity=\"0.28\"/></pattern>",
          name, turn);
    }
    out += "</defs>\n";
  }

  /// What XML does not take is shown as its number.
  void escape(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
      if (c == '&') {
        out += "&amp;";
      } else if (c == '<') {
        out += "&lt;";
      } else if (c == '>') {
        out += "&gt;";
      } else if (byte < 0x20) {
        put("\\x{:02x}", byte);
      } else {
        out += c;
      }
    }
  }

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
  }

 private:
  static double round(double value) { return std::round(value * 100) / 100; }

  /// A pixel a cell, as a picture with a palette inside the file.
  void put_image(const CellBlock& block) {
    put("<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
        round(block.x), round(block.y), round(block.columns * block.cell_width), round(block.rows * block.cell_height));
    put_base64(out, png_of_indices(block.columns, block.rows, palette_bytes(*block.colours), block.cells));
    out += "\"/>\n";
  }

  void put_stripes(const CellBlock& block) {
    each_striped_run(block, [&](double x, double y, double width, double height, bool is_rising) {
      put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{})\"/>\n", round(x), round(y), round(width),
          round(height), is_rising ? "rising" : "falling");
    });
  }

  void put_grid(const CellBlock& block) {
    const double wide = block.columns * block.cell_width;
    const double high = block.rows * block.cell_height;
    put("<path stroke=\"#{:06x}\" stroke-opacity=\"{:.2f}\" d=\"", hex(block.colours->grid),
        static_cast<double>(block.colours->grid >> 24U) / 255);
    for (std::uint32_t i = 0; block.cell_width > kGridFrom && i < block.columns; ++i)
      put("M{} {}v{}", round(block.x + i * block.cell_width + 0.5), round(block.y), round(high));
    for (std::uint32_t i = 0; block.cell_height > kGridFrom && i < block.rows; ++i)
      put("M{} {}h{}", round(block.x), round(block.y + i * block.cell_height + 0.5), round(wide));
    out += "\"/>\n";
  }
};

class Svg final : public Export {
 public:
  Svg(std::unique_ptr<Picture> picture, const ImFont* strong) : picture_(std::move(picture)) {
    canvas_.strong = strong;
  }

  double progress() const override {
    return is_prepared_ && picture_->count() != 0 ? static_cast<double>(item_) / picture_->count() : 0;
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget& budget) override {
    if (file.pending() > kMostPendingPicture) return false;
    if (!is_prepared_) {
      if (!picture_->prepare(budget)) return false;
      is_prepared_ = true;
      const double width = picture_->width();
      const double height = picture_->height();
      canvas_.put(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
          "height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"Inter, 'Segoe UI', sans-serif\" "
          "shape-rendering=\"crispEdges\" style=\"white-space:pre\">\n",
          width, height);
      canvas_.put_definitions();
      canvas_.fill(0, 0, width, height, picture_->background(), {});
    }
    for (std::uint32_t since = 0; item_ < picture_->count(); ++since) {
      NNS_TRY_ASSIGN(const bool is_here, picture_->fetch(item_, -1, picture_->height() + 1));
      if (!is_here) return false;
      item_ = picture_->draw(canvas_, item_, -1, picture_->height() + 1);
      if (canvas_.out.size() >= kPictureFlush) flush(file);
      if (since % kPictureItemsPerLook == kPictureItemsPerLook - 1 && budget.spent()) return false;
    }
    canvas_.out += "</svg>\n";
    flush(file);
    return true;
  }

 private:
  void flush(host::SaveFile& file) {
    file.write(canvas_.out);
    canvas_.out.clear();
  }

  std::unique_ptr<Picture> picture_;
  SvgCanvas canvas_;
  bool is_prepared_ = false;
  std::uint32_t item_ = 0;
};

}  // namespace

std::string palette_bytes(const CellColours& colours) {
  std::string bytes;
  for (const widgets::Colour colour : colours.of) {
    for (const unsigned shift : {0U, 8U, 16U}) bytes += static_cast<char>((colour >> shift) & 0xFFU);
  }
  return bytes;
}

double text_width(ImFont* font, double size, std::string_view text) {
  return static_cast<double>(
      font->CalcTextSizeA(static_cast<float>(size), FLT_MAX, 0, text.data(), text.data() + text.size()).x);
}

std::unique_ptr<Export> make_svg(std::unique_ptr<Picture> picture, const ImFont* strong) {
  return std::make_unique<Svg>(std::move(picture), strong);
}

}  // namespace nns::exports
