#include "native/host/system_fonts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_truetype.h>
#pragma GCC diagnostic pop

namespace nns::host {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kStyles = 3;

bool has(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

/// How badly a typeface fits, by its file's name, which is the only thing that is known of all of them without reading.
int unfitness(std::string_view name, GlyphStyle style) {
  int points = 0;
  for (const std::string_view slanted : {"italic", "oblique"}) points += has(name, slanted) ? 40 : 0;
  for (const std::string_view narrow : {"condensed", "narrow", "black", "thin", "light", "medium"})
    points += has(name, narrow) ? 10 : 0;
  if (has(name, "bold") != (style == GlyphStyle::Strong)) points += 8;
  if (has(name, "mono") != (style == GlyphStyle::Code)) points += 4;
  if (has(name, "serif") && !has(name, "sans")) points += 2;
  return points;
}

bool is_font_name(std::string_view name) {
  for (const std::string_view ending : {".ttf", ".otf", ".ttc", ".otc"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

void add_list(std::vector<fs::path>& folders, const char* variable, std::string_view otherwise) {
  const char* const value = std::getenv(variable);
  std::string_view left = value != nullptr && *value != '\0' ? std::string_view(value) : otherwise;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    if (end > 0) folders.push_back(fs::path(left.substr(0, end)) / "fonts");
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

}  // namespace

/// One file, of which a collection's first typeface: the others have the same letters in other forms.
class SystemFonts::Face {
 public:
  explicit Face(const fs::path& path) {
    const std::string name = lower(path.filename().string());
    for (std::size_t style = 0; style < kStyles; ++style)
      points_[style] = unfitness(name, static_cast<GlyphStyle>(style));
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && status.st_size > 12) {
      size_ = static_cast<std::size_t>(status.st_size);
      // Mapped, not read: of most typefaces only the table of letters is looked at.
      void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) bytes_ = static_cast<unsigned char*>(mapped);
    }
    ::close(file);
    if (bytes_ == nullptr) return;
    const int offset = stbtt_GetFontOffsetForIndex(bytes_, 0);
    is_font_ = offset >= 0 && has_whole_tables(static_cast<std::size_t>(offset)) &&
               stbtt_InitFont(&info_, bytes_, offset) != 0;
  }
  ~Face() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  bool is_font() const { return is_font_; }
  int points(GlyphStyle style) const { return points_[static_cast<std::size_t>(style)]; }
  /// 0: it has no such letter.
  int glyph_of(char32_t letter) const { return stbtt_FindGlyphIndex(&info_, static_cast<int>(letter)); }

  Glyph draw(int glyph, float em_px) const {
    const float scale = stbtt_ScaleForMappingEmToPixels(&info_, em_px);
    int advance = 0;
    int bearing = 0;
    stbtt_GetGlyphHMetrics(&info_, glyph, &advance, &bearing);
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    stbtt_GetGlyphBitmapBox(&info_, glyph, scale, scale, &left, &top, &right, &bottom);
    Glyph drawn;
    drawn.advance = static_cast<float>(advance) * scale;
    if (right <= left || bottom <= top) return drawn;
    drawn.width = static_cast<std::uint32_t>(right - left);
    drawn.height = static_cast<std::uint32_t>(bottom - top);
    drawn.left = static_cast<float>(left);
    drawn.top = static_cast<float>(top);
    std::vector<unsigned char> coverage(std::size_t{drawn.width} * drawn.height);
    stbtt_MakeGlyphBitmap(&info_, coverage.data(), right - left, bottom - top, right - left, scale, scale, glyph);
    drawn.pixels.assign(coverage.size() * 4, 255);
    for (std::size_t i = 0; i < coverage.size(); ++i) drawn.pixels[i * 4 + 3] = coverage[i];
    return drawn;
  }

 private:
  /// stb_truetype believes what a file says of its tables: one that was cut off must not come so far.
  bool has_whole_tables(std::size_t offset) const {
    const auto number = [&](std::size_t at, int bytes) {
      std::size_t value = 0;
      for (int i = 0; i < bytes; ++i) value = value << 8U | bytes_[at + static_cast<std::size_t>(i)];
      return value;
    };
    if (offset > size_ - 12) return false;
    const std::size_t tables = number(offset + 4, 2);
    if (tables * 16 > size_ - offset - 12) return false;
    for (std::size_t table = 0; table < tables; ++table) {
      const std::size_t at = offset + 12 + table * 16;
      const std::size_t begin = number(at + 8, 4);
      if (begin > size_ || number(at + 12, 4) > size_ - begin) return false;
    }
    return true;
  }

  std::array<int, kStyles> points_{};
  unsigned char* bytes_ = nullptr;
  std::size_t size_ = 0;
  stbtt_fontinfo info_{};
  bool is_font_ = false;
};

std::vector<fs::path> font_folders() {
  std::vector<fs::path> folders;
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    add_list(folders, "XDG_DATA_HOME", (fs::path(home) / ".local/share").string());
    folders.push_back(fs::path(home) / ".fonts");
  }
  add_list(folders, "XDG_DATA_DIRS", "/usr/local/share:/usr/share");
  return folders;
}

SystemFonts::SystemFonts(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

SystemFonts::~SystemFonts() = default;

void SystemFonts::find_faces() {
  if (std::exchange(has_looked_, true)) return;
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders_) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (is_font_name(lower(entry->path().filename().string()))) paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    auto face = std::make_unique<Face>(path);
    if (face->is_font()) faces_.push_back(std::move(face));
  }
}

const SystemFonts::Face* SystemFonts::face_for(char32_t letter, GlyphStyle style) {
  const auto [known, is_new] = known_.try_emplace({letter, style}, nullptr);
  if (!is_new) return known->second;
  const Face*& best = known->second;
  for (const auto& face : faces_) {
    const bool is_better = best == nullptr || face->points(style) < best->points(style);
    if (is_better && face->glyph_of(letter) != 0) best = face.get();
  }
  return best;
}

std::optional<Glyph> SystemFonts::draw(char32_t letter, GlyphStyle style, float em_px) {
  find_faces();
  const Face* const face = face_for(letter, style);
  return face == nullptr ? std::nullopt : std::optional(face->draw(face->glyph_of(letter), em_px));
}

}  // namespace nns::host
