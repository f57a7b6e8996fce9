#include "core/tensor/float_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nns::tensor {
namespace {

// What the bits of a small format mean, computed with ldexp from the definition.
double by_definition(unsigned code, int exponent_bits, int mantissa_bits, int bias) {
  const unsigned sign = code >> static_cast<unsigned>(exponent_bits + mantissa_bits);
  const unsigned exponent =
      (code >> static_cast<unsigned>(mantissa_bits)) & ((1U << static_cast<unsigned>(exponent_bits)) - 1U);
  const unsigned mantissa = code & ((1U << static_cast<unsigned>(mantissa_bits)) - 1U);
  const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, static_cast<int>(exponent) - bias);
  return sign != 0 ? -magnitude : magnitude;
}

bool same(float a, float b) { return float_bits(a) == float_bits(b) || (std::isnan(a) && std::isnan(b)); }

// Checks that every float halfway between, just below and just above two neighbours goes to the right one.
template <class Encode, class Decode>
void expect_round_to_nearest_even(Encode encode, Decode decode, unsigned largest_finite) {
  for (unsigned code = 0; code < largest_finite; ++code) {
    const float low = decode(code);
    const float high = decode(code + 1);
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(encode(std::nextafter(middle, low)), code) << code;
    EXPECT_EQ(encode(std::nextafter(middle, high)), code + 1) << code;
    EXPECT_EQ(encode(middle), (code & 1U) == 0 ? code : code + 1) << code;
  }
}

TEST(HalfToFloat, EveryCodeIsWhatItsDefinitionSays) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const float value = half_to_float(static_cast<std::uint16_t>(code));
    if ((code & 0x7C00U) == 0x7C00U) {
      if ((code & 0x3FFU) != 0) {
        EXPECT_TRUE(std::isnan(value));
      } else {
        EXPECT_TRUE(std::isinf(value));
        EXPECT_EQ(std::signbit(value), (code >> 15U) != 0);
      }
    } else {
      EXPECT_EQ(static_cast<double>(value), by_definition(code, 5, 10, 15)) << code;
      EXPECT_EQ(std::signbit(value), (code >> 15U) != 0);
    }
  }
}

TEST(HalfFromFloat, EveryCodeComesBackAndTiesGoToEven) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const float value = half_to_float(static_cast<std::uint16_t>(code));
    if (!std::isnan(value)) {
      EXPECT_EQ(half_from_float(value), code);
    }
  }
  expect_round_to_nearest_even([](float v) { return half_from_float(v); },
                               [](unsigned c) { return half_to_float(static_cast<std::uint16_t>(c)); }, 0x7BFF);
  EXPECT_EQ(half_from_float(65519.996F), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(half_from_float(-std::numeric_limits<float>::infinity()), 0xFC00);
}

TEST(BFloat16, EveryCodeComesBackAndTiesGoToEven) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const float value = bfloat16_to_float(static_cast<std::uint16_t>(code));
    EXPECT_EQ(float_bits(value), code << 16U);
    if (!std::isnan(value)) {
      EXPECT_EQ(bfloat16_from_float(value), code);
    }
  }
  expect_round_to_nearest_even([](float v) { return bfloat16_from_float(v); },
                               [](unsigned c) { return bfloat16_to_float(static_cast<std::uint16_t>(c)); }, 0x7F7F);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(bfloat16_from_float(std::nanf("")))));
}

TEST(Float8E4M3FN, EveryCodeIsWhatItsDefinitionSaysAndComesBack) {
  for (unsigned code = 0; code < 256; ++code) {
    const float value = float8_e4m3fn_to_float(static_cast<std::uint8_t>(code));
    if ((code & 0x7FU) == 0x7FU) {
      EXPECT_TRUE(std::isnan(value));
    } else {
      EXPECT_EQ(static_cast<double>(value), by_definition(code, 4, 3, 7));
      EXPECT_EQ(float8_e4m3fn_from_float(value), code);
    }
  }
  expect_round_to_nearest_even([](float v) { return float8_e4m3fn_from_float(v); },
                               [](unsigned c) { return float8_e4m3fn_to_float(static_cast<std::uint8_t>(c)); }, 0x7E);
}

