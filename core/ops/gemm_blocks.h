#pragma once

#include <cstdint>

#include "core/ops/gemm.h"

// What gemm.cpp and its kernels share. Not for callers of gemm().
namespace nns::ops {

/// How a product is cut so that each part stays in a cache. Units: items.
struct GemmBlocks {
  /// A panel of b, at most kDepth items deep, stays in the first cache while the rows of a pass over it.
  static constexpr std::int64_t kDepth = 320;
  /// A block of a stays in the second cache.
  static constexpr std::int64_t kRows = 240;
  static constexpr std::int64_t kColumns = 3072;
};

/// Where packed panels lie: grown once, then used again.
template <class T>
class GemmScratch {
 public:
  GemmScratch() = default;
  GemmScratch(const GemmScratch&) = delete;
  GemmScratch& operator=(const GemmScratch&) = delete;
  ~GemmScratch() { ::operator delete[](items_, std::align_val_t(kAlignment)); }

  /// Aligned for any vector.
  T* at_least(std::int64_t count) {
    if (count > count_) {
      ::operator delete[](items_, std::align_val_t(kAlignment));
      items_ =
          static_cast<T*>(::operator new[](static_cast<std::size_t>(count) * sizeof(T), std::align_val_t(kAlignment)));
      count_ = count;
    }
    return items_;
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  T* items_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace nns::ops
