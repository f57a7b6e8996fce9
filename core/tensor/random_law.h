#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

// Random numbers as PyTorch draws them on a GPU: by counting, so that each thread makes its own.
namespace nns::tensor {

/// Where a stream of Philox stands. Each thread has a sequence of its own; `offset` is what all have used of theirs.
/// Units of offset: numbers of 32 bits, a multiple of 4.
/// Behaviour: aten/src/ATen/cuda/CUDAGeneratorImpl.cpp.
struct PhiloxState {
  std::uint64_t seed = 67280421310721U;
  std::uint64_t offset = 0;
};

/// The four numbers of one counter of one sequence.
struct PhiloxNumbers {
  std::uint32_t of[4];
};
/// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011), Philox4x32-10; the parts of the counter
/// as cuRAND has them.
constexpr PhiloxNumbers philox_numbers(std::uint64_t seed, std::uint64_t sequence, std::uint64_t counter) {
  std::uint32_t c[4] = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
                        static_cast<std::uint32_t>(sequence), static_cast<std::uint32_t>(sequence >> 32U)};
  std::uint32_t low_key = static_cast<std::uint32_t>(seed), high_key = static_cast<std::uint32_t>(seed >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53U} * c[0], second = std::uint64_t{0xCD9E8D57U} * c[2];
    const std::uint32_t crossed[4] = {
        static_cast<std::uint32_t>(second >> 32U) ^ c[1] ^ low_key, static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32U) ^ c[3] ^ high_key, static_cast<std::uint32_t>(first)};
    for (int i = 0; i < 4; ++i) c[i] = crossed[i];
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

/// What items are drawn from.
struct RandomLaw {
  enum class Kind : std::uint8_t {
    /// Of [first, second).
    Uniform,
    /// With mean `first` and standard deviation `second`.
    Normal,
    /// 1 with probability `first`, else 0.
    Bernoulli,
    /// At the rate `first`.
    Exponential,
    /// Whole numbers of `range` from `base` on; a range of 0: all 64 bits.
    Integers
  };
  Kind kind = Kind::Uniform;
  /// Two numbers of 64 bits are made of one counter, else four of 32.
  bool is_wide = false;
  /// How many neighbouring items a thread makes, of the first numbers of a counter and, beyond four, of the next one's;
  /// 1: it makes items that lie as far from each other as there are threads, of all numbers of a counter.
  std::uint32_t neighbours = 1;
  double first = 0, second = 1;
  std::int64_t base = 0;
  std::uint64_t range = 0;
};

/// How many threads share a draw, and how far it moves the offset.
struct DrawPlan {
  std::uint32_t blocks = 1;
  std::uint64_t used = 4;
  static constexpr std::uint32_t kThreads = 256;
};
/// `most_blocks`: so many of 256 threads run on the device at once. Must hold: count > 0.
/// Behaviour: aten/src/ATen/native/cuda/DistributionTemplates.h, calc_execution_policy.
constexpr DrawPlan draw_plan(std::uint64_t count, bool is_wide, std::uint32_t most_blocks) {
  const std::uint64_t wanted = (count + DrawPlan::kThreads - 1) / DrawPlan::kThreads;
  DrawPlan made;
  made.blocks = wanted < most_blocks ? static_cast<std::uint32_t>(wanted) : most_blocks;
  const std::uint64_t at_once = std::uint64_t{DrawPlan::kThreads} * made.blocks * (is_wide ? 2 : 4);
  made.used = ((count - 1) / at_once + 1) * 4;
  return made;
}

}  // namespace nns::tensor
