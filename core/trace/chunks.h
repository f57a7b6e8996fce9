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
    if (next_ == end_) add_chunk();
    next_ = new (next_) T(value) + 1;
    ++size_;
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
  /// As many from `at` on as lie behind each other in memory.
  std::span<const T> run(std::size_t at) const {
    const std::size_t in_chunk = std::size_t{1} << (at < kInSmall ? kSmallBits : kLargeBits);
    const std::size_t begin = at < kInSmall ? at : at - kInSmall;
    return {place(at), std::min(in_chunk - (begin & (in_chunk - 1)), size_ - at)};
  }
  std::size_t bytes() const { return sizeof(T) * ((small_.size() << kSmallBits) + (large_.size() << kLargeBits)); }

 private:
  static constexpr std::size_t kSmallBits = 14;
  static constexpr std::size_t kSmallChunks = 8;
  static constexpr std::size_t kInSmall = kSmallChunks << kSmallBits;
  static constexpr std::size_t kLargeBits = std::bit_width(kLargeChunkBytes / sizeof(T)) - 1;

  T* place(std::size_t at) const {
    if (at < kInSmall) return element(small_[at >> kSmallBits], at & ((std::size_t{1} << kSmallBits) - 1));
    at -= kInSmall;
    return element(large_[at >> kLargeBits], at & ((std::size_t{1} << kLargeBits) - 1));
  }
  static T* element(const ChunkMemory& memory, std::size_t at) {
    return std::launder(reinterpret_cast<T*>(memory.get())) + at;
  }
  void add_chunk() {
    const std::size_t bits = size_ < kInSmall ? kSmallBits : kLargeBits;
    ChunkMemory& added = (size_ < kInSmall ? small_ : large_).emplace_back(chunk_memory(sizeof(T) << bits));
    // Not an array of T: that would write everything twice.
    next_ = reinterpret_cast<T*>(added.get());
    end_ = next_ + (std::size_t{1} << bits);
  }

  std::vector<ChunkMemory> small_;
  std::vector<ChunkMemory> large_;
  T* next_ = nullptr;
  T* end_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nns::trace
