#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <tuple>

#include "core/parallel/process_group.h"

namespace nns::parallel {

/// When waiting ends, and the limit that this moment was made of: a message names the limit that was asked for.
struct Deadline {
  std::chrono::steady_clock::time_point at;
  std::chrono::milliseconds limit;
  static Deadline after(std::chrono::milliseconds limit) { return {std::chrono::steady_clock::now() + limit, limit}; }
};

/// Bytes that came from another rank. Not initialised when they are made.
struct ReceivedBytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::span<const std::byte> view() const { return {data.get(), size}; }
};

/// Which message it is: of a group, its collective and a step of that, or of a tag.
struct MessageKey {
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint32_t step = 0;
  friend bool operator<(const MessageKey& a, const MessageKey& b) {
    return std::tie(a.group, a.sequence, a.step) < std::tie(b.group, b.sequence, b.step);
  }
};

/// Messages between every two of some ranks: what collectives are made of.
/// Ranks are numbered over all that were joined; messages from one rank with one key arrive in order.
/// Threads: any.
class Mesh {
 public:
  virtual ~Mesh() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Begins to send. Lifetime: `bytes` until the Work is completed.
  virtual WorkHandle send(int to, const MessageKey& key, const CollectiveSignature& signature,
                          std::span<const std::byte> bytes) = 0;
  /// Ends the way to a rank, so that what is being sent to it completes: it does not take it.
  virtual void give_up(int rank) = 0;
  /// The next message from `from` with that key.
  /// Errors: the time is over; that rank is gone, or said that it failed; it runs something else under this number.
  virtual base::Result<ReceivedBytes> receive(int from, const MessageKey& key, const CollectiveSignature& signature,
                                              Deadline deadline) = 0;
  /// Tells the others that this rank fails what it does in `group`, and why: who waits for it there stops waiting.
  virtual void tell_failure(std::uint64_t group, std::span<const int> ranks, const std::string& why) = 0;
};

/// What one rank does of one collective. Blocks until its part is done.
struct MeshCollective {
  Mesh& mesh;
  /// The group: its id, its ranks as the mesh numbers them, and which of them this one is.
  std::uint64_t group = 0;
  std::span<const int> ranks;
  int me = 0;
  std::uint64_t sequence = 0;
};

/// Runs `collective`; the result is bitwise the same on every rank. Must hold: check_collective is well.
/// Errors: those of the mesh, without what is being run and where: the caller knows that.
base::Result<void> run_collective(const MeshCollective& where, const Collective& collective);

}  // namespace nns::parallel
