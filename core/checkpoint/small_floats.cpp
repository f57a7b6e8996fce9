#include "core/checkpoint/small_floats.h"

#include <cmath>

#include "core/checkpoint/ggml_types.h"

namespace nns::checkpoint {

namespace {

/// A sign, then the exponent, then the mantissa; an exponent of zero means a subnormal number.
template <int ExponentBits, int MantissaBits>
float decode_code(unsigned code) {
  constexpr unsigned kMantissa = (1U << MantissaBits) - 1;
  constexpr unsigned kExponent = (1U << ExponentBits) - 1;
  constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  const auto mantissa = static_cast<float>(code & kMantissa) / static_cast<float>(kMantissa + 1);
  const auto exponent = static_cast<int>(code >> MantissaBits & kExponent);
  const float magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - kBias) : std::ldexp(1.0F + mantissa, exponent - kBias);
  return (code >> (ExponentBits + MantissaBits) & 1U) != 0 ? -magnitude : magnitude;
}

template <int ExponentBits, int MantissaBits>
void four_in_three_bytes(const GgmlBlock& block, float* into) {
  const unsigned bits = block.u8(0) | block.u8(1) << 8U | block.u8(2) << 16U;
  for (unsigned at = 0; at < 4; ++at) into[at] = decode_code<ExponentBits, MantissaBits>(bits >> (6 * at) & 0x3FU);
}

void two_in_a_byte(const GgmlBlock& block, float* into) {
  into[0] = decode_code<2, 1>(block.u8(0) & 0xFU);
  into[1] = decode_code<2, 1>(block.u8(0) >> 4U);
}

/// As blocks, which have a source already.
constexpr GgmlType kSmallFloats[] = {
    {0, "F4", 2, 1, tensor::DType::Float32, two_in_a_byte},
    {0, "F6_E2M3", 4, 3, tensor::DType::Float32, four_in_three_bytes<2, 3>},
    {0, "F6_E3M2", 4, 3, tensor::DType::Float32, four_in_three_bytes<3, 2>},
};

const GgmlType* find(std::string_view name) {
  for (const GgmlType& type : kSmallFloats) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace

bool is_small_float(std::string_view type) { return find(type) != nullptr; }

std::shared_ptr<base::ByteSource> make_small_float_source(std::shared_ptr<base::ByteSource> packed,
                                                          std::string_view type) {
  return make_ggml_source(std::move(packed), *find(type), false);
}

}  // namespace nns::checkpoint
