#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/exports/export.h"
#include "ui/model/treemap.h"
#include "ui/model/treemap_colours.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/ui.h"

namespace nns::exports {

/// The colours of a heat map's cells: those of finite values from low to high, and of the others.
struct CellColours {
  static constexpr std::uint8_t kHighest = 252;  ///< 0 to kHighest: finite values
  static constexpr std::uint8_t kNaN = 253;
  static constexpr std::uint8_t kPlusInfinity = 254;
  static constexpr std::uint8_t kMinusInfinity = 255;
  std::array<widgets::Colour, 256> of{};
  widgets::Colour grid = 0;  ///< of lines between large cells, with alpha; 0: none
};
/// Where lines between cells begin to be drawn. Units: pixels.
inline constexpr double kGridFrom = 8;
/// Cells of one size side by side. Lifetime: a call.
struct CellBlock {
  double x = 0;
  double y = 0;
  double cell_width = 1;  ///< pixels
  double cell_height = 1;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::span<const std::uint8_t> cells;  ///< row-major, numbers of CellColours
  const CellColours* colours = nullptr;
};

/// Three bytes a colour: red, green, blue.
std::string palette_bytes(const CellColours& colours);
/// Calls visit(x, y, width, height, is_rising) for the runs of cells that are not finite, where cells are large enough
/// for stripes.
template <class Visit>
void each_striped_run(const CellBlock& block, Visit&& visit) {
  if (block.cell_width < 4 || block.cell_height < 4) return;
  for (std::uint32_t row = 0; row < block.rows; ++row) {
    const auto line = block.cells.subspan(std::size_t{row} * block.columns, block.columns);
    for (std::uint32_t begin = 0, end = 0; begin < block.columns; begin = end) {
      for (end = begin + 1; end < block.columns && line[end] == line[begin];) ++end;
      if (line[begin] <= CellColours::kHighest) continue;
      visit(block.x + begin * block.cell_width, block.y + row * block.cell_height, (end - begin) * block.cell_width,
            block.cell_height, line[begin] == CellColours::kMinusInfinity);
    }
  }
}

/// Where shapes are drawn: an SVG file, or a band of pixels. Units: pixels from the picture's left upper corner.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(double x, double y, double width, double height, widgets::Colour colour, std::string_view tip) = 0;
  /// One line of text whose letters are `size` pixels high and which is `width` wide, from `y` (its upper edge) on.
  virtual void text(double x, double y, double size, double width, ImFont* font, widgets::Colour colour,
                    std::string_view text) = 0;
  /// What is not finite is striped as on the screen, so that it is seen without colour, too.
  virtual void cells(const CellBlock& block) = 0;
};

/// A picture made of items, drawn in their order: later ones cover earlier ones.
class Picture {
 public:
  virtual ~Picture() = default;
  /// Measures, if that takes long. True when width(), height() and count() are known.
  virtual bool prepare(const base::Budget& budget) = 0;
  virtual double width() const = 0;
  virtual double height() const = 0;
  virtual std::uint32_t count() const = 0;
  virtual widgets::Colour background() const = 0;
  /// Gets what draw() of the item needs. False: it is on its way, ask again. Errors: it cannot be had.
  virtual base::Result<bool> fetch(std::uint32_t /*item*/, double /*top*/, double /*bottom*/) { return true; }
  /// The item, if something of it lies between the two lines. Gives the item that is asked for next.
  virtual std::uint32_t draw(Canvas& canvas, std::uint32_t item, double top, double bottom) const = 0;
  /// The first item that may reach below `top`.
  virtual std::uint32_t first_at(double top) const = 0;
};

/// How a picture is to look.
struct PictureLook {
  const widgets::Theme* theme = nullptr;
  widgets::Fonts fonts;  ///< of the current Dear ImGui context
  double width = 0;      ///< the box that the picture fits into, keeping its proportions; 0: its own size
  double height = 0;
  model::TreemapMetric metric = model::TreemapMetric::Parameters;
  model::TreemapColour colour = model::TreemapColour::Kind;
  std::vector<live::wire::TensorNumbers> numbers;  ///< for colours by statistics: what is known of the values
};

/// All rows, everything open.
std::unique_ptr<Picture> make_tree_picture(std::shared_ptr<const live::DocumentView> document, const PictureLook& look);
/// The map of all tensors, with its legend. Fills the box exactly (1,600 x 1,000 without one).
std::unique_ptr<Picture> make_map_picture(std::shared_ptr<const live::DocumentView> document, const PictureLook& look);

/// The picture as an SVG file; texts stay texts.
/// Texts in the typeface `strong` are bold.
std::unique_ptr<Export> make_svg(std::unique_ptr<Picture> picture, const ImFont* strong);
/// The picture as a PDF file, a pixel being 0.75 points: texts stay texts, in the typefaces of the screen. What is
/// higher than a page can be (14,400 points) goes on, on further pages; what is wider is smaller.
std::unique_ptr<Export> make_pdf(std::unique_ptr<Picture> picture);
/// The picture as a PNG of any size: a band of rows at a time, so that memory is for a band only.
std::unique_ptr<Export> make_png(std::unique_ptr<Picture> picture);

/// Width of a line in pixels.
double text_width(ImFont* font, double size, std::string_view text);

}  // namespace nns::exports
