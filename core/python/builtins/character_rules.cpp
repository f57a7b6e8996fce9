// What str's methods know of characters: the Unicode character database.
#include "core/object/characters.h"
#include "core/python/builtins/builtins.h"
#include "core/unicode/characters.h"

namespace nns::python {
namespace {

constexpr object::CharacterRules kUnicode = {
    .is_letter = unicode::is_letter,
    .is_lower = unicode::is_lower,
    .is_upper = unicode::is_upper,
    .is_title = unicode::is_title,
    .is_cased = unicode::is_cased,
    .is_case_ignorable = unicode::is_case_ignorable,
    .is_printable = unicode::is_printable,
    .is_identifier_start = unicode::is_identifier_start,
    .is_identifier_part = unicode::is_identifier_part,
    .decimal_value = unicode::decimal_value,
    .digit_value = unicode::digit_value,
    .is_numeric = [](char32_t point) { return unicode::numeric_value(point).has_value(); },
    .append_in_case = unicode::append_in_case,
};

}  // namespace

void use_unicode() { object::set_character_rules(kUnicode); }

}  // namespace nns::python
