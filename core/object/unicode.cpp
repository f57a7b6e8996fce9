#include "core/object/unicode.h"

#include <algorithm>
#include <iterator>

namespace nns::object {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Capital letters `first`, `first + step`, ... `last`, each `offset` before its small letter.
struct CaseRange {
  char32_t first, last, step;
  int offset;
};
constexpr CaseRange kCapitals[] = {
    {0x41, 0x5A, 1, 32},     {0xC0, 0xD6, 1, 32},       {0xD8, 0xDE, 1, 32},        {0x100, 0x12E, 2, 1},
    {0x132, 0x136, 2, 1},    {0x139, 0x147, 2, 1},      {0x14A, 0x176, 2, 1},       {0x178, 0x178, 1, -121},
    {0x179, 0x17D, 2, 1},    {0x18F, 0x18F, 1, 202},    {0x1A0, 0x1A4, 2, 1},       {0x1CD, 0x1DB, 2, 1},
    {0x1DE, 0x1EE, 2, 1},    {0x1F8, 0x21E, 2, 1},      {0x222, 0x232, 2, 1},       {0x246, 0x24E, 2, 1},
    {0x370, 0x372, 2, 1},    {0x376, 0x376, 1, 1},      {0x386, 0x386, 1, 38},      {0x388, 0x38A, 1, 37},
    {0x38C, 0x38C, 1, 64},   {0x38E, 0x38F, 1, 63},     {0x391, 0x3A1, 1, 32},      {0x3A3, 0x3AB, 1, 32},
    {0x3D8, 0x3EE, 2, 1},    {0x400, 0x40F, 1, 80},     {0x410, 0x42F, 1, 32},      {0x460, 0x480, 2, 1},
    {0x48A, 0x4BE, 2, 1},    {0x4C0, 0x4C0, 1, 15},     {0x4C1, 0x4CD, 2, 1},       {0x4D0, 0x52E, 2, 1},
    {0x531, 0x556, 1, 48},   {0x10A0, 0x10C5, 1, 7264}, {0x1C90, 0x1CBA, 1, -3008}, {0x1E00, 0x1E94, 2, 1},
    {0x1EA0, 0x1EFE, 2, 1},  {0x1F08, 0x1F0F, 1, -8},   {0x1F18, 0x1F1D, 1, -8},    {0x1F28, 0x1F2F, 1, -8},
    {0x1F38, 0x1F3F, 1, -8}, {0x1F48, 0x1F4D, 1, -8},   {0x1F59, 0x1F5F, 2, -8},    {0x1F68, 0x1F6F, 1, -8},
    {0x2160, 0x216F, 1, 16}, {0x24B6, 0x24CF, 1, 26},   {0xFF21, 0xFF3A, 1, 32},    {0x10400, 0x10427, 1, 40},
};

// Small letters whose capital has another small letter, or none.
struct Pair {
  char32_t from, to;
};
constexpr Pair kOnlyUpper[] = {{0xB5, 0x39C},  {0x131, 0x49},  {0x17F, 0x53},  {0x3C2, 0x3A3}, {0x3D0, 0x392},
                               {0x3D1, 0x398}, {0x3D5, 0x3A6}, {0x3D6, 0x3A0}, {0x3F0, 0x39A}, {0x3F1, 0x3A1}};

// What has a longer capital, as UTF-8.
struct Longer {
  char32_t from;
  std::string_view upper, title, folded;
};
constexpr Longer kLonger[] = {
    {0xDF, "SS", "Ss", "ss"},
    {0x149,
     "\xCA\xBC"
     "N",
     "\xCA\xBC"
     "N",
     "\xCA\xBC"
     "n"},
    {0x1F0, "J\xCC\x8C", "J\xCC\x8C", "j\xCC\x8C"},
    {0xFB00, "FF", "Ff", "ff"},
    {0xFB01, "FI", "Fi", "fi"},
    {0xFB02, "FL", "Fl", "fl"},
    {0xFB03, "FFI", "Ffi", "ffi"},
    {0xFB04, "FFL", "Ffl", "ffl"},
    {0xFB05, "ST", "St", "st"},
    {0xFB06, "ST", "St", "st"},
};
const Longer* longer_of(char32_t point) {
  const auto* found =
      std::find_if(std::begin(kLonger), std::end(kLonger), [point](const Longer& l) { return l.from == point; });
  return found == std::end(kLonger) ? nullptr : found;
}

struct Range {
  char32_t first, last;
};
template <std::size_t N>
bool is_in(char32_t point, const Range (&ranges)[N]) {
  const auto* found = std::lower_bound(std::begin(ranges), std::end(ranges), point,
                                       [](const Range& range, char32_t at) { return range.last < at; });
  return found != std::end(ranges) && found->first <= point;
}

// Small letters without a capital of their own.
constexpr Range kOnlySmall[] = {
    {0xAA, 0xAA},     {0xBA, 0xBA},     {0xDF, 0xDF},     {0x138, 0x138},   {0x149, 0x149},   {0x18D, 0x18D},
    {0x19B, 0x19B},   {0x1AA, 0x1AB},   {0x1BA, 0x1BA},   {0x1F0, 0x1F0},   {0x221, 0x221},   {0x234, 0x239},
    {0x250, 0x293},   {0x295, 0x2B8},   {0x2C0, 0x2C1},   {0x2E0, 0x2E4},   {0x37A, 0x37A},   {0x390, 0x390},
    {0x3B0, 0x3B0},   {0x3FC, 0x3FC},   {0x560, 0x560},   {0x587, 0x588},   {0x1D00, 0x1DBF}, {0x1E95, 0x1E9D},
    {0x1E9F, 0x1E9F}, {0x2071, 0x2071}, {0x207F, 0x207F}, {0x2090, 0x209C}, {0xFB00, 0xFB06}, {0xFB13, 0xFB17}};

constexpr Range kLetters[] = {
    {0x41, 0x5A},       {0x61, 0x7A},       {0xAA, 0xAA},       {0xB5, 0xB5},       {0xBA, 0xBA},
    {0xC0, 0xD6},       {0xD8, 0xF6},       {0xF8, 0x2C1},      {0x2C6, 0x2D1},     {0x2E0, 0x2E4},
    {0x2EC, 0x2EC},     {0x2EE, 0x2EE},     {0x370, 0x374},     {0x376, 0x377},     {0x37A, 0x37D},
    {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},     {0x38C, 0x38C},     {0x38E, 0x3A1},
    {0x3A3, 0x3F5},     {0x3F7, 0x481},     {0x48A, 0x52F},     {0x531, 0x556},     {0x559, 0x559},
    {0x560, 0x588},     {0x5D0, 0x5EA},     {0x5EF, 0x5F2},     {0x620, 0x64A},     {0x66E, 0x66F},
    {0x671, 0x6D3},     {0x6D5, 0x6D5},     {0x6E5, 0x6E6},     {0x6EE, 0x6EF},     {0x6FA, 0x6FC},
    {0x6FF, 0x6FF},     {0x710, 0x710},     {0x712, 0x72F},     {0x74D, 0x7A5},     {0x904, 0x939},
    {0x958, 0x961},     {0x971, 0x980},     {0x985, 0x9B9},     {0xA05, 0xA39},     {0xA85, 0xAB9},
    {0xB05, 0xB39},     {0xB83, 0xBB9},     {0xC05, 0xC39},     {0xC85, 0xCB9},     {0xD05, 0xD3A},
    {0xE01, 0xE30},     {0xE32, 0xE33},     {0xE40, 0xE46},     {0xE81, 0xEB0},     {0xEC0, 0xEC6},
    {0xF40, 0xF6C},     {0x1000, 0x102A},   {0x10A0, 0x10C5},   {0x10D0, 0x10FA},   {0x10FC, 0x1248},
    {0x124A, 0x135A},   {0x13A0, 0x13F5},   {0x1401, 0x166C},   {0x1780, 0x17B3},   {0x1820, 0x1878},
    {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1DBF},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},
    {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},   {0x1F5B, 0x1F5B},
    {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},   {0x2071, 0x2071},
    {0x207F, 0x207F},   {0x2090, 0x209C},   {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},
    {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},   {0x2128, 0x2128},
    {0x212A, 0x212D},   {0x212F, 0x2139},   {0x2C00, 0x2CE4},   {0x2D00, 0x2D25},   {0x3005, 0x3006},
    {0x3031, 0x3035},   {0x303B, 0x303C},   {0x3041, 0x3096},   {0x309D, 0x309F},   {0x30A1, 0x30FA},
    {0x30FC, 0x30FF},   {0x3105, 0x312F},   {0x3131, 0x318E},   {0x31A0, 0x31BF},   {0x31F0, 0x31FF},
    {0x3400, 0x4DBF},   {0x4E00, 0xA48C},   {0xA640, 0xA66E},   {0xA680, 0xA69D},   {0xA722, 0xA788},
    {0xAC00, 0xD7A3},   {0xF900, 0xFA6D},   {0xFA70, 0xFAD9},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},
    {0xFB1D, 0xFB1D},   {0xFB1F, 0xFB28},   {0xFB2A, 0xFB4F},   {0xFE70, 0xFEFC},   {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A},   {0xFF66, 0xFFBE},   {0x10000, 0x100FA}, {0x10400, 0x1049D}, {0x1D400, 0x1D6C0},
    {0x1D6C2, 0x1D6DA}, {0x1D6DC, 0x1D6FA}, {0x1D6FC, 0x1D714}, {0x1D716, 0x1D734}, {0x1D736, 0x1D74E},
    {0x1D750, 0x1D76E}, {0x1D770, 0x1D788}, {0x1D78A, 0x1D7A8}, {0x1D7AA, 0x1D7C2}, {0x1D7C4, 0x1D7CB},
    {0x20000, 0x2A6DF}, {0x2A700, 0x2EBE0}, {0x2F800, 0x2FA1D}, {0x30000, 0x323AF},
};

