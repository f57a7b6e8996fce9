#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nns::base {

/// Mixes two words into one; every bit of both reaches every bit of the result.
inline std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  x ^= (x >> 29U) ^ b;
  x *= 0x94D049BB133111EBU;
  x ^= x >> 32U;
  x *= 0xD6E8FEB86659FD93U;
  return x ^ (x >> 32U);
}

/// A hash of `text` for tables in memory: fast, the same on every platform, not for storage or security.
inline std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  while (left >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0x9FB21C651E98DF25U;
    hash ^= hash >> 32U;
    at += 8;
    left -= 8;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, left);
  return hash_mix(hash, word);
}

}  // namespace nns::base
