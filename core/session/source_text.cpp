#include "core/session/source_text.h"

#include <fmt/format.h>

#include <span>

namespace nns::session {

base::Result<std::string> read_source_text(base::ByteSource& file) {
  constexpr std::uint64_t kMost_bytes = 16U << 20U;
  if (file.size() > kMost_bytes) {
    return base::Error{.found = fmt::format("a program of {} bytes", file.size()),
                       .expected = fmt::format("a file of Python source of at most {} bytes", kMost_bytes),
                       .where = file.name(),
                       .offset = std::nullopt};
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  NNS_TRY(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace nns::session
