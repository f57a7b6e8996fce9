#pragma once

#include <memory>
#include <string_view>

namespace nns::exports {

/// What a text's writer must know of a typeface, out of its OpenType file. Lengths are in thousandths of the em.
class TypefaceFile {
 public:
  /// Must hold: `bytes` is one of the program's own typefaces, and outlives this.
  explicit TypefaceFile(std::string_view bytes);
  ~TypefaceFile();

  std::string_view bytes() const { return bytes_; }
  /// The outlines of a typeface with cubic curves, else empty.
  std::string_view cff() const { return cff_; }
  /// The number of a letter's glyph; 0: the typeface has none.
  int glyph(unsigned letter) const;
  double advance(int glyph) const;
  double ascent() const { return ascent_; }
  double descent() const { return descent_; }  ///< negative
  /// Left, bottom, right, top of all glyphs.
  struct Box {
    double left, bottom, right, top;
  };
  Box box() const;

 private:
  struct Parsed;
  std::string_view bytes_;
  std::string_view cff_;
  std::unique_ptr<Parsed> parsed_;
  double unit_ = 0;
  double ascent_ = 0;
  double descent_ = 0;
};

}  // namespace nns::exports
