#include "core/object/characters.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "core/object/unicode.h"

namespace nns::object {
namespace {

constexpr CharacterRules kWithoutTables = {
    .is_letter = [](char32_t) { return true; },
    .is_lower = [](char32_t) { return false; },
    .is_upper = [](char32_t) { return false; },
    .is_title = [](char32_t) { return false; },
    .is_cased = [](char32_t) { return false; },
    .is_case_ignorable = [](char32_t) { return false; },
    // Controls, what writes from right to left, separators, surrogates and private characters.
    .is_printable =
        [](char32_t p) {
          return p > 0xA0 && p != 0xAD && !(p >= 0x2000 && p <= 0x200F) && !(p >= 0x2028 && p <= 0x202F) &&
                 !(p >= 0x205F && p <= 0x206F) && p != 0x3000 && !(p >= 0xD800 && p <= 0xF8FF) && p != 0xFEFF &&
                 p < 0xE0000;
        },
    .is_identifier_start = [](char32_t) { return true; },
    .is_identifier_part = [](char32_t) { return true; },
    .decimal_value = [](char32_t) { return -1; },
    .digit_value = [](char32_t) { return -1; },
    .is_numeric = [](char32_t) { return false; },
    .append_in_case = [](std::u32string& text, char32_t point, unicode::Case) { text.push_back(point); },
};
std::atomic<const CharacterRules*> g_rules = &kWithoutTables;

const CharacterRules& rules() { return *g_rules.load(std::memory_order_acquire); }

constexpr bool is_between(char32_t point, char32_t first, char32_t last) { return point >= first && point <= last; }
constexpr bool is_ascii_lower(char32_t point) { return is_between(point, U'a', U'z'); }
constexpr bool is_ascii_upper(char32_t point) { return is_between(point, U'A', U'Z'); }

void append_changed(std::u32string& text, char32_t point, unicode::Case which) {
  if (point >= 0x80) return rules().append_in_case(text, point, which);
  const bool is_capital = which == unicode::Case::Upper || which == unicode::Case::Title;
  const bool changes = is_capital ? is_ascii_lower(point) : is_ascii_upper(point);
  text.push_back(changes ? point ^ 0x20U : point);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

bool is_cased(char32_t point) {
  return point < 0x80 ? is_ascii_lower(point) || is_ascii_upper(point) : rules().is_cased(point);
}

// A sigma that ends a word. Behaviour: handle_capital_sigma.
bool is_final_sigma(const std::u32string& points, std::size_t at) {
  const auto is_skipped = [](char32_t point) { return rules().is_case_ignorable(point); };
  std::size_t before = at;
  while (before > 0 && is_skipped(points[before - 1])) --before;
  if (before == 0 || !is_cased(points[before - 1])) return false;
  std::size_t behind = at + 1;
  while (behind < points.size() && is_skipped(points[behind])) ++behind;
  return behind == points.size() || !is_cased(points[behind]);
}

void append_lower(std::u32string& text, const std::u32string& points, std::size_t at) {
  constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
  if (points[at] == kCapitalSigma) {
    text.push_back(is_final_sigma(points, at) ? kFinalSigma : kSigma);
  } else {
    append_changed(text, points[at], unicode::Case::Lower);
  }
}

// use(text, points, place) appends what the character there becomes.
template <class Use>
std::string changed(std::string_view text, Use use) {
  const std::u32string points = code_points(text);
  std::u32string made;
  made.reserve(points.size());
  for (std::size_t at = 0; at < points.size(); ++at) use(made, points, at);
  return from_code_points(made);
}

std::string with_each(std::string_view text, char (*of_ascii)(char)) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), of_ascii);
  return made;
}

}  // namespace

void set_character_rules(const CharacterRules& known) { g_rules.store(&known, std::memory_order_release); }

