#include "core/checkpoint/ggml_blocks.h"

#include <array>
#include <cmath>

#include "core/tensor/float_formats.h"

namespace nns::checkpoint {

float GgmlBlock::f16(std::size_t at) const { return tensor::half_to_float(static_cast<std::uint16_t>(u16(at))); }
float GgmlBlock::f32(std::size_t at) const { return tensor::float_from_bits(u32(at)); }

namespace ggml {

namespace {

constexpr std::size_t kSuper = 256;

/// The 16 numbers of iq4_nl and iq4_xs.
constexpr std::array<int, 16> kNonLinear = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// Two bits of a byte.
int pair_of(unsigned byte, unsigned place) { return static_cast<int>(byte >> (2 * place) & 3U); }

/// The float4_e2m1 in four bits, twice: an integer.
int twice_e2m1(int code) {
  constexpr std::array<int, 8> kMagnitudes = {0, 1, 2, 3, 4, 6, 8, 12};
  const int magnitude = kMagnitudes[static_cast<std::size_t>(code & 7)];
  return (code & 8) != 0 ? -magnitude : magnitude;
}

/// Scale and minimum of group `group` in the 12 bytes at `at`, which q4_k and q5_k share: the first four of each are
/// the low six bits of a byte; the others have four bits in the last four bytes and two on top of the first eight.
struct ScaleAndMinimum {
  int scale = 0;
  int minimum = 0;
};
ScaleAndMinimum packed_scales(const GgmlBlock& block, std::size_t at, std::size_t group) {
  const unsigned first = block.u8(at + group % 4);
  const unsigned second = block.u8(at + 4 + group % 4);
  if (group < 4) return {static_cast<int>(first & 63U), static_cast<int>(second & 63U)};
  const unsigned last = block.u8(at + 8 + group % 4);
  return {static_cast<int>((last & 0xFU) | (first >> 6U) << 4U), static_cast<int>(last >> 4U | (second >> 6U) << 4U)};
}

}  // namespace

void q4_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = static_cast<float>(block.low(2 + i) - 8) * scale;
    into[16 + i] = static_cast<float>(block.high(2 + i) - 8) * scale;
  }
}

void q4_1(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const float minimum = block.f16(2);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = static_cast<float>(block.low(4 + i)) * scale + minimum;
    into[16 + i] = static_cast<float>(block.high(4 + i)) * scale + minimum;
  }
}

void q5_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const std::uint32_t fifth = block.u32(2);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = static_cast<float>(block.low(6 + i) + static_cast<int>((fifth >> i & 1U) << 4U) - 16) * scale;
    into[16 + i] =
        static_cast<float>(block.high(6 + i) + static_cast<int>((fifth >> (16 + i) & 1U) << 4U) - 16) * scale;
  }
}

void q5_1(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const float minimum = block.f16(2);
  const std::uint32_t fifth = block.u32(4);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = static_cast<float>(block.low(8 + i) + static_cast<int>((fifth >> i & 1U) << 4U)) * scale + minimum;
    into[16 + i] =
        static_cast<float>(block.high(8 + i) + static_cast<int>((fifth >> (16 + i) & 1U) << 4U)) * scale + minimum;
  }
}

void q8_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t i = 0; i < 32; ++i) into[i] = static_cast<float>(block.s8(2 + i)) * scale;
}

void q8_1(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t i = 0; i < 32; ++i) into[i] = static_cast<float>(block.s8(4 + i)) * scale;
}

void q1_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t i = 0; i < 128; ++i) into[i] = (block.u8(2 + i / 8) >> (i % 8) & 1U) != 0 ? scale : -scale;
}

void q2_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (unsigned i = 0; i < 64; ++i) into[i] = static_cast<float>(pair_of(block.u8(2 + i / 4), i % 4) - 1) * scale;
}

// In the types of 256 values each half of the values has its own bytes, and within a half neighbouring values lie in
// neighbouring bytes: value i of a half has its two bits in byte i % 32, at place i / 32.

void q2_k(const GgmlBlock& block, float* into) {
  const float scale = block.f16(80);
  const float minimum = block.f16(82);
  for (std::size_t group = 0; group < 16; ++group) {
    const float group_scale = scale * static_cast<float>(block.low(group));
    const float group_minimum = minimum * static_cast<float>(block.high(group));
    const std::size_t bytes = 16 + group / 8 * 32 + group % 2 * 16;
    const auto place = static_cast<unsigned>(group % 8 / 2);
    for (std::size_t i = 0; i < 16; ++i) {
      *into++ = group_scale * static_cast<float>(pair_of(block.u8(bytes + i), place)) - group_minimum;
    }
  }
}

void q3_k(const GgmlBlock& block, float* into) {
  const float scale = block.f16(108);
  for (std::size_t group = 0; group < 16; ++group) {
    // Four bits in the first eight bytes, low ones first; two more in the last four bytes.
    const int low = group < 8 ? block.low(96 + group) : block.high(96 + group - 8);
    const int high = pair_of(block.u8(104 + group % 4), static_cast<unsigned>(group / 4));
    const float group_scale = scale * static_cast<float>((low | high << 4) - 32);
    const std::size_t within = group % 2 * 16;
    const std::size_t bytes = 32 + group / 8 * 32 + within;
    for (std::size_t i = 0; i < 16; ++i) {
      const int value = pair_of(block.u8(bytes + i), static_cast<unsigned>(group % 8 / 2));
      const bool has_third = (block.u8(within + i) >> (group / 2) & 1U) != 0;
      *into++ = group_scale * static_cast<float>(value - (has_third ? 0 : 4));
    }
  }
}