// Combining marks that identifiers may go on with.
constexpr Range kMarks[] = {{0x300, 0x36F},   {0x483, 0x487},   {0x591, 0x5BD},   {0x64B, 0x659},  {0x93A, 0x94F},
                            {0x203F, 0x2040}, {0x20D0, 0x20DC}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

// Where ten digits begin.
constexpr char32_t kZeros[] = {0x30,   0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,  0xAE6,  0xB66,
                               0xBE6,  0xC66,   0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,  0xF20,  0x1040,
                               0x1090, 0x17E0,  0x1810,  0x1946,  0x19D0,  0x1A80,  0x1A90, 0x1B50, 0x1BB0,
                               0x1C40, 0x1C50,  0xA620,  0xA8D0,  0xA900,  0xA9D0,  0xA9F0, 0xAA50, 0xABF0,
                               0xFF10, 0x104A0, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6};

constexpr Range kOtherDigits[] = {{0xB2, 0xB3},     {0xB9, 0xB9},     {0x1369, 0x1371}, {0x2070, 0x2070},
                                  {0x2074, 0x2079}, {0x2080, 0x2089}, {0x2460, 0x2468}, {0x2474, 0x247C},
                                  {0x2488, 0x2490}, {0x24EA, 0x24EA}, {0x24F5, 0x24FD}, {0x24FF, 0x24FF},
                                  {0x2776, 0x277E}, {0x2780, 0x2788}, {0x278A, 0x2792}};
constexpr Range kOtherNumbers[] = {
    {0xBC, 0xBE},     {0x9F4, 0x9F9},   {0xBF0, 0xBF2},   {0xF2A, 0xF33},   {0x1372, 0x137C}, {0x16EE, 0x16F0},
    {0x2150, 0x2182}, {0x2185, 0x2189}, {0x2469, 0x2473}, {0x247D, 0x2487}, {0x2491, 0x249B}, {0x24EB, 0x24F4},
    {0x24FE, 0x24FE}, {0x277F, 0x277F}, {0x2789, 0x2789}, {0x2793, 0x2793}, {0x3007, 0x3007}, {0x3021, 0x3029},
    {0x3192, 0x3195}, {0x3220, 0x3229}, {0x3280, 0x3289}, {0x4E00, 0x4E00}, {0x4E03, 0x4E03}, {0x4E07, 0x4E07},
    {0x4E09, 0x4E09}, {0x4E5D, 0x4E5D}, {0x4E8C, 0x4E8C}, {0x4E94, 0x4E94}, {0x516B, 0x516B}, {0x516D, 0x516D},
    {0x5341, 0x5341}, {0x5343, 0x5343}, {0x56DB, 0x56DB}, {0x767E, 0x767E}};

// Controls, formats, separators but the space, surrogates, private use, and places without a character.
constexpr Range kNotPrintable[] = {
    {0x0, 0x1F},         {0x7F, 0xA0},       {0xAD, 0xAD},       {0x378, 0x379},     {0x380, 0x383},
    {0x38B, 0x38B},      {0x38D, 0x38D},     {0x3A2, 0x3A2},     {0x530, 0x530},     {0x557, 0x558},
    {0x58B, 0x58C},      {0x590, 0x590},     {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},
    {0x70E, 0x70F},      {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x206F},    {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF},    {0x110BD, 0x110BD}, {0x1D173, 0x1D17A}, {0x2FA1E, 0x2FFFF}, {0x323B0, 0xE00FF},
    {0xE01F0, 0x10FFFF},
};

// Whether the capital sigma at `at` ends a word: a cased letter before it, none behind.
bool is_final_sigma(const std::u32string& points, std::size_t at) {
  const auto is_cased = [](char32_t point) { return is_lower(point) || is_upper(point); };
  std::size_t before = at;
  while (before > 0 && (points[before - 1] == U'\'' || is_in(points[before - 1], kMarks))) --before;
  if (before == 0 || !is_cased(points[before - 1])) return false;
  std::size_t behind = at + 1;
  while (behind < points.size() && (points[behind] == U'\'' || is_in(points[behind], kMarks))) ++behind;
  return behind == points.size() || !is_cased(points[behind]);
}

void append_lower(std::string& out, const std::u32string& points, std::size_t at) {
  if (points[at] == 0x3A3 && is_final_sigma(points, at)) {
    append_code_point(out, 0x3C2);
  } else if (points[at] == 0x130) {
    out += "i\xCC\x87";
  } else {
    append_code_point(out, to_lower(points[at]));
  }
}

void append_title(std::string& out, char32_t point) {
  if (const Longer* longer = longer_of(point)) {
    out += longer->title;
  } else {
    append_code_point(out, to_upper(point));
  }
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace

std::size_t character_size(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_continuation(text[end])) ++end;
  return end - at;
}

char32_t code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&text](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(at);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (size == 1 || at + size > text.size()) return lead;
  char32_t point = lead & (0xFFU >> (size + 1U));
  for (std::size_t i = 1; i < size; ++i) point = (point << 6U) | (byte(at + i) & 0x3FU);
  return point;
}

