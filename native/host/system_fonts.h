#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/host/glyph.h"

namespace nns::host {

/// The folders in which this system has typefaces, as the XDG base directories give them; also those that are not
/// there.
std::vector<std::filesystem::path> font_folders();

/// The typefaces (TrueType and OpenType files with outlines) below some folders. They are looked for when the first
/// letter is asked for; of those that have it the plainest one draws it, a bold one for GlyphStyle::Strong, one of
/// fixed width for GlyphStyle::Code. A file that is no such typeface is passed over.
/// Differs: a typeface whose letters are pictures (colour emoji) has no outlines, and is passed over, too.
/// Threads: one.
class SystemFonts {
 public:
  explicit SystemFonts(std::vector<std::filesystem::path> folders);
  ~SystemFonts();
  SystemFonts(const SystemFonts&) = delete;
  SystemFonts& operator=(const SystemFonts&) = delete;

  /// As host::draw_glyph.
  std::optional<Glyph> draw(char32_t letter, GlyphStyle style, float em_px);

 private:
  class Face;
  void find_faces();
  const Face* face_for(char32_t letter, GlyphStyle style);

  std::vector<std::filesystem::path> folders_;
  bool has_looked_ = false;
  std::vector<std::unique_ptr<Face>> faces_;                      // in the order of their paths
  std::map<std::pair<char32_t, GlyphStyle>, const Face*> known_;  // null: none has the letter
};

}  // namespace nns::host
