#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "core/parallel/cell_plan.h"
#include "core/parallel/connector.h"
#include "core/parallel/mesh.h"

namespace nns::parallel {

/// Lets the other ranks of one thread run while one of them waits.
class Turns {
 public:
  virtual ~Turns() = default;
  /// Runs others until `rank`, which waits, may go on (`is_ready`), or one of them can get no further for now.
  /// False: none of them can run any more, as things are.
  virtual bool let_others_run(int rank, const std::function<bool()>& is_ready) = 0;
};

/// Where ranks of one process meet: stores, worlds and groups that need no network. Either each rank has a thread, and
/// waiting is sleeping; or all have one, and waiting is letting the others run (Turns).
/// Threads: any.
class LocalRanks : public std::enable_shared_from_this<LocalRanks> {
 public:
  /// What rank number `rank` of this process reaches the others by. `turns`: null, or what outlives every wait of it.
  std::shared_ptr<Connector> connector(int rank, Turns* turns);
  /// How often anything was communicated.
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }
  /// A rank ended: who waits for it hears `why`.
  void leave(int rank, const std::string& why);

 private:
  friend class LocalStore;
  friend class LocalWorld;
  friend class LocalGroup;
  friend class LocalWork;
  friend class LocalReceive;
  friend class LocalConnector;

  struct Message {
    std::uint64_t sequence = 0;
    CollectiveSignature signature;
    std::vector<std::byte> bytes;
  };
  struct Member;
  /// A group as all its ranks see it.
  struct Group {
    std::string name;
    /// As the world numbers them.
    std::vector<int> ranks;
    std::vector<std::shared_ptr<Member>> members;
    /// From member to member: [from * size + to].
    std::vector<std::deque<Message>> channels;
    std::map<std::tuple<int, int, std::int64_t>, std::deque<std::vector<std::byte>>> letters;
    /// What the first that failed said.
    std::string failure;
    int size() const { return static_cast<int>(ranks.size()); }
  };
  struct Meeting {
    std::vector<int> here;
    std::vector<std::optional<std::string>> gone;
    std::map<std::string, std::shared_ptr<Group>> groups;
  };
  /// Which rank waits, and how.
  struct Who {
    int number = 0;
    Turns* turns = nullptr;
  };
  enum class Waited { Ready, TimeOver, Stuck };
  /// Waits under the lock until `is_ready`. Stuck: all others of this thread wait, too.
  Waited wait(std::unique_lock<std::mutex>& lock, const Who& who, std::chrono::steady_clock::time_point until,
              const std::function<bool()>& is_ready);
  /// Moves whatever can be moved in a group, of whichever rank. Must hold: the lock.
  void pump(Group& group);
  bool advance(Group& group, Member& member);
  bool run_ahead(Group& group, Member& member);
  std::optional<std::string> difference_from_others(const Group& group, const Member& member) const;
  void fail(Group& group, Member& member, const std::string& why);

  /// Something was communicated: who waits looks.
  void note_event() {
    events_.fetch_add(1, std::memory_order_relaxed);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> events_ = 0;
  std::map<std::string, std::shared_ptr<Store>> stores_;
  std::map<std::string, std::shared_ptr<Meeting>> meetings_;
  /// By number of the rank in this process: the world and the rank there that it is.
  std::map<int, std::vector<std::pair<std::shared_ptr<Meeting>, int>>> joined_;
};

}  // namespace nns::parallel