std::size_t byte_offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (index-- == 0) return at;
  }
  return at;
}

std::size_t character_index(std::string_view text, std::size_t offset) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < offset; ++at) count += is_continuation(text[at]) ? 0U : 1U;
  return count;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    all.push_back(text.substr(at, size));
    at += size;
  }
  return all;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); at += character_size(text, at)) points += code_point_at(text, at);
  return points;
}

void append_code_point(std::string& text, char32_t point) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    put(point);
    return;
  }
  if (point < 0x800) {
    put(0xC0U | (point >> 6U));
  } else {
    if (point < 0x10000) {
      put(0xE0U | (point >> 12U));
    } else {
      put(0xF0U | (point >> 18U));
      put(0x80U | ((point >> 12U) & 0x3FU));
    }
    put(0x80U | ((point >> 6U) & 0x3FU));
  }
  put(0x80U | (point & 0x3FU));
}

std::string from_code_points(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_code_point(text, point);
  return text;
}

char32_t to_lower(char32_t point) {
  if (point == 0x1E9E) return 0xDF;
  for (const CaseRange& range : kCapitals) {
    if (point >= range.first && point <= range.last) {
      if ((point - range.first) % range.step != 0) return point;
      return static_cast<char32_t>(static_cast<std::int64_t>(point) + range.offset);
    }
  }
  return point;
}

