#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace nns::trace {

/// Most of a recording lies in chunks of about this size.
inline constexpr std::size_t kLargeChunkBytes = std::size_t{4} << 20U;
/// Where large pages begin, of the processors that have them.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20U;

/// Is told of each large chunk, which begins at a large page. To be given a million small pages costs a recording as
/// much as writing it does: where the system has large ones, this asks for them.
using LargeChunkAdvice = void (*)(void* begin, std::size_t bytes);
/// None at first. Must hold: nothing is recorded yet.
void advise_large_chunks(LargeChunkAdvice advice);

struct FreeChunk {
  std::align_val_t alignment{alignof(std::max_align_t)};
  void operator()(std::byte* chunk) const { ::operator delete(chunk, alignment); }
};
using ChunkMemory = std::unique_ptr<std::byte[], FreeChunk>;

/// Bytes that are not initialised, aligned for anything. Without room the program ends here.
ChunkMemory chunk_memory(std::size_t bytes);

}  // namespace nns::trace
