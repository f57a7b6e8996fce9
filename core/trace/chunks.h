#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "core/trace/chunk_memory.h"

namespace nns::trace {

/// A list that grows at its end and never moves what it holds: a recording of a million events must not be copied each
/// time that it has doubled. It begins with small chunks, so that a short one takes little, and goes on with large
/// ones.
template <class T>
class Chunks {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t at) { return *place(at); }
  const T& operator[](std::size_t at) const { return *place(at); }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(const T& value) {
    if (next_ == end_) [[unlikely]]
      add_chunk();
    next_ = new (next_) T(value) + 1;
    ++size_;
  }
  /// Adds `count` times the same.
  void append(std::size_t count, const T& value) {
    for (; count > 0; --count) push_back(value);
  }
  void append(std::span<const T> values) {
    while (!values.empty()) {
      if (next_ == end_) add_chunk();
      const std::size_t some = std::min(values.size(), static_cast<std::size_t>(end_ - next_));
      next_ = std::uninitialized_copy_n(values.begin(), some, next_);
      size_ += some;
      values = values.subspan(some);
    }
  }
  /// As many from `at` on as surely lie behind each other in memory.
  std::span<const T> run(std::size_t at) const {
    return {place(at), std::min(kInBlock - (at & (kInBlock - 1)), size_ - at)};
  }
  std::size_t bytes() const { return sizeof(T) * kInBlock * blocks_.size(); }

 private:
  static constexpr std::size_t kBlockBits = 14;
  static constexpr std::size_t kInBlock = std::size_t{1} << kBlockBits;
  static constexpr std::size_t kSmallChunks = 8;
  static constexpr std::size_t kBlocksInLarge = std::bit_floor(kLargeChunkBytes / (sizeof(T) << kBlockBits));
  static_assert(kBlocksInLarge > 0);

  T* place(std::size_t at) const { return blocks_[at >> kBlockBits] + (at & (kInBlock - 1)); }
  [[gnu::noinline]] void add_chunk() {
    const std::size_t count = chunks_.size() < kSmallChunks ? 1 : kBlocksInLarge;
    ChunkMemory& added = chunks_.emplace_back(chunk_memory((sizeof(T) << kBlockBits) * count));
    // Not an array of T: that would write everything twice.
    next_ = reinterpret_cast<T*>(added.get());
    end_ = next_ + (count << kBlockBits);
    for (std::size_t i = 0; i < count; ++i) blocks_.push_back(next_ + (i << kBlockBits));
  }

  std::vector<ChunkMemory> chunks_;
  /// Where each 2^kBlockBits elements begin: a large chunk has several of these.
  std::vector<T*> blocks_;
  T* next_ = nullptr;
  T* end_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nns::trace
