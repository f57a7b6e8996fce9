#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nns::live {

/// An allocator whose items are not set to zero before they are written: a document is megabytes that are filled at
/// once.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {                             // NOLINT(readability-identifier-naming): the standard says so
    using other = UninitializedAllocator<U>;  // NOLINT(readability-identifier-naming)
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

/// The bytes of one message. resize() leaves new ones undefined.
using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;

}  // namespace nns::live
