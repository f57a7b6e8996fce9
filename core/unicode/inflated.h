#pragma once

#include <string>
#include <string_view>

namespace nns::unicode {

/// What make_tables.mjs packed: four bytes that say how long it is, then raw deflate (RFC 1951).
/// Must hold: `packed` is one of the embedded tables.
std::string inflated(std::string_view packed);

}  // namespace nns::unicode
