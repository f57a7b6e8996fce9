#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tensor/random_law.h"

namespace nns::tensor {

/// PyTorch's random numbers on the CPU: the same seed gives the same numbers.
/// Behaviour: ATen/core/MT19937RNGEngine.h, ATen/core/{DistributionsHelper,TransformationHelper}.h.
class Generator {
 public:
  /// What an unseeded generator of PyTorch starts with.
  static constexpr std::uint64_t kDefaultSeed = 67280421310721U;

  explicit Generator(std::uint64_t seed = kDefaultSeed) { seed_with(seed); }

  void seed_with(std::uint64_t seed);
  std::uint64_t initial_seed() const { return seed_; }

  /// Its stream on a GPU, which is seeded by itself.
  PhiloxState philox{};

  /// Bytes of a state as PyTorch keeps it, and of one that older versions wrote.
  static constexpr std::size_t kStateBytes = 5056;
  static constexpr std::size_t kLegacyStateBytes = 5048;
  /// All that decides the next numbers, byte for byte what Generator.get_state() gives.
  /// Behaviour: aten/src/ATen/CPUGeneratorImpl.cpp, get_state.
  std::array<std::uint8_t, kStateBytes> state_bytes() const;
  /// Goes on from such a state; false if the bytes are none (then nothing has changed).
  /// Must hold: kStateBytes or kLegacyStateBytes of them.
  bool set_state_bytes(std::span<const std::uint8_t> bytes);

  /// 32 or 64 random bits.
  std::uint32_t random32() {
    if (next_ == kStateSize) refill();
    std::uint32_t y = state_[next_++];
    y ^= y >> 11U;
    y ^= (y << 7U) & 0x9D2C5680U;
    y ^= (y << 15U) & 0xEFC60000U;
    return y ^ (y >> 18U);
  }
  std::uint64_t random64() {
    const std::uint64_t high = random32();
    return (high << 32U) | random32();
  }

  /// Uniform in [0, 1), with the digits of the type.
  float uniform_float() { return static_cast<float>(random32() & 0xFFFFFFU) * 0x1p-24F; }
  double uniform_double() { return static_cast<double>(random64() & 0x1FFFFFFFFFFFFFU) * 0x1p-53; }

  /// One number of the standard normal distribution, as PyTorch draws fewer than 16.
  double normal_double();
  /// torch.normal_ on `count` floats that lie in order.
  void fill_normal(float* data, std::int64_t count, float mean, float deviation);
  /// torch.uniform_ on floats and doubles that lie in order.
  void fill_uniform(float* data, std::int64_t count, double from, double to);
  void fill_uniform(double* data, std::int64_t count, double from, double to);

 private:
  static constexpr std::size_t kStateSize = 624;
  void refill();
  void normal_sixteen(float* data, float mean, float deviation);

  std::array<std::uint32_t, kStateSize> state_{};
  std::size_t next_ = kStateSize;
  // Whether nothing was drawn since it was seeded.
  bool is_fresh_ = true;
  std::uint64_t seed_ = 0;
  std::optional<double> second_normal_;
};

}  // namespace nns::tensor
