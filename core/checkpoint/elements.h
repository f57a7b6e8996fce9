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

  std::uint64_t numel() const;
  bool is_contiguous() const;
};

/// Values `first` .. `first + into.size()` in row-major order, as double (complex: magnitude; bool: 0 or 1; exact for
/// integers below 2^53). Errors: a range outside the storage; reading failed.
base::Result<void> read_values(const ElementSource& source, std::uint64_t first, std::span<double> into);

}  // namespace nns::checkpoint
