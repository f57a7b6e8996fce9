#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/exports/pdf_file.h"

struct ImFont;

namespace nns::exports {

/// The typefaces of a PDF file: texts stay texts, and look as on the screen because the typefaces are in the file.
/// Behaviour: ISO 32000-1, sections 9.6 to 9.10: composite fonts with the numbers of glyphs as codes.
class PdfFonts {
 public:
  PdfFonts();
  ~PdfFonts();

  /// Adds one line of text to a page's contents, inside of BT and ET: its letters are `size` pixels high and it is
  /// `width` wide, whatever the typeface says. A letter that no typeface of `font` has is the box that stands for such.
  void put_line(std::string& out, ImFont* font, double x, double y, double size, double width, std::string_view text);
  /// Writes the typefaces that were used, and as object `fonts` the dictionary of their names.
  void write(PdfFile& file, int fonts);

 private:
  struct Face;
  Face& face_of(std::string_view bytes);
  Face& find(ImFont* font, unsigned letter, int& glyph);
  static void write_face(PdfFile& file, const Face& face, int number);

  std::vector<std::unique_ptr<Face>> faces_;
};

}  // namespace nns::exports