char32_t to_upper(char32_t point) {
  for (const Pair& pair : kOnlyUpper) {
    if (pair.from == point) return pair.to;
  }
  if (longer_of(point) != nullptr) return point;
  for (const CaseRange& range : kCapitals) {
    const auto capital = static_cast<char32_t>(static_cast<std::int64_t>(point) - range.offset);
    if (capital >= range.first && capital <= range.last && (capital - range.first) % range.step == 0) {
      return capital;
    }
  }
  return point;
}

bool is_lower(char32_t point) { return to_upper(point) != point || is_in(point, kOnlySmall); }
bool is_upper(char32_t point) { return point == 0x130 || to_lower(point) != point; }
bool is_letter(char32_t point) { return is_in(point, kLetters); }

int decimal_value(char32_t point) {
  const auto* behind = std::upper_bound(std::begin(kZeros), std::end(kZeros), point);
  if (behind == std::begin(kZeros)) return -1;
  const char32_t value = point - *(behind - 1);
  return value < 10 ? static_cast<int>(value) : -1;
}

bool is_decimal(char32_t point) { return decimal_value(point) >= 0; }
bool is_digit(char32_t point) { return is_decimal(point) || is_in(point, kOtherDigits); }
bool is_numeric(char32_t point) { return is_digit(point) || is_in(point, kOtherNumbers); }

