#pragma once

#include <cstdint>

#include "core/tensor/random_law.h"

// Which weights of an attention dropout keeps: decided by place, so that the backward pass and a kernel in any order
// decide alike. Not for callers of ops.
namespace nns::ops {

/// Four neighbours (two queries by two keys) share a counter of Philox; each pair of queries of a matrix has a
/// sequence.
struct AttentionDropout {
  bool is_on = false;
  /// What is kept is multiplied by it: 1 / (1 - p).
  float scale = 1;
  /// What is kept: numbers below it.
  std::uint64_t threshold = 0;
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;

  static constexpr AttentionDropout of(double p, std::uint64_t seed, std::uint64_t offset) {
    if (p <= 0) return {};
    const double kept = p < 1 ? 1 - p : 0;
    return {true, kept > 0 ? static_cast<float>(1 / kept) : 0.0F, static_cast<std::uint64_t>(kept * 0x1p32), seed,
            offset / 4};
  }
  /// How far a call moves the offset of the generator.
  static constexpr std::uint64_t used(std::int64_t keys) { return static_cast<std::uint64_t>(keys + 1) / 2 * 4; }

  /// The numbers of queries and keys 2 * pair and 2 * pair + 1: that of an odd query two, of an odd key one further.
  constexpr tensor::PhiloxNumbers numbers(std::int64_t batch, std::int64_t queries, std::int64_t query_pair,
                                          std::int64_t key_pair) const {
    const std::int64_t sequence = batch * ((queries + 1) / 2) + query_pair;
    return tensor::philox_numbers(seed, static_cast<std::uint64_t>(sequence),
                                  counter + static_cast<std::uint64_t>(key_pair));
  }
  constexpr float factor(std::uint32_t number) const { return number < threshold ? scale : 0.0F; }
  /// Of one weight.
  constexpr float factor(std::int64_t batch, std::int64_t queries, std::int64_t query, std::int64_t key) const {
    return factor(numbers(batch, queries, query / 2, key / 2).of[query % 2 * 2 + key % 2]);
  }
};

}  // namespace nns::ops
