#pragma once

#include <cstdint>
#include <string>

namespace nns::checkpoint {

/// Appends the lowest `bytes` bytes of a number, little-endian, as zip files and pickles have them.
inline void put_number(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

}  // namespace nns::checkpoint
