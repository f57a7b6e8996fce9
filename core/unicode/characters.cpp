// characters.bin: sections of 32-bit numbers, each behind its length. The records of all characters stand in two steps,
// by page and by place in the page; what few have stands in rows that are sorted by code point.
#include "core/unicode/characters.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/unicode/inflated.h"
#include "core/unicode/tables.h"

namespace nns::unicode {
namespace {

// In the order of make_tables.mjs.
constexpr std::array<std::string_view, 30> kCategories = {"Cn", "Lu", "Ll", "Lt", "Mn", "Mc", "Me", "Nd", "Nl", "No",
                                                          "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Lm", "Lo", "Pc",
                                                          "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"};
constexpr std::array<std::string_view, 24> kBidirectional = {"",    "L",  "LRE", "LRO", "R",   "AL",  "RLE", "RLO",
                                                             "PDF", "EN", "ES",  "ET",  "AN",  "CS",  "NSM", "BN",
                                                             "B",   "S",  "WS",  "ON",  "LRI", "RLI", "FSI", "PDI"};
constexpr std::array<std::string_view, 6> kWidths = {"N", "F", "H", "W", "Na", "A"};
constexpr std::array<std::string_view, 17> kTags = {
    "",        "<compat>", "<font>",     "<noBreak>", "<initial>", "<medial>", "<final>",  "<isolated>", "<circle>",
    "<super>", "<sub>",    "<vertical>", "<wide>",    "<narrow>",  "<small>",  "<square>", "<fraction>"};
enum Flag : std::uint32_t {
  kMirrored = 1,
  kLower = 2,
  kUpper = 4,
  kCased = 8,
  kIgnorable = 16,
  kStart = 32,
  kPart = 64
};

struct Record {
  std::uint32_t kind;
  std::uint32_t flags;
  // What the other case is away.
  std::uint32_t lower, upper, title;
  std::uint32_t numbers;

  std::string_view category() const { return kCategories[kind & 31U]; }
};
struct CaseRow {
  char32_t point;
  std::array<std::uint32_t, 4> parts;  // place in the pool and length; length 0: as the record says
};
struct PartRow {
  char32_t point;
  std::uint32_t parts;
  std::uint32_t tag;
};
struct NumberRow {
  std::uint32_t low, high, denominator;
};

class Tables {
 public:
  static const Tables& get() {
    static const Tables tables;
    return tables;
  }

  const Record& of(char32_t point) const {
    constexpr std::uint32_t kPage = 128;
    if (point > 0x10FFFF) point = 0x10FFFF;  // not assigned either
    return records_[pages_[index_[point / kPage] * kPage + point % kPage]];
  }
  std::u32string_view pooled(std::uint32_t parts) const {
    return {reinterpret_cast<const char32_t*>(pool_.data()) + (parts >> 8U), parts & 0xFFU};
  }
  const CaseRow* cases(char32_t point) const { return find(cases_, point); }
  const PartRow* parts(char32_t point) const { return find(parts_, point); }
  Fraction number(std::uint32_t at) const {
    const NumberRow& row = numbers_[at];
    return {static_cast<std::int64_t>(std::uint64_t{row.high} << 32U | row.low), row.denominator};
  }
  char32_t composed(char32_t first, char32_t second) const {
    const auto found = compositions_.find(pair_of(first, second));
    return found == compositions_.end() ? 0 : found->second;
  }

 private:
  Tables() {
    const std::string bytes = inflated(tables::kCharactersBin);
    words_.resize(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words_.data(), bytes.data(), bytes.size());
    std::span<const std::uint32_t> rest = words_;
    index_ = next(rest);
    pages_ = next(rest);
    records_ = rows<Record>(next(rest));
    numbers_ = rows<NumberRow>(next(rest));
    cases_ = rows<CaseRow>(next(rest));
    parts_ = rows<PartRow>(next(rest));
    const auto excluded = next(rest);
    pool_ = next(rest);
    for (const PartRow& row : parts_) {
      const std::u32string_view points = pooled(row.parts);
      if (row.tag != 0 || points.size() != 2 || std::binary_search(excluded.begin(), excluded.end(), row.point))
        continue;
      compositions_.emplace(pair_of(points[0], points[1]), row.point);
    }
  }

