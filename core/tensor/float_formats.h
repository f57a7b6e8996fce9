#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nns::tensor {

/// The bits of a float, and back.
inline std::uint32_t float_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_from_bits(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// What the largest codes of a small float format mean.
enum class SmallFloatRule {
  /// Infinities and NaNs as IEEE 754: float8_e5m2.
  Ieee,
  /// No infinity; all ones is NaN: float8_e4m3fn.
  FiniteNan,
  /// No infinity, no negative zero; 0x80 is the one NaN: the fnuz formats.
  UnsignedZero,
  /// No infinity, no NaN: float4_e2m1fn.
  Finite,
};

/// A float of at most eight bits: one sign bit, then exponent, then mantissa.
template <int ExponentBits, int MantissaBits, int Bias, SmallFloatRule Rule>
struct SmallFloat {
  static constexpr int kBits = 1 + ExponentBits + MantissaBits;
  static constexpr unsigned kMagnitudeMask = (1U << (kBits - 1)) - 1U;
  static constexpr unsigned kSignBit = 1U << (kBits - 1);
  static constexpr unsigned kExponentMax = (1U << ExponentBits) - 1U;

  /// The bits of the float that `code` stands for.
  static constexpr std::uint32_t decode_bits(unsigned code) {
    const std::uint32_t sign = (code & kSignBit) != 0 ? 0x80000000U : 0U;
    const unsigned exponent = (code & kMagnitudeMask) >> MantissaBits;
    unsigned mantissa = code & ((1U << MantissaBits) - 1U);
    if constexpr (Rule == SmallFloatRule::UnsignedZero) {
      if (code == kSignBit) return 0x7FC00000U;
    }
    if constexpr (Rule == SmallFloatRule::FiniteNan) {
      if ((code & kMagnitudeMask) == kMagnitudeMask) return sign | 0x7FC00000U;
    }
    if constexpr (Rule == SmallFloatRule::Ieee) {
      if (exponent == kExponentMax) return sign | (mantissa == 0 ? 0x7F800000U : 0x7FC00000U);
    }
    int unbiased = static_cast<int>(exponent) - Bias;
    if (exponent == 0) {
      if (mantissa == 0) return sign;
      unbiased = 1 - Bias;
      while ((mantissa & (1U << MantissaBits)) == 0) {
        mantissa <<= 1U;
        --unbiased;
      }
      mantissa &= (1U << MantissaBits) - 1U;
    }
    return sign | (static_cast<std::uint32_t>(unbiased + 127) << 23U) | (mantissa << (23 - MantissaBits));
  }

  /// The code nearest to the float with these bits, ties to even; what is too large becomes what torch makes of it.
  static constexpr std::uint8_t encode_bits(std::uint32_t bits) {
    const unsigned sign = (bits >> 31U) != 0 ? kSignBit : 0U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return nan_code(sign);
    const int exponent = static_cast<int>(magnitude >> 23U) - 127;
    // The unit of the last place: of a normal number its exponent's, of a subnormal one the smallest.
    const int smallest_exponent = 1 - Bias;
    const int unit_exponent = (exponent > smallest_exponent ? exponent : smallest_exponent) - MantissaBits;
    const std::uint32_t full = (magnitude & 0x7FFFFFU) | (magnitude >= 0x800000U ? 0x800000U : 0U);
    const int shift = unit_exponent - (exponent < -126 ? -126 : exponent) + 23;
    std::uint32_t units = 0;
    if (shift < 32) {
      units = full >> static_cast<unsigned>(shift);
      const std::uint32_t rest = full & ((1U << static_cast<unsigned>(shift)) - 1U);
      const std::uint32_t half = 1U << static_cast<unsigned>(shift - 1);
      if (rest > half || (rest == half && (units & 1U) != 0)) ++units;
    }
    // A carry out of the mantissa flows into the exponent by itself.
    const int biased = exponent >= smallest_exponent ? exponent + Bias - 1 : 0;
    if (biased > static_cast<int>(kExponentMax)) return overflow_code(sign);
    const unsigned code = (static_cast<unsigned>(biased) << MantissaBits) + units;
    if (code > largest_finite()) return overflow_code(sign);
    if constexpr (Rule == SmallFloatRule::UnsignedZero) {
      if (code == 0) return 0;
    }
    return static_cast<std::uint8_t>(sign | code);
  }

 private:
  static constexpr unsigned largest_finite() {
    if constexpr (Rule == SmallFloatRule::Ieee) return (kExponentMax << MantissaBits) - 1U;
    if constexpr (Rule == SmallFloatRule::FiniteNan) return kMagnitudeMask - 1U;
    return kMagnitudeMask;
  }
  static constexpr std::uint8_t nan_code(unsigned sign) {
    if constexpr (Rule == SmallFloatRule::UnsignedZero) return static_cast<std::uint8_t>(kSignBit);
    if constexpr (Rule == SmallFloatRule::Finite) return static_cast<std::uint8_t>(sign | kMagnitudeMask);
    return static_cast<std::uint8_t>(sign | kMagnitudeMask);
  }
  static constexpr std::uint8_t overflow_code(unsigned sign) {
    if constexpr (Rule == SmallFloatRule::Ieee) {
      return static_cast<std::uint8_t>(sign | (kExponentMax << MantissaBits));
    }
    return nan_code(sign);
  }
};

using Float8E4M3FNFormat = SmallFloat<4, 3, 7, SmallFloatRule::FiniteNan>;
using Float8E5M2Format = SmallFloat<5, 2, 15, SmallFloatRule::Ieee>;
using Float8E4M3FNUZFormat = SmallFloat<4, 3, 8, SmallFloatRule::UnsignedZero>;
using Float8E5M2FNUZFormat = SmallFloat<5, 2, 16, SmallFloatRule::UnsignedZero>;
using Float4E2M1Format = SmallFloat<2, 1, 1, SmallFloatRule::Finite>;

/// The float bits of every code of a format.
template <class Format>
constexpr auto make_decode_table() {
  std::array<std::uint32_t, (std::size_t{1} << Format::kBits)> table{};
  for (std::size_t code = 0; code < table.size(); ++code) {
    table[code] = Format::decode_bits(static_cast<unsigned>(code));
  }
  return table;
}
template <class Format>
inline constexpr auto kDecodeTable = make_decode_table<Format>();

/// The number that a code of each format stands for; exact.
/// Behaviour: c10/util/{Half,BFloat16,Float8_*,Float4_e2m1fn_x2}.h.
inline float bfloat16_to_float(std::uint16_t code) { return float_from_bits(static_cast<std::uint32_t>(code) << 16U); }
inline float half_to_float(std::uint16_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000U) << 16U;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(code & 0x7FFFU) << 13U;
  // 1. Infinity and NaN keep their mantissa. 2. The rest is scaled by 2^112, which also normalises subnormals.
  if (magnitude >= 0x0F800000U) return float_from_bits(sign | magnitude | 0x7F800000U);
  const float scaled = float_from_bits(magnitude) * float_from_bits(0x77800000U);
  return float_from_bits(sign | float_bits(scaled));
}
inline float float8_e4m3fn_to_float(std::uint8_t code) {
  return float_from_bits(kDecodeTable<Float8E4M3FNFormat>[code]);
}
inline float float8_e5m2_to_float(std::uint8_t code) { return float_from_bits(kDecodeTable<Float8E5M2Format>[code]); }
inline float float8_e4m3fnuz_to_float(std::uint8_t code) {
  return float_from_bits(kDecodeTable<Float8E4M3FNUZFormat>[code]);
}
inline float float8_e5m2fnuz_to_float(std::uint8_t code) {
  return float_from_bits(kDecodeTable<Float8E5M2FNUZFormat>[code]);
}
/// 2^(code - 127); 0xFF is NaN; there is no zero.
inline float float8_e8m0fnu_to_float(std::uint8_t code) {
  if (code == 0xFF) return float_from_bits(0x7FC00000U);
  return float_from_bits(code == 0 ? 0x00400000U : static_cast<std::uint32_t>(code) << 23U);
}
/// The two numbers of one byte: [0] the low four bits, [1] the high ones.
inline std::array<float, 2> float4_e2m1fn_x2_to_float(std::uint8_t code) {
  return {float_from_bits(kDecodeTable<Float4E2M1Format>[code & 0xFU]),
          float_from_bits(kDecodeTable<Float4E2M1Format>[code >> 4U])};
}

