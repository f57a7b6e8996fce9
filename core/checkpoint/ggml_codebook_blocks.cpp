// The types of ggml whose blocks hold places in codebooks. The codebooks are tables of ggml's own header, and all that
// is taken out of it.
#define GGML_COMMON_IMPL_C
#include <ggml-common.h>

#include <bit>
#include <cstdint>
#include <iterator>

#include "core/checkpoint/ggml_blocks.h"
#include "core/tensor/float_formats.h"

namespace nns::checkpoint::ggml {

namespace {

// What the bits of a place can say is what its codebook has: no place leads out of it.
static_assert(std::size(iq2xxs_grid) == 1U << 8U && std::size(iq2xs_grid) == 1U << 9U &&
              std::size(iq2s_grid) == 1U << 10U && std::size(iq3xxs_grid) == 1U << 8U &&
              std::size(iq3s_grid) == 1U << 9U && std::size(iq1s_grid) == 1U << 11U);

constexpr std::size_t kGroups = 8;
/// Vectors of eight numbers in a group.
constexpr std::size_t kVectors = 4;

/// `count` bits of `bits` from bit `from` on.
std::uint32_t bits_at(std::uint32_t bits, std::size_t from, unsigned count) {
  return bits >> from & ((1U << count) - 1U);
}

/// Eight signs out of seven: the last makes the number of minuses even.
unsigned with_last_sign(std::uint32_t seven) { return seven | static_cast<unsigned>(std::popcount(seven) % 2) << 7U; }

/// Eight numbers, the bytes of `numbers` from the lowest on, times the scale; those with a bit in `signs` negative.
float* write_signed(std::uint64_t numbers, unsigned signs, float scale, float* into) {
  for (unsigned i = 0; i < 8; ++i) {
    const float value = static_cast<float>(numbers >> 8 * i & 0xFFU) * scale;
    *into++ = bits_at(signs, i, 1) != 0 ? -value : value;
  }
  return into;
}

/// Eight numbers of -1, 0 and 1, each a byte, with an eighth more or less.
float* write_shifted(std::uint64_t numbers, bool is_less, float scale, float* into) {
  const float shift = is_less ? -0.125F : 0.125F;
  for (unsigned i = 0; i < 8; ++i) {
    const auto number = static_cast<std::int8_t>(numbers >> 8 * i & 0xFFU);
    *into++ = (static_cast<float>(number) + shift) * scale;
  }
  return into;
}

/// Two vectors of four numbers as one of eight.
std::uint64_t joined(std::uint32_t first, std::uint32_t second) { return first | std::uint64_t{second} << 32U; }

/// What 4 bits say of a scale in the types that begin with iq2; iq3_xxs has twice that.
float small_scale(float scale, std::uint32_t bits) { return scale * (0.5F + static_cast<float>(bits)) * 0.25F; }
/// What `bits` say of a scale in the other types: an odd number.
float odd_scale(float scale, std::uint32_t bits) { return scale * static_cast<float>(2 * bits + 1); }

/// Two 16-bit numbers as one of 32 bits, the low one first in either byte order.
std::uint32_t pair_at(const GgmlBlock& block, std::size_t at) { return block.u16(at) | block.u16(at + 2) << 16U; }

}  // namespace

void iq2_xxs(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const std::uint32_t places = pair_at(block, 2 + group * 8);
    const std::uint32_t signs = pair_at(block, 6 + group * 8);
    const float group_scale = small_scale(scale, signs >> 28U);
    for (std::size_t i = 0; i < kVectors; ++i) {
      const unsigned eight = with_last_sign(bits_at(signs, 7 * i, 7));
      into = write_signed(iq2xxs_grid[bits_at(places, 8 * i, 8)], eight, group_scale, into);
    }
  }
}

void iq2_xs(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t vector = 0; vector < kGroups * kVectors; ++vector) {
    const unsigned code = block.u16(2 + vector * 2);
    const unsigned scales = block.u8(66 + vector / 4);
    const float half_scale = small_scale(scale, bits_at(scales, vector % 4 / 2 * 4, 4));
    into = write_signed(iq2xs_grid[bits_at(code, 0, 9)], with_last_sign(bits_at(code, 9, 7)), half_scale, into);
  }
}

void iq2_s(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t vector = 0; vector < kGroups * kVectors; ++vector) {
    const std::uint32_t high = bits_at(block.u8(66 + vector / 4), vector % 4 * 2, 2);
    const unsigned scales = block.u8(74 + vector / 4);
    const float half_scale = small_scale(scale, bits_at(scales, vector % 4 / 2 * 4, 4));
    into = write_signed(iq2s_grid[block.u8(2 + vector) | high << 8U], block.u8(34 + vector), half_scale, into);
  }
}

void iq3_xxs(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const std::uint32_t signs = block.u32(66 + group * 4);
    const float group_scale = 2 * small_scale(scale, signs >> 28U);
    for (std::size_t i = 0; i < kVectors; ++i) {
      const std::size_t at = 2 + group * 8 + i * 2;
      const std::uint64_t numbers = joined(iq3xxs_grid[block.u8(at)], iq3xxs_grid[block.u8(at + 1)]);
      into = write_signed(numbers, with_last_sign(bits_at(signs, 7 * i, 7)), group_scale, into);
    }
  }
}

void iq3_s(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  const auto number = [&](std::size_t at) {
    const std::uint32_t ninth = bits_at(block.u8(66 + at / 8), at % 8, 1);
    return iq3s_grid[block.u8(2 + at) | ninth << 8U];
  };
  for (std::size_t vector = 0; vector < kGroups * kVectors; ++vector) {
    const std::size_t group = vector / kVectors;
    const float group_scale = odd_scale(scale, bits_at(block.u8(106 + group / 2), group % 2 * 4, 4));
    const std::uint64_t numbers = joined(number(vector * 2), number(vector * 2 + 1));
    into = write_signed(numbers, block.u8(74 + vector), group_scale, into);
  }
}

void iq1_s(const GgmlBlock& block, float* into) {
  const float scale = block.f16(0);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const unsigned more = block.u16(34 + group * 2);
    const float group_scale = odd_scale(scale, bits_at(more, 12, 3));
    for (std::size_t i = 0; i < kVectors; ++i) {
      const std::uint32_t place = block.u8(2 + group * 4 + i) | bits_at(more, 3 * i, 3) << 8U;
      into = write_shifted(iq1s_grid[place], bits_at(more, 15, 1) != 0, group_scale, into);
    }
  }
}

void iq1_m(const GgmlBlock& block, float* into) {
  // The scale of scales lies in the top four bits of four numbers, its lowest bits first.
  std::uint32_t scale_bits = 0;
  for (std::size_t i = 0; i < 4; ++i) scale_bits |= bits_at(block.u16(48 + i * 2), 12, 4) << 4 * i;
  const float scale = tensor::half_to_float(static_cast<std::uint16_t>(scale_bits));
  for (std::size_t vector = 0; vector < kGroups * kVectors; ++vector) {
    const std::size_t half = vector / 2;
    const float half_scale = odd_scale(scale, bits_at(block.u16(48 + half / 4 * 2), half % 4 * 3, 3));
    const std::uint32_t more = bits_at(block.u8(32 + half), vector % 2 * 4, 4);
    const std::uint32_t place = block.u8(vector) | bits_at(more, 0, 3) << 8U;
    into = write_shifted(iq1s_grid[place], bits_at(more, 3, 1) != 0, half_scale, into);
  }
}

}  // namespace nns::checkpoint::ggml