  static std::span<const std::uint32_t> next(std::span<const std::uint32_t>& rest) {
    const auto section = rest.subspan(1, rest[0]);
    rest = rest.subspan(1 + section.size());
    return section;
  }
  template <class Row>
  static std::span<const Row> rows(std::span<const std::uint32_t> section) {
    return {reinterpret_cast<const Row*>(section.data()), section.size() * sizeof(std::uint32_t) / sizeof(Row)};
  }
  template <class Row>
  static const Row* find(std::span<const Row> rows, char32_t point) {
    const auto found =
        std::lower_bound(rows.begin(), rows.end(), point, [](const Row& row, char32_t at) { return row.point < at; });
    return found == rows.end() || found->point != point ? nullptr : &*found;
  }
  static std::uint64_t pair_of(char32_t first, char32_t second) { return std::uint64_t{first} << 32U | second; }

  std::vector<std::uint32_t> words_;
  std::span<const std::uint32_t> index_, pages_, pool_;
  std::span<const Record> records_;
  std::span<const NumberRow> numbers_;
  std::span<const CaseRow> cases_;
  std::span<const PartRow> parts_;
  std::unordered_map<std::uint64_t, char32_t> compositions_;
};

const Record& record_of(char32_t point) { return Tables::get().of(point); }
bool has(char32_t point, Flag flag) { return (record_of(point).flags & flag) != 0; }

}  // namespace

std::string_view category(char32_t point) { return record_of(point).category(); }
std::string_view bidirectional(char32_t point) { return kBidirectional[record_of(point).kind >> 5U & 31U]; }
std::string_view east_asian_width(char32_t point) { return kWidths[record_of(point).kind >> 10U & 7U]; }
int combining_class(char32_t point) { return static_cast<int>(record_of(point).kind >> 16U); }
bool is_mirrored(char32_t point) { return has(point, kMirrored); }

bool is_letter(char32_t point) { return category(point).front() == 'L'; }
bool is_lower(char32_t point) { return has(point, kLower); }
bool is_upper(char32_t point) { return has(point, kUpper); }
bool is_title(char32_t point) { return category(point) == "Lt"; }
bool is_cased(char32_t point) { return has(point, kCased); }
bool is_case_ignorable(char32_t point) { return has(point, kIgnorable); }
bool is_printable(char32_t point) {
  const char kind = category(point).front();
  return point == U' ' || (kind != 'C' && kind != 'Z');
}
bool is_identifier_start(char32_t point) { return point == U'_' || has(point, kStart); }
bool is_identifier_part(char32_t point) { return has(point, kPart); }

int decimal_value(char32_t point) { return static_cast<int>(record_of(point).numbers >> 16U & 0xFFU) - 1; }
int digit_value(char32_t point) { return static_cast<int>(record_of(point).numbers >> 24U) - 1; }
std::optional<Fraction> numeric_value(char32_t point) {
  const std::uint32_t told = record_of(point).numbers & 0xFFFFU;
  return told == 0 ? std::nullopt : std::optional(Tables::get().number(told));
}

char32_t in_case(char32_t point, Case which) {
  const Record& record = record_of(point);
  switch (which) {
    case Case::Upper:
      return point + record.upper;
    case Case::Title:
      return point + record.title;
    default:
      return point + record.lower;
  }
}

void append_in_case(std::u32string& text, char32_t point, Case which) {
  const Tables& tables = Tables::get();
  if (const CaseRow* const row = tables.cases(point)) {
    const std::u32string_view points = tables.pooled(row->parts[static_cast<std::size_t>(which)]);
    if (!points.empty()) {
      text.append(points);
      return;
    }
    // What no row tells folded is its small letter.
    if (which == Case::Folded) return append_in_case(text, point, Case::Lower);
  }
  text.push_back(in_case(point, which));
}

std::optional<Decomposition> decomposition(char32_t point) {
  const Tables& tables = Tables::get();
  const PartRow* const row = tables.parts(point);
  if (row == nullptr) return std::nullopt;
  return Decomposition{kTags[row->tag], tables.pooled(row->parts)};
}

char32_t composed(char32_t first, char32_t second) { return Tables::get().composed(first, second); }

}  // namespace nns::unicode