bool is_letter(char32_t point) {
  return point < 0x80 ? is_ascii_lower(point) || is_ascii_upper(point) : rules().is_letter(point);
}
bool is_lower(char32_t point) { return point < 0x80 ? is_ascii_lower(point) : rules().is_lower(point); }
bool is_upper(char32_t point) { return point < 0x80 ? is_ascii_upper(point) : rules().is_upper(point); }
bool is_title(char32_t point) { return point >= 0x80 && rules().is_title(point); }

int decimal_value(char32_t point) {
  if (is_between(point, U'0', U'9')) return static_cast<int>(point - U'0');
  return point < 0x80 ? -1 : rules().decimal_value(point);
}
bool is_decimal(char32_t point) { return decimal_value(point) >= 0; }
bool is_digit(char32_t point) { return is_decimal(point) || (point >= 0x80 && rules().digit_value(point) >= 0); }
bool is_numeric(char32_t point) { return is_decimal(point) || (point >= 0x80 && rules().is_numeric(point)); }

bool is_space(char32_t point) {
  return is_between(point, 0x9, 0xD) || is_between(point, 0x1C, 0x20) || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || is_between(point, 0x2000, 0x200A) || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}
bool is_line_end(char32_t point) {
  return is_between(point, 0xA, 0xD) || is_between(point, 0x1C, 0x1E) || point == 0x85 || point == 0x2028 ||
         point == 0x2029;
}

bool is_printable(char32_t point) { return point < 0x80 ? is_between(point, 0x20, 0x7E) : rules().is_printable(point); }
bool is_identifier_start(char32_t point) {
  return point < 0x80 ? point == U'_' || is_letter(point) : rules().is_identifier_start(point);
}
bool is_identifier_part(char32_t point) {
  return point < 0x80 ? is_identifier_start(point) || is_decimal(point) : rules().is_identifier_part(point);
}

std::string_view number_text(std::string_view text, std::string& room) {
  if (is_ascii(text)) return text;
  room.clear();
  for (const char32_t point : code_points(text)) {
    const int digit = decimal_value(point);
    if (point < 0x80) {
      room += static_cast<char>(point);
    } else if (digit >= 0) {
      room += static_cast<char>('0' + digit);
    } else {
      room += is_space(point) ? ' ' : '?';
    }
  }
  return room;
}

std::string lower_text(std::string_view text) {
  if (is_ascii(text)) return with_each(text, ascii_lower);
  return changed(text, append_lower);
}

std::string upper_text(std::string_view text) {
  if (is_ascii(text)) return with_each(text, ascii_upper);
  return changed(text, [](std::u32string& made, const std::u32string& points, std::size_t at) {
    append_changed(made, points[at], unicode::Case::Upper);
  });
}

std::string casefold_text(std::string_view text) {
  if (is_ascii(text)) return with_each(text, ascii_lower);
  return changed(text, [](std::u32string& made, const std::u32string& points, std::size_t at) {
    append_changed(made, points[at], unicode::Case::Folded);
  });
}

std::string title_text(std::string_view text) {
  bool in_word = false;
  return changed(text, [&in_word](std::u32string& made, const std::u32string& points, std::size_t at) {
    if (in_word) {
      append_lower(made, points, at);
    } else {
      append_changed(made, points[at], unicode::Case::Title);
    }
    in_word = is_cased(points[at]);
  });
}

std::string swapcase_text(std::string_view text) {
  return changed(text, [](std::u32string& made, const std::u32string& points, std::size_t at) {
    if (is_upper(points[at])) {
      append_lower(made, points, at);
    } else if (is_lower(points[at])) {
      append_changed(made, points[at], unicode::Case::Upper);
    } else {
      made.push_back(points[at]);
    }
  });
}

std::string capitalized_text(std::string_view text) {
  return changed(text, [](std::u32string& made, const std::u32string& points, std::size_t at) {
    if (at == 0) {
      append_changed(made, points[at], unicode::Case::Title);
    } else {
      append_lower(made, points, at);
    }
  });
}

}  // namespace nns::object
