#pragma once

#include <cstddef>
#include <cstdint>

namespace nns::tensor {

/// Where the bytes of storages come from. What was given back is kept for the next request of about the same size, so
/// that the tensors of a training step do not go through the system at each step.
/// Memory: what waits to be used again is at most a quarter of what was in use at the same time at most (and 64 MiB),
/// and at most 1 GiB more than what is in use now (32 MiB where addresses have 32 bits).
/// Threads: any; each has blocks of its own, and a block may be given back on another one than it came from.
/// With sanitizers nothing is kept, so that they see every use of what was given back.

/// At least `bytes` bytes (not 0), aligned for any vector instruction; null if there is not so much memory.
std::byte* take_bytes(std::size_t bytes);
/// Gives back what take_bytes(bytes) gave.
void give_bytes(std::byte* data, std::size_t bytes) noexcept;

/// Bytes of the blocks that this thread took and nobody has given back, and the most that there were at once.
struct ByteUse {
  std::size_t now = 0, most = 0;
};
ByteUse bytes_in_use();

inline constexpr std::size_t kByteAlignment = 64;

}  // namespace nns::tensor
