#pragma once

#include <cstdint>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::data {

/// What a file in CIFAR-10's binary layout holds.
struct Cifar {
  std::uint64_t count = 0;
  std::vector<std::byte> labels;  ///< count
  std::vector<std::byte> images;  ///< count x 3 x 32 x 32: red, green, blue
};

/// Reads records of one byte of label and 3,072 of image; also packed by gzip.
/// Errors: a size that is no multiple of 3,073 bytes; a label above 9; more than 4 GiB.
base::Result<Cifar> read_cifar(base::ByteSource& source);

}  // namespace nns::data
