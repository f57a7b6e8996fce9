#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/tensor/dtype.h"

// How a step of many parameters is one launch on a GPU. Plain numbers, so that tests on any machine can check them. Not
// for callers of optim.
namespace nns::optim {

inline constexpr std::size_t kMostStates = 4;

/// The memory of one update: parameter, gradient and state lie alike.
struct Rows {
  std::byte* param = nullptr;
  const std::byte* grad = nullptr;
  std::array<std::byte*, kMostStates> state{};
};

/// The parameters of one launch: each has blocks of its own, one for every kItems items.
template <class Options, class Scalars>
struct StepWork {
  /// So many fit into what a kernel takes as its arguments (32,764 bytes) and leave room.
  static constexpr std::uint32_t kMostLanes = 192;
  static constexpr std::int64_t kItems = 4096;
  struct Lane {
    Rows rows;
    /// Numbers: items, twice as many for complex dtypes.
    std::int64_t count = 0;
    std::uint32_t first_block = 0;
    Scalars scalars;
  };
  Options options;
  /// Of parameters, gradients and state: Float32, Float64, BFloat16 or Float16.
  tensor::DType dtype = tensor::DType::Float32;
  std::uint32_t lanes = 0;
  std::uint32_t blocks = 0;
  Lane lane[kMostLanes];

  constexpr bool is_full() const { return lanes == kMostLanes; }
  /// Must hold: not full.
  constexpr void add(const Rows& rows, std::int64_t count, const Scalars& scalars) {
    if (count == 0) return;
    lane[lanes++] = {rows, count, blocks, scalars};
    blocks += static_cast<std::uint32_t>((count + kItems - 1) / kItems);
  }
  /// The parameter that a block works on. Must hold: block < blocks.
  constexpr std::uint32_t lane_of(std::uint32_t block) const {
    std::uint32_t low = 0, high = lanes;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (lane[middle].first_block <= block)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};

}  // namespace nns::optim
