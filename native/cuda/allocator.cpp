#include "native/cuda/allocator.h"

#include <algorithm>

namespace nns::cuda {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kSmallSize = kMiB;
constexpr std::uint64_t kSmallSegment = 2 * kMiB;
constexpr std::uint64_t kMiddleSize = 10 * kMiB;
constexpr std::uint64_t kMiddleSegment = 20 * kMiB;

constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

std::uint64_t segment_bytes(std::uint64_t bytes) {
  if (bytes <= kSmallSize) return kSmallSegment;
  return bytes < kMiddleSize ? kMiddleSegment : rounded(bytes, kSmallSegment);
}

}  // namespace

CachingAllocator::~CachingAllocator() {
  for (const auto& [at, block] : blocks_) {
    if (block->before == nullptr) source_->give_back(at);
  }
}

CachingAllocator::Block* CachingAllocator::find_free(std::uint64_t bytes, bool is_small) {
  FreeBlocks& free = is_small ? small_ : large_;
  Block wanted;
  wanted.bytes = bytes;
  const auto found = free.lower_bound(&wanted);
  if (found == free.end()) return nullptr;
  // A large block is not spent on one that is much smaller than it: its segment may soon be asked for as a whole.
  if (!is_small && (*found)->bytes > bytes + kMiddleSegment) return nullptr;
  Block* const block = *found;
  free.erase(found);
  return block;
}

CachingAllocator::Block* CachingAllocator::take_segment(std::uint64_t bytes, bool is_small) {
  const std::uint64_t size = segment_bytes(bytes);
  std::byte* at = source_->take(size);
  if (at == nullptr) {
    ++statistics_.retries;
    release_cached();
    at = source_->take(size);
  }
  if (at == nullptr) return nullptr;
  ++statistics_.segments_taken;
  statistics_.reserved += size;
  statistics_.peak_reserved = std::max(statistics_.peak_reserved, statistics_.reserved);
  auto block = std::make_unique<Block>();
  block->at = at;
  block->bytes = size;
  block->is_small = is_small;
  return (blocks_[at] = std::move(block)).get();
}

void CachingAllocator::cut(Block& block, std::uint64_t bytes) {
  const std::uint64_t rest = block.bytes - bytes;
  if (rest < (block.is_small ? kAlignment : kSmallSize)) return;
  auto made = std::make_unique<Block>();
  made->at = block.at + bytes;
  made->bytes = rest;
  made->is_small = block.is_small;
  made->before = &block;
  made->after = block.after;
  if (block.after != nullptr) block.after->before = made.get();
  block.after = made.get();
  block.bytes = bytes;
  free_blocks(*made).insert(made.get());
  blocks_[made->at] = std::move(made);
}

std::byte* CachingAllocator::allocate(std::uint64_t bytes, const char* holder) {
  const std::uint64_t size = rounded(bytes, kAlignment);
  const bool is_small = size <= kSmallSize;
  Block* block = size < bytes ? nullptr : find_free(size, is_small);
  if (block == nullptr && size >= bytes) block = take_segment(size, is_small);
  if (block == nullptr) {
    ++statistics_.failures;
    return nullptr;
  }
  cut(*block, size);
  block->is_used = true;
  block->holder = holder;
  ++statistics_.allocations;
  statistics_.allocated += block->bytes;
  statistics_.peak_allocated = std::max(statistics_.peak_allocated, statistics_.allocated);
  return block->at;
}

void CachingAllocator::join_with_next(Block& block) {
  Block& next = *block.after;
  free_blocks(next).erase(&next);
  block.bytes += next.bytes;
  block.after = next.after;
  if (block.after != nullptr) block.after->before = &block;
  std::byte* const at = next.at;
  blocks_.erase(at);
}

void CachingAllocator::release(std::byte* at) {
  Block* block = blocks_.at(at).get();
  block->is_used = false;
  statistics_.allocated -= block->bytes;
  if (block->after != nullptr && !block->after->is_used) join_with_next(*block);
  if (block->before != nullptr && !block->before->is_used) {
    block = block->before;
    free_blocks(*block).erase(block);
    // The block that came back was never in the list of free ones, which join_with_next leaves as it is.
    join_with_next(*block);
  }
  free_blocks(*block).insert(block);
}

void CachingAllocator::release_cached() {
  for (FreeBlocks* free : {&small_, &large_}) {
    for (auto at = free->begin(); at != free->end();) {
      Block& block = **at;
      if (block.before != nullptr || block.after != nullptr) {
        ++at;
        continue;
      }
      at = free->erase(at);
      statistics_.reserved -= block.bytes;
      std::byte* const segment = block.at;
      source_->give_back(segment);
      blocks_.erase(segment);
    }
  }
}

std::vector<CachingAllocator::Holding> CachingAllocator::holdings() const {
  std::map<std::string_view, Holding> by_holder;
  for (const auto& [at, block] : blocks_) {
    if (!block->is_used) continue;
    Holding& holding = by_holder[block->holder];
    holding.holder = block->holder;
    holding.bytes += block->bytes;
    ++holding.blocks;
  }
  std::vector<Holding> found;
  for (const auto& [name, holding] : by_holder) found.push_back(holding);
  std::sort(found.begin(), found.end(), [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  return found;
}

}  // namespace nns::cuda
