#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nns::cuda {

/// Where an allocator gets large pieces of memory from: cudaMalloc, or a test's own.
class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  /// Null: there is not so much.
  virtual std::byte* take(std::uint64_t bytes) = 0;
  virtual void give_back(std::byte* segment) = 0;
};

struct AllocatorStatistics {
  /// In use by whoever asked, as rounded; and what the device gave. Units: bytes.
  std::uint64_t allocated = 0, peak_allocated = 0;
  std::uint64_t reserved = 0, peak_reserved = 0;
  std::uint64_t allocations = 0;
  /// Of these, how many the device was asked for.
  std::uint64_t segments_taken = 0;
  /// How often unused segments were given back to make room, and how often that was not enough.
  std::uint64_t retries = 0, failures = 0;
};

/// Memory of one stream: a block that is given back serves the next that asks, without waiting for the device, because
/// what will use it is queued behind what used it. Blocks are cut from segments as PyTorch does
/// (c10/cuda/CUDACachingAllocator.cpp): up to 1 MiB from segments of 2 MiB, up to 10 MiB from segments of 20 MiB,
/// larger ones have a segment of their own. Threads: one.
class CachingAllocator {
 public:
  explicit CachingAllocator(std::unique_ptr<SegmentSource> source) : source_(std::move(source)) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// `bytes`, aligned to 512, on the account of `holder`, which must stay. Null: there is not so much, even after all
  /// unused segments were given back. Must hold: bytes > 0.
  std::byte* allocate(std::uint64_t bytes, const char* holder);
  /// Must hold: allocate() gave `at`.
  void release(std::byte* at);
  /// Gives segments in which nothing is in use back to the source.
  void release_cached();

  const AllocatorStatistics& statistics() const { return statistics_; }
  /// The peaks begin anew with what is in use now.
  void reset_peaks() {
    statistics_.peak_allocated = statistics_.allocated;
    statistics_.peak_reserved = statistics_.reserved;
  }
  /// Who holds how much, the largest first.
  struct Holding {
    std::string_view holder;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  std::vector<Holding> holdings() const;

  static constexpr std::uint64_t kAlignment = 512;

 private:
  // A part of a segment; its neighbours there are `before` and `after`.
  struct Block {
    std::byte* at = nullptr;
    std::uint64_t bytes = 0;
    bool is_small = false;
    bool is_used = false;
    const char* holder = nullptr;
    Block* before = nullptr;
    Block* after = nullptr;
  };
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->at < b->at;
    }
  };
  using FreeBlocks = std::set<Block*, BySize>;

  FreeBlocks& free_blocks(const Block& block) { return block.is_small ? small_ : large_; }
  Block* find_free(std::uint64_t bytes, bool is_small);
  Block* take_segment(std::uint64_t bytes, bool is_small);
  void cut(Block& block, std::uint64_t bytes);
  void join_with_next(Block& block);

  std::unique_ptr<SegmentSource> source_;
  std::unordered_map<std::byte*, std::unique_ptr<Block>> blocks_;
  FreeBlocks small_, large_;
  AllocatorStatistics statistics_;
};

}  // namespace nns::cuda
