#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace nns::session {

/// A program and the name of its file.
struct NamedSource {
  std::string name;
  std::string text;
};

/// A program as a link carries it: its name, a zero byte and its text, as a raw deflate stream (RFC 1951) in base64url
/// (RFC 4648, without padding). Empty if name and text have more than kMostShared bytes.
std::string pack_source(std::string_view name, std::string_view text);
/// Reads that. Errors: other letters, a damaged or cut stream, more than kMostShared bytes, text that is not UTF-8.
base::Result<NamedSource> unpack_source(std::string_view code);
inline constexpr std::size_t kMostShared = 512U << 10U;

}  // namespace nns::session
