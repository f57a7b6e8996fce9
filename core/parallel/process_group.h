#pragma once

#include <memory>
#include <optional>

#include "core/parallel/collective.h"

namespace nns::parallel {

/// Communication that was started.
/// Threads: the group may complete it on a thread of its own; asked and waited for on that of its interpreter.
class Work {
 public:
  virtual ~Work() = default;
  /// Whether it is done, well or not.
  virtual bool is_completed() = 0;
  /// The same without helping it on: where ranks take turns, nobody else runs meanwhile.
  virtual bool was_completed() { return is_completed(); }
  /// Waits at most so long. Whether it is done; on a GPU: whether all that is queued from now on comes after it.
  virtual bool wait_for(std::chrono::milliseconds time) = 0;
  /// Errors: what went wrong, with the rank, the collective and its number. Must hold: completed, or waited for.
  virtual base::Result<void> result() = 0;
  /// Of a receive: who sent it. Must hold: completed.
  virtual int source_rank() const { return -1; }

  /// Returns when it is done. `timeout`: how long at most; none: as long as the communication itself may take.
  /// Errors: those of result(); that the time is over.
  base::Result<void> wait(std::optional<std::chrono::milliseconds> timeout = std::nullopt);
};
using WorkHandle = std::shared_ptr<Work>;

/// One message from rank to rank. Messages of one sender with one tag arrive in order.
struct PointToPoint {
  /// A rank of the group; on a receive -1: whoever sends.
  int peer = 0;
  std::int64_t tag = 0;
  tensor::DType dtype = tensor::DType::UInt8;
  /// As that of a Collective.
  std::shared_ptr<const void> keeper;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
};

/// The ranks that do something together, seen from one of them: torch.distributed.ProcessGroup.
/// All ranks start the same collectives in the same order; what is started is numbered from 1, and runs in that order.
/// Every rank gets bitwise the same result of an all_reduce.
/// Threads: one.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Whether its collectives take bytes that lie there; others are copied to the CPU and back by whoever has them.
  virtual bool reaches(tensor::Device device) const { return tensor::is_cpu(device); }
  /// Which rank is known to be gone, and why, without asking any; none: all may be there. Threads: any.
  virtual std::optional<std::string> trouble() const { return std::nullopt; }
  /// How many collectives were started.
  virtual std::uint64_t sequence_number() const = 0;
  /// Errors come from Work::wait, those of check_collective too.
  virtual WorkHandle start(Collective collective) = 0;
  virtual WorkHandle send(std::span<const std::byte> bytes, const PointToPoint& how) = 0;
  virtual WorkHandle receive(std::span<std::byte> bytes, const PointToPoint& how) = 0;
};

/// A Work that is done already, with an error or without.
WorkHandle completed_work(base::Result<void> result);

/// The group of one rank: everything is done when it is started.
std::shared_ptr<ProcessGroup> make_single_group();

}  // namespace nns::parallel
