#include "native/collectives/shared_channels.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace nns::collectives {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPage = 4096;

std::size_t channel_count(int ranks) { return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks); }

// One after the other: a bell a rank; of each channel the headers and the count of what was taken; the cells.
std::size_t controls_begin(int ranks) { return static_cast<std::size_t>(ranks) * sizeof(Bell); }
constexpr std::size_t kControlBytes = SharedChannels::kCells * sizeof(CellHeader) + kLine;
std::size_t cells_begin(int ranks) {
  const std::size_t end = controls_begin(ranks) + channel_count(ranks) * kControlBytes;
  return (end + kPage - 1) / kPage * kPage;
}

}  // namespace

std::size_t SharedChannels::cell_bytes(int ranks) {
  constexpr std::size_t kMost = std::size_t{64} * 1024, kLeast = kPage;
  constexpr std::size_t kAllBytes = std::size_t{128} * 1024 * 1024;
  std::size_t bytes = kMost;
  while (bytes > kLeast && bytes * kCells * channel_count(ranks) > kAllBytes) bytes /= 2;
  return bytes;
}

std::uint64_t SharedChannels::memory_bytes(int ranks) {
  return cells_begin(ranks) + std::uint64_t{channel_count(ranks)} * kCells * cell_bytes(ranks);
}

SharedChannels::SharedChannels(std::unique_ptr<SharedMemory> memory, int me, int ranks)
    : memory_(std::move(memory)),
      cell_bytes_(cell_bytes(ranks)),
      own_bell_(reinterpret_cast<Bell*>(memory_->bytes().data()) + me) {
  for (int rank = 0; rank < ranks; ++rank) {
    to_.push_back(channel(me, rank, ranks));
    to_.back().other = reinterpret_cast<Bell*>(memory_->bytes().data()) + rank;
    for (std::uint32_t slot = kCells; slot-- > 0;) to_.back().free_slots.push_back(slot);
    from_.push_back(channel(rank, me, ranks));
    from_.back().other = to_.back().other;
  }
}

SharedChannels::Channel SharedChannels::channel(int from, int to, int ranks) const {
  std::byte* const all = memory_->bytes().data();
  const auto number = static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(to);
  std::byte* const control = all + controls_begin(ranks) + number * kControlBytes;
  Channel made{};
  made.headers = reinterpret_cast<CellHeader*>(control);
  made.taken = reinterpret_cast<std::atomic<std::uint64_t>*>(control + kCells * sizeof(CellHeader));
  made.cells = all + cells_begin(ranks) + number * kCells * cell_bytes_;
  return made;
}

bool SharedChannels::can_write(int to) {
  Channel& channel = to_[static_cast<std::size_t>(to)];
  if (channel.next - channel.known_taken < kCells) return true;
  look_what_was_taken(channel);
  return channel.next - channel.known_taken < kCells;
}

void SharedChannels::look_what_was_taken(Channel& channel) {
  const std::uint64_t taken = channel.taken->load(std::memory_order_seq_cst);
  // More than was written is nothing that a rank says.
  for (; channel.known_taken < std::min(taken, channel.next); ++channel.known_taken) {
    const std::uint32_t slot = channel.slots[channel.known_taken % kCells];
    if (slot != kNoSlot) channel.free_slots.push_back(slot);
  }
}

void SharedChannels::write(int to, std::uint64_t sequence, const parallel::CollectiveSignature& signature,
                           std::span<const std::byte> bytes, std::uint64_t message_bytes) {
  Channel& channel = to_[static_cast<std::size_t>(to)];
  const std::size_t place = channel.next % kCells;
  CellHeader& header = channel.headers[place];
  header.sequence = sequence;
  header.kind = static_cast<std::uint8_t>(signature.kind);
  header.op = static_cast<std::uint8_t>(signature.op);
  header.dtype = static_cast<std::uint8_t>(signature.dtype);
  header.root = signature.root;
  header.share_bytes = signature.bytes;
  header.message_bytes = message_bytes;
  header.size = static_cast<std::uint32_t>(bytes.size());
  std::byte* into = header.few.data();
  channel.slots[place] = kNoSlot;
  if (bytes.size() > CellHeader::kInlineBytes) {
    look_what_was_taken(channel);
    // There are as many as cells.
    const std::uint32_t slot = channel.free_slots.back();
    channel.free_slots.pop_back();
    channel.slots[place] = header.slot = slot;
    into = channel.cells + slot * cell_bytes_;
  }
  if (!bytes.empty()) std::memcpy(into, bytes.data(), bytes.size());
  ++channel.next;
  header.stamp.store(channel.next, std::memory_order_seq_cst);
  call_if_asleep(*channel.other);
}

bool SharedChannels::can_read(int from) const {
  const Channel& channel = from_[static_cast<std::size_t>(from)];
  return channel.headers[channel.next % kCells].stamp.load(std::memory_order_seq_cst) == channel.next + 1;
}

SharedChannels::Cell SharedChannels::front(int from) const {
  const Channel& channel = from_[static_cast<std::size_t>(from)];
  const CellHeader& header = channel.headers[channel.next % kCells];
  Cell cell{};
  cell.sequence = header.sequence;
  cell.signature.kind = static_cast<parallel::CollectiveKind>(header.kind);
  cell.signature.op = static_cast<parallel::ReduceOp>(header.op);
  cell.signature.dtype = static_cast<tensor::DType>(header.dtype);
  cell.signature.root = header.root;
  cell.signature.bytes = header.share_bytes;
  cell.message_bytes = header.message_bytes;
  // A size that is too large is nothing that a rank writes: it is cut, and then does not fit what is expected.
  const std::size_t size = std::min<std::size_t>(header.size, cell_bytes_);
  const std::byte* const begin =
      size <= CellHeader::kInlineBytes ? header.few.data() : channel.cells + header.slot % kCells * cell_bytes_;
  cell.bytes = {begin, size};
  return cell;
}

void SharedChannels::pop(int from) {
  Channel& channel = from_[static_cast<std::size_t>(from)];
  ++channel.next;
  channel.taken->store(channel.next, std::memory_order_seq_cst);
  call_if_asleep(*channel.other);
}

// The futex is one between processes, so not the private kind.
void SharedChannels::ring(Bell& bell) {
  bell.rung.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell.rung), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void SharedChannels::sleep(std::uint32_t times, std::chrono::nanoseconds most) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = (most - seconds).count();
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&own_bell_->rung), FUTEX_WAIT, times, &time, nullptr, 0);
}

}  // namespace nns::collectives
