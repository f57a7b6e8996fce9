#include "ui/exports/typeface_file.h"

#include <cstddef>
#include <cstdint>

// Static, so that Dear ImGui's own copy of it stays apart; what is not called falls away.
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <imstb_truetype.h>

namespace nns::exports {

namespace {

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// A table of an OpenType file; empty if there is none.
std::string_view table_of(std::string_view file, std::string_view tag) {
  const std::uint32_t tables = big_endian(file, 4, 2);
  for (std::size_t entry = 12; entry < 12 + std::size_t{16} * tables; entry += 16) {
    if (file.substr(entry, 4) == tag)
      return file.substr(big_endian(file, entry + 8, 4), big_endian(file, entry + 12, 4));
  }
  return {};
}

}  // namespace

struct TypefaceFile::Parsed {
  stbtt_fontinfo info{};
};

TypefaceFile::TypefaceFile(std::string_view bytes)
    : bytes_(bytes), cff_(table_of(bytes, "CFF ")), parsed_(std::make_unique<Parsed>()) {
  stbtt_InitFont(&parsed_->info, reinterpret_cast<const unsigned char*>(bytes.data()), 0);
  unit_ = static_cast<double>(stbtt_ScaleForMappingEmToPixels(&parsed_->info, 1000));
  int ascent = 0;
  int descent = 0;
  int gap = 0;
  stbtt_GetFontVMetrics(&parsed_->info, &ascent, &descent, &gap);
  ascent_ = ascent * unit_;
  descent_ = descent * unit_;
}

TypefaceFile::~TypefaceFile() = default;

int TypefaceFile::glyph(unsigned letter) const {
  return stbtt_FindGlyphIndex(&parsed_->info, static_cast<int>(letter));
}

double TypefaceFile::advance(int glyph) const {
  int width = 0;
  int bearing = 0;
  stbtt_GetGlyphHMetrics(&parsed_->info, glyph, &width, &bearing);
  return width * unit_;
}

TypefaceFile::Box TypefaceFile::box() const {
  int sides[4] = {};
  stbtt_GetFontBoundingBox(&parsed_->info, &sides[0], &sides[1], &sides[2], &sides[3]);
  return {sides[0] * unit_, sides[1] * unit_, sides[2] * unit_, sides[3] * unit_};
}

}  // namespace nns::exports
