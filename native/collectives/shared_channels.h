#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "core/parallel/collective.h"
#include "native/collectives/shared_memory.h"

namespace nns::collectives {

/// What stands in front of the bytes of one cell: one cache line, with the bytes themselves if they are few.
struct alignas(64) CellHeader {
  static constexpr std::size_t kInlineBytes = 16;
  /// 1 + how many cells of its channel came before it, once it is written.
  std::atomic<std::uint64_t> stamp;
  std::uint64_t sequence;
  std::uint8_t kind, op, dtype, unused;
  std::int32_t root;
  std::uint64_t share_bytes;
  /// Of the whole message that this is a piece of.
  std::uint64_t message_bytes;
  std::uint32_t size;
  /// Where the bytes lie, if they are many.
  std::uint32_t slot;
  std::array<std::byte, kInlineBytes> few;
};
static_assert(sizeof(CellHeader) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

/// What one process calls another with while that sleeps.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> rung;
  /// How many threads of its owner sleep until it is rung.
  std::atomic<std::uint32_t> asleep;
};

/// Channels between every two ranks of a group in shared memory: from each to each a ring of cells, which one writes
/// and the other reads. The bytes of a cell lie in the slot that became free last, which the caches still hold: two
/// ranks that keep step need few of them. Nothing here waits but sleep(). Threads: one at a time in each process, but
/// for ring() and sleep().
class SharedChannels {
 public:
  static constexpr std::size_t kCells = 64;
  /// How large the pieces are. Fewer ranks get larger ones, so that all rings together stay below 128 MiB as long as
  /// pieces of 4 KiB allow. Units: bytes.
  static std::size_t cell_bytes(int ranks);
  /// Units: bytes.
  static std::uint64_t memory_bytes(int ranks);

  /// `memory`: of memory_bytes(ranks), of zeros or in use by the other ranks.
  SharedChannels(std::unique_ptr<SharedMemory> memory, int me, int ranks);

  /// Whether there is a free cell to that rank.
  bool can_write(int to);
  /// Must hold: can_write(to), at most cell_bytes.
  void write(int to, std::uint64_t sequence, const parallel::CollectiveSignature& signature,
             std::span<const std::byte> bytes, std::uint64_t message_bytes);

  struct Cell {
    std::uint64_t sequence;
    parallel::CollectiveSignature signature;
    std::uint64_t message_bytes;
    /// Valid until pop().
    std::span<const std::byte> bytes;
  };
  /// Whether there is a cell from that rank.
  bool can_read(int from) const;
  /// The oldest cell from that rank. Must hold: can_read(from).
  Cell front(int from) const;
  /// Done with it: the other may write there.
  void pop(int from);

  /// How often this rank was called: to be read before what sleep() will wait for is looked at.
  std::uint32_t times_rung() const { return own_bell_->rung.load(std::memory_order_seq_cst); }
  /// Says that a thread will sleep, or that it does no longer. Between is looked once more at what it waits for.
  void note_asleep() { own_bell_->asleep.fetch_add(1, std::memory_order_seq_cst); }
  void note_awake() { own_bell_->asleep.fetch_sub(1, std::memory_order_seq_cst); }
  /// Until somebody calls, or the time is over. `times`: what times_rung() was.
  void sleep(std::uint32_t times, std::chrono::nanoseconds most);
  /// Wakes this process's own threads.
  void ring_own() { ring(*own_bell_); }

 private:
  struct Channel {
    CellHeader* headers;
    std::atomic<std::uint64_t>* taken;
    std::byte* cells;
    Bell* other;
    /// The cells that went through; of the writer: how many were taken when it looked last.
    std::uint64_t next = 0, known_taken = 0;
    /// Of the writer: the slots that are free, and by cell the one that it has (kNoSlot: its bytes are few).
    std::vector<std::uint32_t> free_slots;
    std::array<std::uint32_t, kCells> slots{};
  };
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  static void look_what_was_taken(Channel& channel);
  static void ring(Bell& bell);
  static void call_if_asleep(Bell& bell) {
    if (bell.asleep.load(std::memory_order_seq_cst) != 0) ring(bell);
  }
  Channel channel(int from, int to, int ranks) const;

  std::unique_ptr<SharedMemory> memory_;
  std::size_t cell_bytes_;
  Bell* own_bell_;
  std::vector<Channel> to_, from_;
};

}  // namespace nns::collectives