bool is_space(char32_t point) {
  return (point >= 0x9 && point <= 0xD) || (point >= 0x1C && point <= 0x20) || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}

bool is_line_end(char32_t point) {
  return (point >= 0xA && point <= 0xD) || (point >= 0x1C && point <= 0x1E) || point == 0x85 || point == 0x2028 ||
         point == 0x2029;
}

bool is_printable(char32_t point) { return !is_in(point, kNotPrintable); }
bool is_identifier_start(char32_t point) {
  return point == U'_' || is_letter(point) || (point >= 0x2160 && point <= 0x2188);
}
bool is_identifier_part(char32_t point) {
  return is_identifier_start(point) || is_decimal(point) || point == 0xB7 || is_in(point, kMarks);
}

std::string lower_text(std::string_view text) {
  std::string out(text);
  if (is_ascii(text)) {
    std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
    return out;
  }
  out.clear();
  const std::u32string points = code_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) append_lower(out, points, i);
  return out;
}

std::string upper_text(std::string_view text) {
  std::string out(text);
  if (is_ascii(text)) {
    std::transform(out.begin(), out.end(), out.begin(), ascii_upper);
    return out;
  }
  out.clear();
  for (const char32_t point : code_points(text)) {
    if (const Longer* longer = longer_of(point)) {
      out += longer->upper;
    } else {
      append_code_point(out, to_upper(point));
    }
  }
  return out;
}

std::string casefold_text(std::string_view text) {
  if (is_ascii(text)) return lower_text(text);
  std::string out;
  for (const char32_t point : code_points(text)) {
    if (const Longer* longer = longer_of(point)) {
      out += longer->folded;
    } else if (point == 0x1E9E) {
      out += "ss";
    } else if (point == 0x130) {
      out += "i\xCC\x87";
    } else {
      // By way of the capital, so that both small sigmas are one letter; the dotless i stays itself.
      append_code_point(out, point == 0x131 ? point : to_lower(to_upper(point)));
    }
  }
  return out;
}

std::string title_text(std::string_view text) {
  std::string out;
  const std::u32string points = code_points(text);
  bool in_word = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (in_word) {
      append_lower(out, points, i);
    } else {
      append_title(out, points[i]);
    }
    in_word = is_lower(points[i]) || is_upper(points[i]);
  }
  return out;
}

std::string swapcase_text(std::string_view text) {
  std::string out;
  const std::u32string points = code_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_upper(points[i])) {
      append_lower(out, points, i);
    } else if (const Longer* longer = longer_of(points[i])) {
      out += longer->upper;
    } else {
      append_code_point(out, to_upper(points[i]));
    }
  }
  return out;
}

std::string capitalized_text(std::string_view text) {
  std::string out;
  const std::u32string points = code_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0) {
      append_title(out, points[i]);
    } else {
      append_lower(out, points, i);
    }
  }
  return out;
}

}  // namespace nns::object
