#pragma once

#include <cstdint>

namespace nns::host {

/// How much memory this process holds: its resident pages. Units: bytes; 0 where the system does not tell.
std::uint64_t memory_in_use();

}  // namespace nns::host
