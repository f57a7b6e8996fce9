#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "core/parallel/mesh.h"

namespace nns::collectives {

/// Messages that came and that nobody has taken yet.
/// Threads: any.
class Mailbox {
 public:
  using Key = parallel::MessageKey;
  explicit Mailbox(int ranks) : gone_(static_cast<std::size_t>(ranks)) {}

  void put(int from, const Key& key, const parallel::CollectiveSignature& signature, parallel::ReceivedBytes bytes);
  /// Nothing more comes from that rank.
  void note_gone(int rank, const std::string& why);
  /// That rank failed in a group: who waits for it there need not wait on.
  void note_failure(int rank, std::uint64_t group, const std::string& why);
  /// What a rank (not `except`) said of its failure in that group; none: nobody did.
  std::optional<std::string> failure(std::uint64_t group, int except) const;
  /// Whether anybody failed in any group. Cost: one load.
  bool has_failures() const { return has_failures_.load(std::memory_order_acquire); }
  /// Why nothing more comes from a rank; none: something may.
  std::optional<std::string> gone(int rank) const;

  /// The next message of a collective. Errors: as Mesh::receive.
  base::Result<parallel::ReceivedBytes> take(int from, const Key& key, const parallel::CollectiveSignature& signature,
                                             parallel::Deadline deadline);
  struct Letter {
    int from = -1;
    parallel::ReceivedBytes bytes;
  };
  /// The next message with that key from one of `ranks`, at most until the deadline; none: it is over.
  /// Errors: none of them can send any more.
  base::Result<std::optional<Letter>> take_any(std::span<const int> ranks, const Key& key,
                                               std::chrono::steady_clock::time_point until);

 private:
  struct Message {
    parallel::CollectiveSignature signature;
    parallel::ReceivedBytes bytes;
  };
  using Queue = std::deque<Message>;
  std::optional<std::string> failure_text(std::uint64_t group, int except) const;
  std::optional<parallel::ReceivedBytes> pop(int from, const Key& key);
  std::optional<std::string> trouble(int from, const Key& key, const parallel::CollectiveSignature& signature) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, Key>, Queue> messages_;
  /// By rank: why nothing comes from it any more.
  std::vector<std::optional<std::string>> gone_;
  /// By group and rank.
  std::map<std::pair<std::uint64_t, int>, std::string> failures_;
  std::atomic<bool> has_failures_ = false;
};

}  // namespace nns::collectives
