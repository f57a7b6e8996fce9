#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

// Items as whole numbers that stand in the order of the items. Plain numbers, so that tests on any machine can check
// them. Not for callers of ops.
namespace nns::ops {

/// Makes a key of the bits of an item: a < b where the item of a stands before that of b, equal where neither does. NaN
/// is larger than any number, -0 is 0.
struct SortKeys {
  std::uint32_t bits = 32;
  /// Of floats the bits of infinity; 0: whole numbers.
  std::uint64_t infinity = 0;
  bool is_signed = false;
  bool descends = false;

  static constexpr SortKeys of(tensor::DType dtype, bool descends) {
    using tensor::DType;
    SortKeys made;
    made.bits = tensor::item_bytes(dtype) * 8;
    made.descends = descends;
    if (dtype == DType::Float64) made.infinity = 0x7FF0000000000000U;
    if (dtype == DType::Float32) made.infinity = 0x7F800000U;
    if (dtype == DType::BFloat16) made.infinity = 0x7F80U;
    if (dtype == DType::Float16) made.infinity = 0x7C00U;
    made.is_signed = tensor::info(dtype).kind == tensor::DTypeKind::Signed;
    return made;
  }
  constexpr bool is_floating() const { return infinity != 0; }
  constexpr std::uint64_t ones() const { return ~std::uint64_t{0} >> (64 - bits); }
  constexpr std::uint64_t key(std::uint64_t item) const {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    std::uint64_t made = is_signed ? item ^ sign : item;
    if (is_floating()) {
      const std::uint64_t size = item & ~sign;
      if (size > infinity)
        made = ones();
      else if (size == 0)
        made = sign;
      else
        made = (item & sign) != 0 ? ~item & ones() : item | sign;
    }
    return descends ? made ^ ones() : made;
  }
  /// The key of what is not a number. Must hold: is_floating().
  constexpr std::uint64_t of_nan() const { return descends ? 0 : ones(); }
};

/// Which item of a sorted line is asked for.
struct SortRank {
  enum class Kind : std::uint8_t { Given, Median, MedianOfNumbers };
  Kind kind = Kind::Given;
  std::int64_t given = 0;

  /// Counted from 0, in a line of `length` items, `numbers` of which are numbers: a median is the lower of the two in
  /// the middle, of a line with a NaN the first of these, unless they are left out.
  constexpr std::int64_t of(std::int64_t length, std::int64_t numbers) const {
    if (kind == Kind::Given) return given;
    if (kind == Kind::Median && numbers < length) return numbers;
    return numbers > 0 ? (numbers - 1) / 2 : 0;
  }
};

}  // namespace nns::ops
