#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::data {

/// All bytes of a file; of one that gzip packed, what it holds.
/// Errors: reading fails; a damaged or cut stream; more than `most` bytes.
base::Result<std::vector<std::byte>> read_unpacked(base::ByteSource& source, std::uint64_t most);

}  // namespace nns::data
