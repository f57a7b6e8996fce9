#pragma once

#include <deque>
#include <vector>

#include "core/parallel/collective.h"

namespace nns::parallel {

/// All-reduces of at most so many bytes between at most so many ranks take one exchange, from everybody to everybody,
/// instead of 2 (n - 1) steps around the ring; in shared memory as over the network.
inline constexpr std::size_t kSmallBytes = std::size_t{32} * 1024;
inline constexpr int kFewRanks = 8;

/// A collective as pieces that fit into the cells of channels between every two ranks, seen from one rank: what it
/// writes, and what it reads and does with that. Both lists run in their order; either may run ahead of the other as
/// far as the pieces' own conditions allow. Every rank takes exactly what is written to it, in that order.
struct CellPlan {
  struct Write {
    int to = 0;
    std::span<const std::byte> bytes;
    /// Of the whole message that this is a piece of.
    std::uint64_t message_bytes = 0;
    /// How many takes come before it: it passes on what they gave.
    std::size_t after_takes = 0;
  };
  enum class Action : std::uint8_t {
    /// into = piece
    Copy,
    /// into = into op piece
    CombineBehind,
    /// into = piece op into
    CombineBefore,
  };
  struct Take {
    /// Who wrote it; the own rank: nobody did, the piece is `own`.
    int from = 0;
    Action action = Action::Copy;
    std::span<std::byte> into;
    std::span<const std::byte> own;
    std::uint64_t message_bytes = 0;
    /// How many writes come before it: they read what it replaces.
    std::size_t after_writes = 0;
  };
  std::vector<Write> writes;
  std::vector<Take> takes;
  /// What is written or combined, and replaced meanwhile.
  std::deque<std::vector<std::byte>> copies;
};

/// Whether what one rank has for all goes by others, which have to be at the same collective for that: faster where
/// each runs by itself. Where ranks take turns, one that waits for an earlier collective must not be needed.
enum class Relays : std::uint8_t { Some, None };

/// The plan of rank `me` of `size` ranks, in pieces of at most `cell_bytes`. The result is bitwise the same on every
/// rank. Must hold: check_collective is well; cell_bytes is a multiple of 16.
/// Lifetime: reads and writes the buffers of `collective`; what it copies, it copies now.
CellPlan make_cell_plan(const Collective& collective, int me, int size, std::size_t cell_bytes,
                        Relays relays = Relays::Some);

/// Whether one writes what the other reads or writes, so that the later has to wait for the earlier.
bool depends(const Collective& later, const Collective& earlier);

/// Does what a take says with its piece. Must hold: both have the same size.
void apply_take(const Collective& collective, const CellPlan::Take& take, std::span<const std::byte> piece);

}  // namespace nns::parallel
