// names.bin: lines "HEX;NAME" of all characters in order; behind an empty line other names; behind another one names of
// sequences.
#include "core/unicode/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/unicode/hangul.h"
#include "core/unicode/inflated.h"
#include "core/unicode/tables.h"

namespace nns::unicode {
namespace {

constexpr std::string_view kIdeograph = "CJK UNIFIED IDEOGRAPH-", kSyllable = "HANGUL SYLLABLE ";
// Source: The Unicode Standard, table 4-8.
struct Range {
  char32_t first, last;
};
constexpr std::array<Range, 10> kIdeographs = {{{0x3400, 0x4DBF},
                                                {0x4E00, 0x9FFF},
                                                {0x20000, 0x2A6DF},
                                                {0x2A700, 0x2B739},
                                                {0x2B740, 0x2B81D},
                                                {0x2B820, 0x2CEA1},
                                                {0x2CEB0, 0x2EBE0},
                                                {0x2EBF0, 0x2EE5D},
                                                {0x30000, 0x3134A},
                                                {0x31350, 0x323AF}}};
bool is_ideograph(char32_t point) {
  return std::any_of(kIdeographs.begin(), kIdeographs.end(),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

// Source: Jamo.txt.
constexpr std::array<std::string_view, hangul::kLeadingCount> kLeadingNames = {
    "G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"};
constexpr std::array<std::string_view, hangul::kVowelCount> kVowelNames = {"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
                                                                           "YE",  "O",  "WA", "WAE", "OE", "YO", "U",
                                                                           "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
constexpr std::array<std::string_view, hangul::kTrailingCount> kTrailingNames = {
    "",   "G",  "GG", "GS", "N",  "NJ", "NH", "D",  "L", "LG", "LM", "LB", "LS", "LT",
    "LP", "LH", "M",  "B",  "BS", "S",  "SS", "NG", "J", "C",  "K",  "T",  "P",  "H"};

std::string syllable_name(char32_t point) {
  const std::size_t at = point - hangul::kSyllables;
  std::string name(kSyllable);
  name += kLeadingNames[at / (kVowelNames.size() * kTrailingNames.size())];
  name += kVowelNames[at / kTrailingNames.size() % kVowelNames.size()];
  return name.append(kTrailingNames[at % kTrailingNames.size()]);
}

std::string hex_of(char32_t point) { return fmt::format("{:X}", static_cast<std::uint32_t>(point)); }

char32_t point_of(std::string_view hex) {
  std::uint32_t point = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), point, 16);
  return point;
}

class Names {
 public:
  static const Names& get() {
    static const Names names;
    return names;
  }

  std::string_view of(char32_t point) const {
    const auto found = std::lower_bound(points_.begin(), points_.end(), point);
    return found == points_.end() || *found != point ? std::string_view()
                                                     : names_[static_cast<std::size_t>(found - points_.begin())];
  }
  /// Places of code points, as the file writes them; empty: none.
  std::string_view points_of(std::string_view name, bool has_sequences) const {
    if (const auto found = characters_.find(name); found != characters_.end()) return found->second;
    const auto found = has_sequences ? sequences_.find(name) : sequences_.end();
    return found == sequences_.end() ? std::string_view() : found->second;
  }

 private:
  Names() : text_(inflated(tables::kNamesBin)) {
    characters_.reserve(40'000);
    int part = 0;
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.empty()) {
        ++part;
        continue;
      }
      const std::size_t at = line.find(';');
      const std::string_view points = line.substr(0, at), name = line.substr(at + 1);
      (part == 2 ? sequences_ : characters_).emplace(name, points);
      if (part != 0) continue;
      points_.push_back(point_of(points));
      names_.push_back(name);
    }
  }

  std::string text_;
  std::vector<char32_t> points_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::string_view> characters_, sequences_;
};

// "GAG" of a syllable: the longest parts that are there.
std::optional<char32_t> syllable_named(std::string_view rest) {
  const auto longest = [&rest](const auto& parts) {
    std::size_t best = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (rest.starts_with(parts[i]) && (best == parts.size() || parts[i].size() > parts[best].size())) best = i;
    }
    if (best < parts.size()) rest.remove_prefix(parts[best].size());
    return best;
  };
  const std::size_t leading = longest(kLeadingNames), vowel = longest(kVowelNames);
  if (vowel == kVowelNames.size()) return std::nullopt;
  const std::size_t trailing = longest(kTrailingNames);
  if (!rest.empty()) return std::nullopt;
  return hangul::kSyllables +
         static_cast<char32_t>((leading * kVowelNames.size() + vowel) * kTrailingNames.size() + trailing);
}

}  // namespace

std::optional<std::string> name_of(char32_t point) {
  if (hangul::is_syllable(point)) return syllable_name(point);
  if (is_ideograph(point)) return std::string(kIdeograph).append(hex_of(point));
  const std::string_view name = Names::get().of(point);
  if (name.empty()) return std::nullopt;
  return std::string(name);
}

std::optional<std::u32string> named(std::string_view name, bool has_sequences) {
  std::string wanted(name);
  for (char& c : wanted) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  std::string_view rest = wanted;
  if (rest.starts_with(kSyllable)) {
    const auto point = syllable_named(rest.substr(kSyllable.size()));
    return point ? std::optional(std::u32string(1, *point)) : std::nullopt;
  }
  if (rest.starts_with(kIdeograph)) {
    rest.remove_prefix(kIdeograph.size());
    const char32_t point = point_of(rest);
    // Written as the name has it: four or five digits, no zeros before them.
    if (!is_ideograph(point) || hex_of(point) != rest) return std::nullopt;
    return std::u32string(1, point);
  }
  std::string_view points = Names::get().points_of(wanted, has_sequences);
  if (points.empty()) return std::nullopt;
  std::u32string found;
  while (!points.empty()) {
    const std::string_view one = points.substr(0, points.find(' '));
    found.push_back(point_of(one));
    points.remove_prefix(std::min(points.size(), one.size() + 1));
  }
  return found;
}

}  // namespace nns::unicode
