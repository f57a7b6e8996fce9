#include "core/trace/chunk_memory.h"

namespace nns::trace {

namespace {

LargeChunkAdvice large_chunk_advice = nullptr;

}  // namespace

void advise_large_chunks(LargeChunkAdvice advice) { large_chunk_advice = advice; }

ChunkMemory chunk_memory(std::size_t bytes) {
  FreeChunk free;
  const bool is_advised = bytes >= kLargePage && large_chunk_advice != nullptr;
  if (is_advised) free.alignment = std::align_val_t{kLargePage};
  ChunkMemory memory(static_cast<std::byte*>(::operator new(bytes, free.alignment)), free);
  if (is_advised) large_chunk_advice(memory.get(), bytes);
  return memory;
}

}  // namespace nns::trace
