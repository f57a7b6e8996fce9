#include "ui/exports/pdf_fonts.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "ui/exports/typeface_file.h"

namespace nns::exports {

namespace {

/// Codes of a CMap are listed in blocks of at most so many.
constexpr std::size_t kMostMapped = 100;

std::string utf16_of(unsigned letter) {
  if (letter < 0x10000) return fmt::format("{:04X}", letter);
  return fmt::format("{:04X}{:04X}", 0xD800 + ((letter - 0x10000) >> 10U), 0xDC00 + ((letter - 0x10000) & 0x3FFU));
}

}  // namespace

struct PdfFonts::Face {
  explicit Face(std::string_view bytes) : file(bytes) {}

  TypefaceFile file;
  std::map<int, unsigned> used;  ///< glyphs, and the letter that each stands for

  double height() const { return file.ascent() - file.descent(); }
  /// Of a line of one pixel.
  double em() const { return 1000 / height(); }
};

PdfFonts::PdfFonts() = default;
PdfFonts::~PdfFonts() = default;

PdfFonts::Face& PdfFonts::face_of(std::string_view bytes) {
  for (const auto& face : faces_) {
    if (face->file.bytes().data() == bytes.data()) return *face;
  }
  return *faces_.emplace_back(std::make_unique<Face>(bytes));
}

/// The first face of `font` that has the letter, else its first face with the glyph of missing letters.
PdfFonts::Face& PdfFonts::find(ImFont* font, unsigned letter, int& glyph) {
  Face* first = nullptr;
  for (const ImFontConfig* source : font->Sources) {
    if (source->FontData == nullptr) continue;  // the system's glyphs come as pictures
    Face& face = face_of({static_cast<const char*>(source->FontData), static_cast<std::size_t>(source->FontDataSize)});
    if (first == nullptr) first = &face;
    glyph = face.file.glyph(letter);
    if (glyph != 0) return face;
  }
  glyph = 0;
  return *first;
}

void PdfFonts::put_line(std::string& out, ImFont* font, double x, double y, double size, double width,
                        std::string_view text) {
  struct Run {
    Face* face;
    std::string codes;
  };
  std::vector<Run> runs;
  double natural = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    unsigned letter = 0;
    at += ImTextCharFromUtf8(&letter, at, end);
    int glyph = 0;
    Face& face = find(font, letter, glyph);
    if (runs.empty() || runs.back().face != &face) runs.push_back({&face, {}});
    put(runs.back().codes, "{:04X}", glyph);
    natural += face.file.advance(glyph) / face.height() * size;
    if (glyph != 0) face.used.emplace(glyph, letter);
  }
  if (runs.empty()) return;
  int unused = 0;
  const Face& first = find(font, ' ', unused);
  const double base = y + first.file.ascent() / first.height() * size;
  put(out, "{:.2f} Tz 1 0 0 -1 {:.2f} {:.2f} Tm", natural > 0 && width > 0 ? 100 * width / natural : 100.0, x, base);
  for (const Run& run : runs) {
    const auto number =
        std::find_if(faces_.begin(), faces_.end(), [&](const auto& face) { return face.get() == run.face; });
    put(out, " /F{} {:.2f} Tf <{}> Tj", number - faces_.begin(), run.face->em() * size, run.codes);
  }
  out += '\n';
}

void PdfFonts::write_face(PdfFile& file, const Face& face, int number) {
  const std::string_view cff = face.file.cff();
  const int descendant = file.reserve();
  const int descriptor = file.reserve();
  const int program = file.reserve();
  const int unicode = file.reserve();
  const std::string name = fmt::format("NNSCOP+Face{}", number);
  file.object(number, fmt::format("<</Type /Font /Subtype /Type0 /BaseFont /{} /Encoding /Identity-H "
                                  "/DescendantFonts [{} 0 R] /ToUnicode {} 0 R>>",
                                  name, descendant, unicode));
  std::string widths;
  for (const auto& [glyph, letter] : face.used) put(widths, " {} [{:.1f}]", glyph, face.file.advance(glyph));
  file.object(descendant,
              fmt::format("<</Type /Font /Subtype /CIDFontType{} /BaseFont /{} /CIDSystemInfo <</Registry (Adobe) "
                          "/Ordering (Identity) /Supplement 0>> /FontDescriptor {} 0 R /DW {:.1f} /W [{}]{}>>",
                          cff.empty() ? 2 : 0, name, descriptor, face.file.advance(0), widths,
                          cff.empty() ? " /CIDToGIDMap /Identity" : ""));
  const TypefaceFile::Box box = face.file.box();
  file.object(
      descriptor,
      fmt::format("<</Type /FontDescriptor /FontName /{} /Flags 4 /FontBBox [{:.0f} {:.0f} {:.0f} {:.0f}] "
                  "/ItalicAngle 0 /Ascent {:.0f} /Descent {:.0f} /CapHeight {:.0f} /StemV 80 /FontFile{} {} 0 R>>",
                  name, box.left, box.bottom, box.right, box.top, face.file.ascent(), face.file.descent(),
                  0.7 * face.file.ascent(), cff.empty() ? 2 : 3, program));
  if (cff.empty()) {
    file.stream(program, fmt::format("/Length1 {}", face.file.bytes().size()), face.file.bytes());
  } else {
    file.stream(program, "/Subtype /CIDFontType0C", cff);
  }
  std::string map =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo <</Registry (Adobe) /Ordering "
      "(UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> "
      "<FFFF>\nendcodespacerange\n";
  std::size_t left = face.used.size();
  std::size_t in_block = 0;
  for (const auto& [glyph, letter] : face.used) {
    if (in_block == 0) put(map, "{} beginbfchar\n", in_block = std::min(left, kMostMapped));
    put(map, "<{:04X}> <{}>\n", glyph, utf16_of(letter));
    --left;
    if (--in_block == 0) map += "endbfchar\n";
  }
  file.stream(unicode, "", map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
}

void PdfFonts::write(PdfFile& file, int fonts) {
  std::string names;
  for (std::size_t at = 0; at < faces_.size(); ++at) {
    const int number = file.reserve();
    put(names, " /F{} {} 0 R", at, number);
    write_face(file, *faces_[at], number);
  }
  file.object(fonts, fmt::format("<<{}>>", names));
}

}  // namespace nns::exports
