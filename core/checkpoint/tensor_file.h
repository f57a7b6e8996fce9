#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

/// The files that the values of a tensor can become.
enum class TensorFile : std::uint8_t {
  Npy,  ///< NumPy's; dtypes that NumPy has not (bfloat16, fp8, fp4) as float32, which holds each of their values
  Csv,  ///< one line a row of the last dimension, without a head; each number reads back as the same
};

/// A piece of such a file.
struct TensorPiece {
  std::string bytes;
  std::uint64_t next = 0;  ///< the value that the next piece begins with
  std::uint64_t total = 0;
};

/// The piece with about `count` values (at most kMostPieceValues) from `first` on; with the head of the file if `first`
/// is 0. Behaviour: numpy/lib/format.py, version 1.0 and row-major order; RFC 4180 with "\n". Errors: `first` beyond
/// the end; the tensor does not lie inside its storage; reading failed.
base::Result<TensorPiece> read_tensor_file(const ElementSource& source, TensorFile format, std::uint64_t first,
                                           std::uint64_t count);
inline constexpr std::uint64_t kMostPieceValues = 1U << 16U;

}  // namespace nns::checkpoint