TEST(Float8E4M3FN, WhatIsTooLargeBecomesNan) {
  EXPECT_EQ(float8_e4m3fn_from_float(448.0F), 0x7E);
  EXPECT_EQ(float8_e4m3fn_from_float(464.0F), 0x7E);
  EXPECT_EQ(float8_e4m3fn_from_float(465.0F), 0x7F);
  EXPECT_EQ(float8_e4m3fn_from_float(-1e30F), 0xFF);
}

TEST(Float8E5M2, EveryCodeIsWhatItsDefinitionSaysAndComesBack) {
  for (unsigned code = 0; code < 256; ++code) {
    const float value = float8_e5m2_to_float(static_cast<std::uint8_t>(code));
    if ((code & 0x7CU) == 0x7CU) {
      EXPECT_EQ(std::isnan(value), (code & 3U) != 0);
      EXPECT_EQ(std::isinf(value), (code & 3U) == 0);
    } else {
      EXPECT_EQ(static_cast<double>(value), by_definition(code, 5, 2, 15));
      EXPECT_EQ(float8_e5m2_from_float(value), code);
    }
  }
  expect_round_to_nearest_even([](float v) { return float8_e5m2_from_float(v); },
                               [](unsigned c) { return float8_e5m2_to_float(static_cast<std::uint8_t>(c)); }, 0x7B);
  EXPECT_EQ(float8_e5m2_from_float(61440.0F), 0x7C);
  EXPECT_EQ(float8_e5m2_from_float(61439.0F), 0x7B);
}

TEST(Float8FNUZ, EveryCodeIsWhatItsDefinitionSaysAndComesBack) {
  for (unsigned code = 0; code < 256; ++code) {
    const float four = float8_e4m3fnuz_to_float(static_cast<std::uint8_t>(code));
    const float five = float8_e5m2fnuz_to_float(static_cast<std::uint8_t>(code));
    if (code == 0x80) {
      EXPECT_TRUE(std::isnan(four));
      EXPECT_TRUE(std::isnan(five));
      continue;
    }
    EXPECT_EQ(static_cast<double>(four), by_definition(code, 4, 3, 8));
    EXPECT_EQ(static_cast<double>(five), by_definition(code, 5, 2, 16));
    EXPECT_EQ(float8_e4m3fnuz_from_float(four), code);
    EXPECT_EQ(float8_e5m2fnuz_from_float(five), code);
  }
  EXPECT_EQ(float8_e4m3fnuz_from_float(1e9F), 0x80);
  EXPECT_EQ(float8_e5m2fnuz_from_float(-0.0F), 0x00);
}

TEST(Float8E8M0FNU, EveryCodeIsAPowerOfTwoAndComesBack) {
  for (unsigned code = 0; code < 255; ++code) {
    const float value = float8_e8m0fnu_to_float(static_cast<std::uint8_t>(code));
    EXPECT_EQ(static_cast<double>(value), std::ldexp(1.0, static_cast<int>(code) - 127));
    if (code > 0) {
      EXPECT_EQ(float8_e8m0fnu_from_float(value), code);
    }
  }
  EXPECT_TRUE(std::isnan(float8_e8m0fnu_to_float(0xFF)));
  EXPECT_EQ(float8_e8m0fnu_from_float(1.5F), 128);
  EXPECT_EQ(float8_e8m0fnu_from_float(1.49F), 127);
}

TEST(Float4E2M1, BothHalvesOfAByteAreRead) {
  const std::vector<float> values = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};
  for (unsigned code = 0; code < 256; ++code) {
    const auto pair = float4_e2m1fn_x2_to_float(static_cast<std::uint8_t>(code));
    EXPECT_TRUE(same(pair[0], values[code & 15U]));
    EXPECT_TRUE(same(pair[1], values[code >> 4U]));
  }
}

}  // namespace
}  // namespace nns::tensor
