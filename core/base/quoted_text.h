#pragma once

#include <string>
#include <string_view>

namespace nns::base {

/// 'text' with Python's choice of quotes and escapes. `is_printable`: whether a code point stands for itself.
/// Behaviour: CPython Objects/unicodeobject.c, unicode_repr.
std::string quoted_text(std::string_view text, bool (*is_printable)(char32_t));

}  // namespace nns::base
