#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// What the header of a .npy file says.
struct NpyHeader {
  std::uint64_t data_begin = 0;  ///< bytes from the start of the file
  std::uint64_t nbytes = 0;      ///< of the data: of objects, all that follows (a pickle)
  std::string descr;             ///< the dtype as it is written, without quotes: "<f4", "[('x', '<i4')]"; UTF-8
  tensor::DType dtype{};
  bool is_readable = false;     ///< items are numbers of `dtype`
  bool is_object = false;       ///< items are Python objects, which the pickle holds
  std::uint8_t swap_bytes = 1;  ///< the width of the numbers if they are big-endian, else 1
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t numel = 1;
};

/// Reads the header of the .npy file `source`: versions 1.0, 2.0 and 3.0. The header is the text of a Python dict with
/// the keys descr, fortran_order and shape; that is read and nothing else, and never evaluated.
/// Behaviour: numpy/lib/format.py, read_magic, _read_array_header, descr_to_dtype.
/// Errors: another text; a dtype that NumPy does not write; a shape that does not fit; less data than that; with the
/// byte offset.
base::Result<NpyHeader> read_npy_header(base::ByteSource& source);

}  // namespace nns::checkpoint
