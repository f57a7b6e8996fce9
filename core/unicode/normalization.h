#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nns::unicode {

enum class Form : std::uint8_t { Nfc, Nfd, Nfkc, Nfkd };

/// The text in a normal form. Source: UAX #15.
std::u32string normalized(std::u32string_view text, Form form);
/// The same of UTF-8.
std::string normalized(std::string_view text, Form form);

}  // namespace nns::unicode
