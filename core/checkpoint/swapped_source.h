#pragma once

#include <cstdint>
#include <memory>

#include "core/base/byte_source.h"

namespace nns::checkpoint {

/// Numbers of the other byte order, `width` bytes each, turned around as they are read.
std::shared_ptr<base::ByteSource> make_swapped_source(std::shared_ptr<base::ByteSource> source, std::uint8_t width);

}  // namespace nns::checkpoint
