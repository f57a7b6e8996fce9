#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nns::unicode {

/// "LATIN SMALL LETTER A"; of CJK ideographs and Hangul syllables too. Null: it has none.
/// Cost: the names (1 MB) are unpacked when first asked.
std::optional<std::string> name_of(char32_t point);
/// What has that name, or another one that the standard gives it, in letters of any case; with `has_sequences`
/// sequences that have a name. Null: nothing has.
std::optional<std::u32string> named(std::string_view name, bool has_sequences);

}  // namespace nns::unicode
