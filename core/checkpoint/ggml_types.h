#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/byte_source.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// One block of a quantised type in memory; numbers of two and four bytes in the order of the file.
struct GgmlBlock {
  const std::byte* bytes = nullptr;
  bool big_endian = false;

  unsigned u8(std::size_t at) const { return static_cast<unsigned>(bytes[at]); }
  int s8(std::size_t at) const { return static_cast<std::int8_t>(bytes[at]); }
  /// The low and the high four bits of a byte.
  int low(std::size_t at) const { return static_cast<int>(u8(at) & 0xFU); }
  int high(std::size_t at) const { return static_cast<int>(u8(at) >> 4U); }
  unsigned u16(std::size_t at) const { return big_endian ? u8(at) << 8U | u8(at + 1) : u8(at) | u8(at + 1) << 8U; }
  std::uint32_t u32(std::size_t at) const {
    return big_endian ? u16(at) << 16U | u16(at + 2) : u16(at) | u16(at + 2) << 16U;
  }
  float f16(std::size_t at) const;
  float f32(std::size_t at) const;
};

/// Writes the numbers of one block.
using GgmlDecode = void (*)(const GgmlBlock& block, float* into);

/// One row of ggml's types. Behaviour: ggml/include/ggml.h, enum ggml_type; ggml/src/ggml-common.h, the block structs.
struct GgmlType {
  std::uint32_t id = 0;  ///< as in files
  std::string_view name;
  std::uint32_t block_values = 1;  ///< rows are whole blocks
  std::uint32_t block_bytes = 1;
  /// What values are read as: the type itself, or float32 for blocks.
  tensor::DType dtype = tensor::DType::Float32;
  GgmlDecode decode = nullptr;  ///< of blocks; null for plain types

  bool is_plain() const { return block_values == 1; }
};

/// The largest number of values in a block.
inline constexpr std::uint32_t kMaxGgmlBlock = 256;

/// Null for numbers that name no type.
const GgmlType* find_ggml_type(std::uint32_t id);
/// "type 4 (Q4_2, which ggml has removed)": what a message calls a number that find_ggml_type() does not know.
std::string unknown_ggml_type(std::uint32_t id);

/// The values of `blocks` as float32, decoded as they are read. Must hold: `type` is not plain, `blocks` is whole
/// blocks. Cost: memory for a few blocks.
std::shared_ptr<base::ByteSource> make_ggml_source(std::shared_ptr<base::ByteSource> blocks, const GgmlType& type,
                                                   bool big_endian);

}  // namespace nns::checkpoint
