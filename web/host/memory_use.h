#pragma once

#include <cstdint>

namespace nns::web {

/// Bytes that this WebAssembly program holds. Quick while it never held many; then it counts what is allocated.
std::uint64_t memory_in_use();

}  // namespace nns::web
