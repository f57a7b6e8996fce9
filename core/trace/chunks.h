#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace nns::trace {

/// A list that grows at its end and never moves what it holds: a recording of a million events must not be copied each
/// time that it has doubled.
template <class T>
class Chunks {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t at) { return chunks_[at >> kBits][at & kMask]; }
  const T& operator[](std::size_t at) const { return chunks_[at >> kBits][at & kMask]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(const T& value) {
    if ((size_ & kMask) == 0) chunks_.emplace_back(new T[kMask + 1]);
    chunks_[size_ >> kBits][size_ & kMask] = value;
    ++size_;
  }
  std::size_t bytes() const { return chunks_.size() * (kMask + 1) * sizeof(T); }

 private:
  static constexpr std::size_t kBits = 14;
  static constexpr std::size_t kMask = (std::size_t{1} << kBits) - 1;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace nns::trace