void q4_k(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const float minimum = block.f16(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const ScaleAndMinimum packed = packed_scales(block, 4, group);
    const float group_scale = scale * static_cast<float>(packed.scale);
    const float group_minimum = minimum * static_cast<float>(packed.minimum);
    const std::size_t bytes = 16 + group / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      const int value = group % 2 == 0 ? block.low(bytes + i) : block.high(bytes + i);
      *into++ = group_scale * static_cast<float>(value) - group_minimum;
    }
  }
}

void q5_k(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const float minimum = block.f16(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const ScaleAndMinimum packed = packed_scales(block, 4, group);
    const float group_scale = scale * static_cast<float>(packed.scale);
    const float group_minimum = minimum * static_cast<float>(packed.minimum);
    const std::size_t bytes = 48 + group / 2 * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      const int four = group % 2 == 0 ? block.low(bytes + i) : block.high(bytes + i);
      const int fifth = static_cast<int>(block.u8(16 + i) >> group & 1U);
      *into++ = group_scale * static_cast<float>(four + 16 * fifth) - group_minimum;
    }
  }
}

void q6_k(const GgmlBlock& block, float* into) {
  const float scale = block.f16(208);
  for (std::size_t i = 0; i < kSuper; ++i) {
    // A half's 128 values: the low bits of 64 bytes, then their high bits; two more bits of each as in q2_k.
    const std::size_t half = i / 128;
    const std::size_t within = i % 128;
    const std::size_t byte = half * 64 + within % 64;
    const int four = within < 64 ? block.low(byte) : block.high(byte);
    const int two = pair_of(block.u8(128 + half * 32 + within % 32), static_cast<unsigned>(within / 32));
    into[i] = scale * static_cast<float>(block.s8(192 + i / 16)) * static_cast<float>((four | two << 4) - 32);
  }
}

void q8_k(const GgmlBlock& block, float* into) {
  const float scale = block.f32(0);
  for (std::size_t i = 0; i < kSuper; ++i) into[i] = scale * static_cast<float>(block.s8(4 + i));
}

void tq1_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(52);
  // A byte is its digits as a fraction of 256: multiplying by a power of 3 (the overflow falls away) brings a digit to
  // the front, and multiplying by 3 once more lifts it over 256.
  const auto write = [&](std::size_t begin, std::size_t bytes, unsigned digits) {
    unsigned power = 1;
    for (unsigned digit = 0; digit < digits; ++digit, power *= 3) {
      for (std::size_t i = 0; i < bytes; ++i) {
        const unsigned front = block.u8(begin + i) * power & 0xFFU;
        *into++ = static_cast<float>(static_cast<int>(front * 3 >> 8U) - 1) * scale;
      }
    }
  };
  write(0, 32, 5);
  write(32, 16, 5);
  write(48, 4, 4);
}

void tq2_0(const GgmlBlock& block, float* into) {
  const float scale = block.f16(64);
  for (std::size_t i = 0; i < kSuper; ++i) {
    const int value = pair_of(block.u8(i / 128 * 32 + i % 32), static_cast<unsigned>(i % 128 / 32));
    into[i] = static_cast<float>(value - 1) * scale;
  }
}

void iq4_nl(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = scale * static_cast<float>(kNonLinear[static_cast<std::size_t>(block.low(2 + i))]);
    into[16 + i] = scale * static_cast<float>(kNonLinear[static_cast<std::size_t>(block.high(2 + i))]);
  }
}

void iq4_xs(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const unsigned high_bits = block.u16(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const int low = group % 2 == 0 ? block.low(4 + group / 2) : block.high(4 + group / 2);
    const int high = pair_of(high_bits, static_cast<unsigned>(group));
    const float group_scale = scale * static_cast<float>((low | high << 4) - 32);
    const std::size_t bytes = 8 + group * 16;
    for (std::size_t i = 0; i < 16; ++i) {
      into[i] = group_scale * static_cast<float>(kNonLinear[static_cast<std::size_t>(block.low(bytes + i))]);
      into[16 + i] = group_scale * static_cast<float>(kNonLinear[static_cast<std::size_t>(block.high(bytes + i))]);
    }
    into += 32;
  }
}

void mxfp4(const GgmlBlock& block, float* into) {
  // Half of the scale, because the values are doubled: 2^(byte - 128), for the first two bytes a subnormal.
  const unsigned exponent = block.u8(0);
  const float half_scale = tensor::float_from_bits(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23U);
  for (std::size_t i = 0; i < 16; ++i) {
    into[i] = static_cast<float>(twice_e2m1(block.low(1 + i))) * half_scale;
    into[16 + i] = static_cast<float>(twice_e2m1(block.high(1 + i))) * half_scale;
  }
}

void nvfp4(const GgmlBlock& block, float* into) {
  for (std::size_t group = 0; group < 4; ++group) {
    const unsigned code = block.u8(group);
    const auto mantissa = static_cast<float>(code & 7U);
    const int exponent = static_cast<int>(code >> 3U & 0xFU);
    float scale = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(1.0F + mantissa / 8.0F, exponent - 7);
    if (code == 0x7F) scale = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      into[i] = static_cast<float>(twice_e2m1(block.low(4 + group * 8 + i))) * (scale * 0.5F);
      into[8 + i] = static_cast<float>(twice_e2m1(block.high(4 + group * 8 + i))) * (scale * 0.5F);
    }
    into += 16;
  }
}

}  // namespace ggml

}  // namespace nns::checkpoint
