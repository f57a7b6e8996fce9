#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// A tensor's values over some bytes, file or memory: reads elements in logical (row-major) order whatever the strides.
struct ElementSource {
  std::shared_ptr<base::ByteSource> bytes;  ///< exactly the storage
  tensor::DType dtype{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  ///< elements
  std::uint64_t storage_offset = 0;  ///< elements

  /// Product of the shape; 1 for a scalar.
  std::uint64_t numel() const;
  bool is_contiguous() const;
  /// Numbers in the tensor: numel(), twice as many where an item packs two (float4_e2m1fn_x2, which doubles the last
  /// dimension).
  std::uint64_t value_count() const;

  /// Every element lies inside `bytes`, and no count overflows. Must be asked before values are read.
  /// Errors: names what is too large or too short.
  base::Result<void> check() const;
};

/// Numbers in one item of a dtype: 2 for float4_e2m1fn_x2, else 1.
std::uint32_t values_per_item(tensor::DType dtype);

/// Values `first` .. `first + into.size()` in row-major order, as double (complex: magnitude; bool: 0 or 1; exact for
/// integers below 2^53; quantised: the stored integer). Errors: a range outside the storage; reading failed.
base::Result<void> read_values(const ElementSource& source, std::uint64_t first, std::span<double> into);

}  // namespace nns::checkpoint
