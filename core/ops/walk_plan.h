#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// How kernels on a GPU find their items. Plain numbers, so that tests on any machine can check them. Not for callers of
// ops.
namespace nns::ops {

/// Division by a number that is known beforehand, by one multiplication and a shift.
/// Must hold: 1 <= divisor; what is divided and the divisor are below 2^31.
/// Behaviour: Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994.
struct Divisor {
  std::uint32_t divisor = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;

  static constexpr Divisor of(std::uint32_t divisor) {
    std::uint32_t shift = 0;
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t excess = (std::uint64_t{1} << shift) - divisor;
    return {divisor, static_cast<std::uint32_t>((excess << 32U) / divisor + 1), shift};
  }
  constexpr std::uint32_t quotient(std::uint32_t number) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t{number} * factor) >> 32U);
    return (high + number) >> shift;
  }
};

/// A walk over the items of one shape in several operands at once: item number i lies offset(operand, i) bytes behind
/// the operand's first one.
template <std::size_t operands>
struct WalkPlan {
  static constexpr std::int32_t kMostDims = 12;
  struct Dim {
    std::int64_t size = 1;
    Divisor divisor;
    /// Units: bytes.
    std::int64_t strides[operands] = {};
  };
  std::int64_t count = 1;
  std::int32_t dims = 0;
  /// All item numbers are below 2^31.
  bool is_small = true;
  Dim dim[kMostDims];

  /// Adds a dimension outside of those that are there; one that continues the last in all operands becomes part of it.
  /// False: there is no room for it.
  constexpr bool add(std::int64_t size, const std::int64_t (&strides)[operands]) {
    count *= size;
    is_small = count < (std::int64_t{1} << 31U);
    if (size == 1) return true;
    if (dims > 0) {
      Dim& last = dim[dims - 1];
      bool continues = last.size * size < (std::int64_t{1} << 31U);
      for (std::size_t i = 0; i < operands; ++i) continues = continues && strides[i] == last.strides[i] * last.size;
      if (continues) {
        set_size(last, last.size * size);
        return true;
      }
    }
    if (dims == kMostDims) return false;
    Dim& next = dim[dims++];
    set_size(next, size);
    for (std::size_t i = 0; i < operands; ++i) next.strides[i] = strides[i];
    return true;
  }

  /// Makes `group` items that lie in a row one item; what is left of the only dimension is dropped. Must hold: there is
  /// a dimension, and the innermost one of several is divisible by `group`.
  constexpr void join_items(std::int64_t group) {
    count /= group;
    is_small = count < (std::int64_t{1} << 31U);
    set_size(dim[0], dim[0].size / group);
    for (std::int64_t& stride : dim[0].strides) stride *= group;
  }

  /// The offsets of item `number` in all operands. Units: bytes.
  constexpr void offsets(std::int64_t number, std::int64_t (&out)[operands]) const {
    for (std::size_t i = 0; i < operands; ++i) out[i] = 0;
    if (is_small) {
      auto rest = static_cast<std::uint32_t>(number);
      for (std::int32_t k = 0; k < dims; ++k) {
        const std::uint32_t above = k + 1 == dims ? 0 : dim[k].divisor.quotient(rest);
        const std::uint32_t at = rest - above * static_cast<std::uint32_t>(dim[k].size);
        for (std::size_t i = 0; i < operands; ++i) out[i] += at * dim[k].strides[i];
        rest = above;
      }
      return;
    }
    for (std::int32_t k = 0; k < dims; ++k) {
      const std::int64_t above = k + 1 == dims ? 0 : number / dim[k].size;
      const std::int64_t at = number - above * dim[k].size;
      for (std::size_t i = 0; i < operands; ++i) out[i] += at * dim[k].strides[i];
      number = above;
    }
  }

 private:
  static constexpr void set_size(Dim& dim, std::int64_t size) {
    dim.size = size;
    if (size > 0 && size < (std::int64_t{1} << 31U)) dim.divisor = Divisor::of(static_cast<std::uint32_t>(size));
  }
};

/// Blocks for `count` threads' worth of work. Must hold: threads > 0. At most 2^31 - 1, what a grid can have: kernels
/// go round where there is more.
constexpr std::uint32_t blocks_for(std::int64_t count, std::int64_t threads) {
  const std::int64_t wanted = (count + threads - 1) / threads;
  constexpr std::int64_t kMost = (std::int64_t{1} << 31U) - 1;
  return static_cast<std::uint32_t>(wanted < 1 ? 1 : wanted > kMost ? kMost : wanted);
}

/// How the 256 threads of a block share results of a reduction: `results` of them, each made by `workers` threads.
struct ReductionLanes {
  std::uint32_t results = 1;
  std::uint32_t workers = 256;
  /// Neighbouring threads work for neighbouring results; else on neighbouring items of one result.
  bool results_are_neighbours = false;
  /// Blocks that share each result; their parts are put together by a second kernel.
  std::uint32_t parts = 1;
};

/// `items` are reduced to each of `results`. `results_are_close`: neighbouring results lie closer in memory than the
/// items of one. `processors`: of the device.
constexpr ReductionLanes reduction_lanes(std::int64_t results, std::int64_t items, bool results_are_close,
                                         std::int64_t processors) {
  constexpr std::uint32_t kThreads = 256;
  ReductionLanes lanes;
  lanes.results_are_neighbours = results_are_close;
  if (results_are_close) {
    lanes.results = 32;
    lanes.workers = kThreads / 32;
  } else {
    // A thread has four items at least, a result no less than one thread.
    lanes.workers = kThreads;
    while (lanes.workers > 1 && static_cast<std::int64_t>(lanes.workers) * 4 > items) lanes.workers /= 2;
    lanes.results = kThreads / lanes.workers;
  }
  const std::int64_t blocks = (results + lanes.results - 1) / lanes.results;
  // Enough blocks to fill the device, as long as each thread keeps 16 items.
  std::int64_t parts = blocks > 0 ? processors * 4 / blocks : 1;
  const std::int64_t most = items / (static_cast<std::int64_t>(lanes.workers) * 16);
  if (parts > most) parts = most;
  if (parts > 512) parts = 512;
  lanes.parts = parts < 1 ? 1 : static_cast<std::uint32_t>(parts);
  return lanes;
}

/// The same of results whose items lie side by side: `pieces` of several items are reduced to each.
constexpr ReductionLanes line_lanes(std::int64_t results, std::int64_t pieces, std::int64_t processors) {
  ReductionLanes lanes;
  const auto blocks = [&] { return (results + lanes.results - 1) / lanes.results; };
  const auto halve = [&] {
    lanes.workers /= 2;
    lanes.results *= 2;
  };
  // A thread has four pieces at least where there are so many; a warp is enough where there are many results.
  while (lanes.workers > 1 && static_cast<std::int64_t>(lanes.workers) * 4 > pieces) halve();
  while (lanes.workers > 32 && blocks() > processors * 16) halve();
  const std::int64_t most = pieces / (static_cast<std::int64_t>(lanes.workers) * 8);
  std::int64_t parts = blocks() > 0 ? processors * 4 / blocks() : 1;
  if (parts > most) parts = most;
  if (parts > 1024) parts = 1024;
  lanes.parts = parts < 1 ? 1 : static_cast<std::uint32_t>(parts);
  return lanes;
}

}  // namespace nns::ops
