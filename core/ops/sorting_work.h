#pragma once

#include "core/ops/cuda_elements.h"
#include "core/ops/sort_keys.h"

// Sorting lines of items and choosing some of them by rank, on a GPU. Not for callers of ops.
namespace nns::ops {

/// So many items a block sorts at once.
inline constexpr std::int64_t kSortTile = 2048;
/// Lines as long as this have no kernel: a place in a line has 32 bits.
inline constexpr std::int64_t kLongestSortedLine = (std::int64_t{1} << 32U) - 1;

/// Lines of one tensor, and where what is chosen of them goes.
struct SortedLines {
  /// Operand 0: the input, 1: the chosen items, 2: their places in the line.
  WalkPlan<3> lines;
  std::int64_t length = 0;
  /// From item to item of a line. Units: bytes.
  std::int64_t in_stride = 0, value_stride = 0, place_stride = 0;
  const std::byte* in = nullptr;
  std::byte* values = nullptr;
  std::byte* places = nullptr;
  std::int32_t item_bytes = 4;
  SortKeys keys;
  /// Neighbouring lines lie closer than the items of one.
  bool lies_across = false;
  /// Those that a launch works on.
  std::int64_t first_line = 0, line_count = 0;
};

/// Keys with the places of their items, `stride` of them a line.
struct SortPairs {
  /// Of 4 bytes, where items have no more, else of 8.
  std::byte* keys = nullptr;
  std::uint32_t* places = nullptr;
  std::int64_t stride = 0;
};
constexpr std::int64_t key_bytes(const SortKeys& keys) { return keys.bits > 32 ? 8 : 4; }
constexpr std::int64_t pair_bytes(const SortKeys& keys) { return key_bytes(keys) + 4; }

/// What a sort takes and gives. Equal keys keep the order of their places.
struct SortWork {
  SortedLines lines;
  /// Pairs a line: of the input itself, or those in `from`.
  std::int64_t count = 0;
  SortPairs from = {};
  /// Where the pairs go; none: items and places to the outputs.
  SortPairs to = {};
  /// So many of each line go to the outputs.
  std::int64_t taken = 0;
  /// In place of these the one of this rank.
  bool takes_rank = false;
  SortRank rank = {};
};
/// Sorts each kSortTile pairs by themselves. Outputs only where a line is no longer; takes_rank only there.
void launch_sort_tiles(const SortWork& work, StreamHandle stream);
/// Merges sorted runs of `run` pairs of `from`, two by two. Must hold: run is a multiple of kSortTile.
void launch_sort_merge(const SortWork& work, std::int64_t run, StreamHandle stream);
/// The place of the item that comes most often: of several the smallest, of its places the last. `from` is sorted.
void launch_mode(const SortWork& work, StreamHandle stream);

/// The item of one rank of each line, and all before it. A line is shared by `parts` blocks.
struct SelectWork {
  /// Of one line.
  struct State {
    /// The key of that rank as far as it is known, and the rank among the items that begin so.
    std::uint64_t key;
    std::int64_t rank;
    unsigned long long numbers;
  };
  SortedLines lines;
  SortRank rank = {};
  std::int64_t parts = 1, part_items = 0;
  State* states = nullptr;
  /// 256 a line.
  unsigned* histogram = nullptr;
  /// Two a part: its items before the key, and those with it.
  std::int64_t* counts = nullptr;
  /// Where the pairs up to the rank go, in no order; none: the item of the rank to the outputs.
  SortPairs to = {};
};
/// Finds the keys: states.
void launch_select(const SelectWork& work, StreamHandle stream);
/// Behind launch_select(): what was found goes where it belongs.
void launch_selected(const SelectWork& work, StreamHandle stream);

}  // namespace nns::ops
