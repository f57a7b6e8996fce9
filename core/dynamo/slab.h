#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace nns::dynamo {

/// A row of values that stay where they are while it grows. Cost: one allocation for `kEach` of them.
template <class T, std::size_t kEach = 64>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() {
    for (std::size_t i = size_; i-- > 0;) (*this)[i].~T();
  }

  T& add() {
    if (size_ == parts_.size() * kEach) parts_.emplace_back(new Part);
    T* const made = new (place(size_)) T();
    ++size_;
    return *made;
  }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t at) { return *std::launder(static_cast<T*>(place(at))); }
  const T& operator[](std::size_t at) const { return *std::launder(static_cast<const T*>(place(at))); }
  T& back() { return (*this)[size_ - 1]; }

  template <class Of>
  struct Iterator {
    Of* of;
    std::size_t at;
    auto& operator*() const { return (*of)[at]; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  auto begin() { return Iterator<Slab>{this, 0}; }
  auto end() { return Iterator<Slab>{this, size_}; }
  auto begin() const { return Iterator<const Slab>{this, 0}; }
  auto end() const { return Iterator<const Slab>{this, size_}; }

 private:
  struct Part {
    alignas(T) std::byte bytes[kEach * sizeof(T)];
  };
  void* place(std::size_t at) { return parts_[at / kEach]->bytes + (at % kEach) * sizeof(T); }
  const void* place(std::size_t at) const { return parts_[at / kEach]->bytes + (at % kEach) * sizeof(T); }

  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t size_ = 0;
};

}  // namespace nns::dynamo
