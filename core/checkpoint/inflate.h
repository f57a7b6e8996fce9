#pragma once

#include <memory>

#include "core/base/byte_source.h"

namespace nns::checkpoint {

/// Deflate cannot make more than so many bytes of one.
inline constexpr std::uint64_t kMaxDeflateRatio = 1032;

/// What the raw deflate stream `packed` unpacks to, of which `size` bytes are declared; errors carry the name of
/// `packed`. Cost: memory for a window only. Reading forward is streaming; going back starts from the beginning, so
/// read in order. Errors (of read): a damaged stream; fewer bytes than declared; more bytes than declared (seen at the
/// end).
std::shared_ptr<base::ByteSource> make_inflating_source(std::shared_ptr<base::ByteSource> packed, std::uint64_t size);

}  // namespace nns::checkpoint
