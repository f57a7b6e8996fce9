#pragma once

#include <cstdint>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::data {

/// What an IDX file of bytes holds: the format of MNIST's images (count x rows x columns) and labels (count).
struct Idx {
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;  ///< row-major
};

/// Reads an IDX file, plain or packed by gzip.
/// Format: two zero bytes, type (8: unsigned bytes), number of axes, each size as 32 bits big endian, the values.
/// Errors: another type, more than 8 axes, a size that is not that of the file, more than 4 GiB.
base::Result<Idx> read_idx(base::ByteSource& source);

}  // namespace nns::data
