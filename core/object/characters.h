#pragma once

#include <string>
#include <string_view>

#include "core/unicode/characters.h"

/// Properties of code points and cases of texts as str's methods ask for them.
namespace nns::object {

/// What is known of characters beyond ASCII: the Unicode character database (core/unicode).
struct CharacterRules {
  bool (*is_letter)(char32_t);
  bool (*is_lower)(char32_t);
  bool (*is_upper)(char32_t);
  bool (*is_title)(char32_t);
  bool (*is_cased)(char32_t);
  bool (*is_case_ignorable)(char32_t);
  bool (*is_printable)(char32_t);
  bool (*is_identifier_start)(char32_t);
  bool (*is_identifier_part)(char32_t);
  /// -1: it is none.
  int (*decimal_value)(char32_t);
  int (*digit_value)(char32_t);
  bool (*is_numeric)(char32_t);
  /// In full: "ß" has two capital letters.
  void (*append_in_case)(std::u32string&, char32_t, unicode::Case);
};
/// Whoever runs programs says what is known. Until then every character beyond ASCII is a letter without case, as who
/// only opens files needs it: the page that does has no room for more. Lifetime: `rules` stay for good. Thread-safe.
void set_character_rules(const CharacterRules& rules);

bool is_letter(char32_t point);
bool is_lower(char32_t point);
bool is_upper(char32_t point);
bool is_title(char32_t point);
/// str.isdecimal of one character; its value is decimal_value.
bool is_decimal(char32_t point);
int decimal_value(char32_t point);
bool is_digit(char32_t point);
bool is_numeric(char32_t point);
bool is_space(char32_t point);
bool is_line_end(char32_t point);
/// Whether repr shows the character itself.
bool is_printable(char32_t point);
bool is_identifier_start(char32_t point);
bool is_identifier_part(char32_t point);

/// The text of a number with ASCII's digits and spaces in the place of others; `room` holds it where it differs.
/// Behaviour: _PyUnicode_TransformDecimalAndSpaceToASCII.
std::string_view number_text(std::string_view text, std::string& room);

/// str.lower(), upper(), casefold() and so on, with the mappings that change the length ("ß", ligatures, final sigma).
/// Behaviour: Objects/unicodeobject.c of CPython, do_lower and its relatives.
std::string lower_text(std::string_view text);
std::string upper_text(std::string_view text);
std::string casefold_text(std::string_view text);
std::string title_text(std::string_view text);
std::string swapcase_text(std::string_view text);
std::string capitalized_text(std::string_view text);

}  // namespace nns::object