/// The nearest code of each format, ties to even, as torch converts.
inline std::uint16_t bfloat16_from_float(float value) {
  const std::uint32_t bits = float_bits(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return 0x7FC0;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}
inline std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    // A subnormal: adding 0.5 leaves the rounded code in the low bits of the sum.
    const float sum = float_from_bits(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (float_bits(sum) - 0x3F000000U));
  }
  const std::uint32_t rounded = magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13U) & 1U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}
inline std::uint8_t float8_e4m3fn_from_float(float value) { return Float8E4M3FNFormat::encode_bits(float_bits(value)); }
inline std::uint8_t float8_e5m2_from_float(float value) { return Float8E5M2Format::encode_bits(float_bits(value)); }
inline std::uint8_t float8_e4m3fnuz_from_float(float value) {
  return Float8E4M3FNUZFormat::encode_bits(float_bits(value));
}
inline std::uint8_t float8_e5m2fnuz_from_float(float value) {
  return Float8E5M2FNUZFormat::encode_bits(float_bits(value));
}
/// The sign is dropped, as torch does; infinities become NaN.
inline std::uint8_t float8_e8m0fnu_from_float(float value) {
  const std::uint32_t bits = float_bits(value);
  std::uint32_t exponent = (bits >> 23U) & 0xFFU;
  if (exponent == 0xFFU) return 0xFF;
  const std::uint32_t mantissa = bits & 0x7FFFFFU;
  // 1. More than half goes up. 2. A half goes up unless the implied bit is zero (a subnormal).
  if (mantissa > 0x400000U || (mantissa == 0x400000U && exponent > 0)) ++exponent;
  return static_cast<std::uint8_t>(exponent);
}

}  // namespace nns::tensor
