#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The Unicode character database, version 16.0.0, as Python 3.14 has it.
/// Source: UAX #44; what counts as a letter, a number, a space: Tools/unicode/makeunicodedata.py of CPython.
/// Code points above U+10FFFF are not assigned. Cost: the tables (0.3 MB) are unpacked when first asked; then a look-up
/// is two reads.
namespace nns::unicode {

inline constexpr std::string_view kVersion = "16.0.0";

/// "Lu"; "Cn": not assigned.
std::string_view category(char32_t point);
/// "L"; empty: none is told.
std::string_view bidirectional(char32_t point);
/// "N", "W", ...
std::string_view east_asian_width(char32_t point);
/// The canonical combining class; 0: it does not combine.
int combining_class(char32_t point);
bool is_mirrored(char32_t point);

bool is_letter(char32_t point);
bool is_lower(char32_t point);
bool is_upper(char32_t point);
bool is_title(char32_t point);
bool is_cased(char32_t point);
bool is_case_ignorable(char32_t point);
bool is_printable(char32_t point);
bool is_identifier_start(char32_t point);
bool is_identifier_part(char32_t point);

/// -1: it is none.
int decimal_value(char32_t point);
int digit_value(char32_t point);
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
std::optional<Fraction> numeric_value(char32_t point);

enum class Case : std::uint8_t { Lower, Upper, Title, Folded };
/// The character in that case as far as it is one character.
char32_t in_case(char32_t point, Case which);
/// In full: "ß" has two capital letters. What depends on the neighbours (a final sigma) is the caller's.
void append_in_case(std::u32string& text, char32_t point, Case which);

struct Decomposition {
  /// "<compat>"; empty: it is canonical.
  std::string_view tag;
  std::u32string_view points;
};
/// One step; null: there is none. Hangul syllables have none here: theirs is computed (normalization.h).
std::optional<Decomposition> decomposition(char32_t point);
/// The character that two are composed to; 0: none. Without Hangul.
char32_t composed(char32_t first, char32_t second);

}  // namespace nns::unicode
