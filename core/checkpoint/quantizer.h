#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/byte_source.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// What the stored integers of a quantised tensor stand for: (integer - zero point) x scale, with one pair for the
/// whole tensor, or one for each index along an axis. Behaviour: torch.dequantize of the schemes per_tensor_affine and
/// per_channel_affine, in float32.
struct Quantizer {
  tensor::DType stored{};  ///< qint8, quint8 or qint32
  std::vector<float> scales;
  std::vector<float> zero_points;  ///< as many as scales
  // Where more than one: the pair of storage item i is number (i - first) / stride % scales.size().
  std::uint64_t first = 0;
  std::uint64_t stride = 1;
};

/// The integers of a storage as float32, worked out as they are read.
std::shared_ptr<base::ByteSource> make_dequantized_source(std::shared_ptr<base::ByteSource> integers,
                                                          Quantizer quantizer);

}  // namespace nns::checkpoint
