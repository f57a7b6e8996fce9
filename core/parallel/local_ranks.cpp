// Ranks of one process: what one writes waits in a queue until the other takes it, and whoever comes moves what can be
// moved for all of them.
#include "core/parallel/local_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace nns::parallel {

namespace {

using Clock = std::chrono::steady_clock;
// A message is one piece.
constexpr std::size_t kWhole = std::size_t{1} << (8 * sizeof(std::size_t) - 2);

base::Error rank_error(std::string found) { return {std::move(found), {}, {}, {}}; }
constexpr std::string_view kStuck =
    "the ranks of this process take turns on one thread, and all the others wait, too, inside of a call that cannot be "
    "left in the middle (a forward, a hook, a constructor): as processes (nnscope run) this program runs";

}  // namespace

class LocalWork;

/// One rank in a group.
struct LocalRanks::Member {
  int me = 0;
  std::deque<std::shared_ptr<LocalWork>> queue;
  /// Why nothing comes from it any more.
  std::optional<std::string> gone;
};

class LocalWork final : public Work {
 public:
  LocalWork(std::shared_ptr<LocalRanks> ranks, std::shared_ptr<LocalRanks::Group> group,
            std::shared_ptr<LocalRanks::Member> member, LocalRanks::Who who, Collective what, std::uint64_t number)
      : collective(std::move(what)),
        sequence(number),
        signature(signature_of(collective)),
        deadline(Deadline::after(collective.timeout)),
        ranks_(std::move(ranks)),
        group_(std::move(group)),
        member_(std::move(member)),
        who_(who) {}

  // Who only asks lets the others run, too: otherwise nobody would.
  bool is_completed() override {
    if (!is_done() && who_.turns != nullptr) who_.turns->let_others_run(who_.number, [this] { return is_done(); });
    return is_done();
  }
  bool was_completed() override { return is_done(); }
  bool is_done() const { return is_done_.load(std::memory_order_acquire); }
  bool wait_for(std::chrono::milliseconds time) override {
    if (is_done()) return true;
    std::unique_lock lock(ranks_->mutex_);
    const auto until = std::min(Clock::now() + time, deadline.at);
    const LocalRanks::Waited waited = ranks_->wait(lock, who_, until, [this] { return is_done(); });
    if (waited == LocalRanks::Waited::Ready) return true;
    if (waited == LocalRanks::Waited::Stuck) {
      ranks_->fail(*group_, *member_, std::string(kStuck));
    } else if (Clock::now() >= deadline.at) {
      ranks_->fail(*group_, *member_,
                   fmt::format("rank {} sent nothing within {} ms", awaited_rank(), deadline.limit.count()));
    }
    return is_done();
  }
  base::Result<void> result() override { return result_; }

  // What follows belongs to who holds the lock.
  void complete(base::Result<void> result) {
    result_ = std::move(result);
    is_done_.store(true, std::memory_order_release);
  }
  int awaited_rank() const {
    return taken < plan.takes.size() ? group_->ranks[static_cast<std::size_t>(plan.takes[taken].from)] : -1;
  }
  const Collective collective;
  const std::uint64_t sequence;
  const CollectiveSignature signature;
  const Deadline deadline;
  CellPlan plan;
  bool is_planned = false;
  std::size_t written = 0, taken = 0;

 private:
  std::shared_ptr<LocalRanks> ranks_;
  std::shared_ptr<LocalRanks::Group> group_;
  std::shared_ptr<LocalRanks::Member> member_;
  LocalRanks::Who who_;
  std::atomic<bool> is_done_ = false;
  base::Result<void> result_;
};

LocalRanks::Waited LocalRanks::wait(std::unique_lock<std::mutex>& lock, const Who& who, Clock::time_point until,
                                    const std::function<bool()>& is_ready) {
  const auto looks_ready = [&] {
    const std::lock_guard look(mutex_);
    return is_ready();
  };
  while (!is_ready()) {
    if (Clock::now() >= until) return Waited::TimeOver;
    if (who.turns == nullptr) {
      changed_.wait_until(lock, until);
      continue;
    }
    lock.unlock();
    const bool did_run = who.turns->let_others_run(who.number, looks_ready);
    lock.lock();
    if (!did_run && !is_ready()) return Waited::Stuck;
  }
  return Waited::Ready;
}

void LocalRanks::pump(Group& group) {
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (const auto& member : group.members) {
      if (member) has_moved = advance(group, *member) || has_moved;
    }
  }
  note_event();
}

// What the message that the first collective of this rank takes next says that does not fit it; none: it fits, or is
// not there.
std::optional<std::string> LocalRanks::difference_from_others(const Group& group, const Member& member) const {
  const LocalWork& head = *member.queue.front();
  if (head.taken == head.plan.takes.size()) return std::nullopt;
  const CellPlan::Take& take = head.plan.takes[head.taken];
  const auto from = static_cast<std::size_t>(take.from);
  const auto& channel = group.channels[from * group.ranks.size() + static_cast<std::size_t>(member.me)];
  if (take.from == member.me || channel.empty()) return std::nullopt;
  const Message& message = channel.front();
  const int rank = group.ranks[from];
  if (message.sequence != head.sequence || !(message.signature == head.signature)) {
    return fmt::format("rank {} runs {} as number {}, this rank {}", rank, signature_text(message.signature),
                       message.sequence, signature_text(head.signature));
  }
  if (message.bytes.size() == take.into.size()) return std::nullopt;
  return fmt::format("rank {} sent {} bytes where {} were expected", rank, message.bytes.size(), take.into.size());
}

bool LocalRanks::advance(Group& group, Member& member) {
  bool has_moved = false;
  const auto n = static_cast<std::size_t>(group.size());
  const auto me = static_cast<std::size_t>(member.me);
  while (!member.queue.empty()) {
    LocalWork& head = *member.queue.front();
    if (!std::exchange(head.is_planned, true)) {
      head.plan = make_cell_plan(head.collective, member.me, group.size(), kWhole, Relays::None);
    }
    // That somebody gave up counts for all that comes later; that this rank differs from it explains more.
    if (!group.failure.empty()) {
      const std::optional<std::string> difference = difference_from_others(group, member);
      fail(group, member, difference ? *difference : group.failure);
      has_moved = true;
      continue;
    }
    const std::size_t before = head.written + head.taken;
    if (head.written < head.plan.writes.size() && head.taken >= head.plan.writes[head.written].after_takes) {
      const CellPlan::Write& write = head.plan.writes[head.written++];
      group.channels[me * n + static_cast<std::size_t>(write.to)].push_back(
          {head.sequence, head.signature, {write.bytes.begin(), write.bytes.end()}});
    }
    if (head.taken < head.plan.takes.size() && head.written >= head.plan.takes[head.taken].after_writes) {
      const CellPlan::Take& take = head.plan.takes[head.taken];
      const auto from = static_cast<std::size_t>(take.from);
      std::deque<Message>& channel = group.channels[from * n + me];
      if (take.from == member.me) {
        apply_take(head.collective, take, take.own);
        ++head.taken;
      } else if (!channel.empty()) {
        if (const auto difference = difference_from_others(group, member)) {
          fail(group, member, *difference);
          return true;
        }
        apply_take(head.collective, take, channel.front().bytes);
        channel.pop_front();
        ++head.taken;
      } else if (group.members[from] && group.members[from]->gone) {
        fail(group, member, fmt::format("rank {} is gone: {}", group.ranks[from], *group.members[from]->gone));
        return true;
      }
    }
    if (head.written == head.plan.writes.size() && head.taken == head.plan.takes.size()) {
      head.complete({});
      member.queue.pop_front();
      has_moved = true;
      continue;
    }
    if (head.written + head.taken == before) return run_ahead(group, member) || has_moved;
    has_moved = true;
  }
  return has_moved;
}

// Those behind the first write where they read nothing that it still writes: who only gives waits for nobody.
bool LocalRanks::run_ahead(Group& group, Member& member) {
  bool has_moved = false;
  const auto n = static_cast<std::size_t>(group.size());
  const auto me = static_cast<std::size_t>(member.me);
  for (std::size_t i = 0; i < member.queue.size(); ++i) {
    const std::shared_ptr<LocalWork> work = member.queue[i];
    if (!work->is_planned) {
      for (std::size_t earlier = 0; earlier < i; ++earlier) {
        if (depends(work->collective, member.queue[earlier]->collective)) return has_moved;
      }
      work->is_planned = true;
      work->plan = make_cell_plan(work->collective, member.me, group.size(), kWhole, Relays::None);
    }
    for (; work->written < work->plan.writes.size(); ++work->written) {
      const CellPlan::Write& write = work->plan.writes[work->written];
      // What comes later in a channel was written later.
      if (work->taken < write.after_takes) return has_moved;
      group.channels[me * n + static_cast<std::size_t>(write.to)].push_back(
          {work->sequence, work->signature, {write.bytes.begin(), write.bytes.end()}});
      has_moved = true;
    }
    if (i > 0 && work->plan.takes.empty()) {
      work->complete({});
      member.queue.erase(member.queue.begin() + static_cast<std::ptrdiff_t>(i--));
      has_moved = true;
    }
  }
  return has_moved;
}

void LocalRanks::fail(Group& group, Member& member, const std::string& why) {
  if (member.queue.empty()) return;
  const std::shared_ptr<LocalWork> work = member.queue.front();
  member.queue.pop_front();
  const std::string subject = work->collective.subject.empty() ? "" : fmt::format(" ({})", work->collective.subject);
  const int rank = group.ranks[static_cast<std::size_t>(member.me)];
  const std::string text =
      fmt::format("{} number {} of process group {}{} failed on rank {}: {}", collective_name(work->collective.kind),
                  work->sequence, group.name, subject, rank, why);
  if (group.failure.empty()) group.failure = fmt::format("rank {} stopped: {}", rank, text);
  work->complete(rank_error(text));
  note_event();
}

// ---------------------------------------------------------------- letters

class LocalReceive final : public Work {
 public:
  LocalReceive(std::shared_ptr<LocalRanks> ranks, std::shared_ptr<LocalRanks::Group> group, int me, LocalRanks::Who who,
               std::span<std::byte> into, const PointToPoint& how)
      : ranks_(std::move(ranks)),
        group_(std::move(group)),
        me_(me),
        who_(who),
        into_(into),
        how_(how),
        deadline_(Deadline::after(how.timeout)) {}

  bool is_completed() override {
    if (wait_for(std::chrono::milliseconds(0))) return true;
    if (who_.turns == nullptr) return false;
    who_.turns->let_others_run(who_.number, [this] { return wait_for(std::chrono::milliseconds(0)); });
    return wait_for(std::chrono::milliseconds(0));
  }
  bool wait_for(std::chrono::milliseconds time) override {
    std::unique_lock lock(ranks_->mutex_);
    if (is_done_ || take()) return true;
    if (time <= std::chrono::milliseconds(0)) return false;
    const auto waited =
        ranks_->wait(lock, who_, std::min(Clock::now() + time, deadline_.at), [this] { return is_done_ || take(); });
    if (waited == LocalRanks::Waited::Ready) return true;
    if (waited == LocalRanks::Waited::Stuck) return finish(what() + std::string(kStuck));
    if (Clock::now() < deadline_.at) return false;
    return finish(what() + fmt::format("nothing came within {} ms", deadline_.limit.count()));
  }
  base::Result<void> result() override { return result_; }
  int source_rank() const override { return source_; }

 private:
  std::string what() const {
    return fmt::format("recv with tag {} of process group {} on rank {}: ", how_.tag, group_->name,
                       group_->ranks[static_cast<std::size_t>(me_)]);
  }
  bool finish(std::string why) {
    is_done_ = true;
    if (!why.empty()) result_ = rank_error(std::move(why));
    return true;
  }
  // What lies there, of those that may have sent it.
  bool take() {
    bool can_come = false;
    for (int rank = 0; rank < group_->size(); ++rank) {
      if (rank == me_ || (how_.peer >= 0 && rank != how_.peer)) continue;
      auto& letters = group_->letters[{rank, me_, how_.tag}];
      const auto& member = group_->members[static_cast<std::size_t>(rank)];
      can_come = can_come || !member || !member->gone;
      if (letters.empty()) continue;
      const std::vector<std::byte> bytes = std::move(letters.front());
      letters.pop_front();
      source_ = rank;
      if (bytes.size() != into_.size()) {
        return finish(what() + fmt::format("rank {} sent {} bytes where {} were expected",
                                           group_->ranks[static_cast<std::size_t>(rank)], bytes.size(), into_.size()));
      }
      std::copy(bytes.begin(), bytes.end(), into_.begin());
      return finish({});
    }
    return !can_come && finish(what() + "who could send it is gone");
  }

  std::shared_ptr<LocalRanks> ranks_;
  std::shared_ptr<LocalRanks::Group> group_;
  int me_;
  LocalRanks::Who who_;
  std::span<std::byte> into_;
  PointToPoint how_;
  Deadline deadline_;
  bool is_done_ = false;
  int source_ = -1;
  base::Result<void> result_;
};

// ---------------------------------------------------------------- groups, worlds, stores

class LocalGroup final : public ProcessGroup {
 public:
  LocalGroup(std::shared_ptr<LocalRanks> ranks, std::shared_ptr<LocalRanks::Group> group,
             std::shared_ptr<LocalRanks::Member> member, LocalRanks::Who who)
      : ranks_(std::move(ranks)), group_(std::move(group)), member_(std::move(member)), who_(who) {}

  ~LocalGroup() override {
    const std::lock_guard lock(ranks_->mutex_);
    for (const auto& work : std::exchange(member_->queue, {})) {
      work->complete(rank_error("the process group was destroyed"));
    }
  }
  int rank() const override { return member_->me; }
  int size() const override { return group_->size(); }
  std::uint64_t sequence_number() const override { return started_; }

  WorkHandle start(Collective collective) override {
    ++started_;
    const base::Result<void> checked = check_collective(collective, rank(), size());
    if (!checked.ok()) return completed_work(checked);
    std::shared_ptr<const void> keeper = std::exchange(collective.keeper, nullptr);
    const auto work = std::make_shared<LocalWork>(ranks_, group_, member_, who_, std::move(collective), started_);
    keep(work, std::move(keeper));
    const std::lock_guard lock(ranks_->mutex_);
    member_->queue.push_back(work);
    ranks_->pump(*group_);
    return work;
  }
  WorkHandle send(std::span<const std::byte> bytes, const PointToPoint& how) override {
    const std::lock_guard lock(ranks_->mutex_);
    group_->letters[{rank(), how.peer, how.tag}].emplace_back(bytes.begin(), bytes.end());
    ranks_->note_event();
    return completed_work({});
  }
  WorkHandle receive(std::span<std::byte> bytes, const PointToPoint& how) override {
    // It writes only while it is asked, so it may hold what it writes itself.
    return std::make_shared<LocalReceive>(ranks_, group_, rank(), who_, bytes, how);
  }

 private:
  void keep(const std::shared_ptr<LocalWork>& work, std::shared_ptr<const void> keeper) {
    std::erase_if(kept_, [](const auto& one) { return one.is_done(); });
    if (keeper) kept_.push_back({work, std::move(keeper)});
  }
  struct Kept {
    std::shared_ptr<LocalWork> work;
    std::shared_ptr<const void> keeper;
    bool is_done() const { return work->is_done(); }
  };
  std::shared_ptr<LocalRanks> ranks_;
  std::shared_ptr<LocalRanks::Group> group_;
  std::shared_ptr<LocalRanks::Member> member_;
  LocalRanks::Who who_;
  std::uint64_t started_ = 0;
  std::deque<Kept> kept_;
};

class LocalWorld final : public World {
 public:
  LocalWorld(std::shared_ptr<LocalRanks> ranks, std::shared_ptr<LocalRanks::Meeting> meeting, int rank,
             LocalRanks::Who who)
      : ranks_(std::move(ranks)), meeting_(std::move(meeting)), rank_(rank), who_(who) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_->here.size()); }
  std::shared_ptr<ProcessGroup> make_group(const std::string& name, const std::vector<int>& ranks) override {
    const std::lock_guard lock(ranks_->mutex_);
    std::shared_ptr<LocalRanks::Group>& group = meeting_->groups[name];
    if (!group) {
      group = std::make_shared<LocalRanks::Group>();
      group->name = name;
      group->ranks = ranks;
      group->members.resize(ranks.size());
      group->channels.resize(ranks.size() * ranks.size());
    }
    const auto place = std::find(group->ranks.begin(), group->ranks.end(), rank_);
    const auto member = std::make_shared<LocalRanks::Member>();
    member->me = static_cast<int>(place - group->ranks.begin());
    group->members[static_cast<std::size_t>(member->me)] = member;
    // Who left before this group was made does not come into it any more.
    for (std::size_t i = 0; i < group->ranks.size(); ++i) {
      const auto& gone = meeting_->gone[static_cast<std::size_t>(group->ranks[i])];
      if (!gone || group->members[i]) continue;
      group->members[i] = std::make_shared<LocalRanks::Member>();
      group->members[i]->me = static_cast<int>(i);
      group->members[i]->gone = gone;
    }
    return std::make_shared<LocalGroup>(ranks_, group, member, who_);
  }

 private:
  std::shared_ptr<LocalRanks> ranks_;
  std::shared_ptr<LocalRanks::Meeting> meeting_;
  int rank_;
  LocalRanks::Who who_;
};

/// Keys of one process, for a rank of it that waits for them in its way.
class LocalStore final : public Store {
 public:
  LocalStore(std::shared_ptr<LocalRanks> ranks, std::shared_ptr<Store> keys, std::string name, LocalRanks::Who who)
      : ranks_(std::move(ranks)), keys_(std::move(keys)), name_(std::move(name)), who_(who) {}
  const std::string& name() const { return name_; }

  base::Result<void> set(const std::string& key, const std::string& value) override {
    const std::lock_guard lock(ranks_->mutex_);
    ranks_->note_event();
    return keys_->set(key, value);
  }
  base::Result<std::string> get(const std::string& key, Timeout timeout) override {
    std::unique_lock lock(ranks_->mutex_);
    const auto is_there = [&] {
      const base::Result<bool> all = keys_->check({key});
      return !all.ok() || *all;
    };
    const LocalRanks::Waited waited = ranks_->wait(lock, who_, Clock::now() + timeout, is_there);
    if (waited == LocalRanks::Waited::Stuck) return rank_error(fmt::format("the store has no key {}: {}", key, kStuck));
    return keys_->get(key, Timeout(0));
  }
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
    const std::lock_guard lock(ranks_->mutex_);
    ranks_->note_event();
    return keys_->add(key, amount);
  }
  base::Result<std::string> compare_set(const std::string& key, const std::string& expected,
                                        const std::string& desired) override {
    const std::lock_guard lock(ranks_->mutex_);
    ranks_->note_event();
    return keys_->compare_set(key, expected, desired);
  }
  base::Result<bool> check(const std::vector<std::string>& keys) override {
    const std::lock_guard lock(ranks_->mutex_);
    return keys_->check(keys);
  }
  base::Result<bool> remove(const std::string& key) override {
    const std::lock_guard lock(ranks_->mutex_);
    return keys_->remove(key);
  }
  base::Result<std::int64_t> key_count() override {
    const std::lock_guard lock(ranks_->mutex_);
    return keys_->key_count();
  }

 private:
  std::shared_ptr<LocalRanks> ranks_;
  std::shared_ptr<Store> keys_;
  std::string name_;
  LocalRanks::Who who_;
};

class LocalConnector final : public Connector {
 public:
  LocalConnector(std::shared_ptr<LocalRanks> ranks, LocalRanks::Who who) : ranks_(std::move(ranks)), who_(who) {}

  base::Result<std::shared_ptr<Store>> open_store(const Rendezvous& where) override {
    const std::lock_guard lock(ranks_->mutex_);
    std::string name = where.scheme == "file" ? where.path : fmt::format("{}:{}", where.host, where.port);
    std::shared_ptr<Store>& keys = ranks_->stores_[name];
    if (!keys) keys = make_hash_store();
    return std::shared_ptr<Store>(std::make_shared<LocalStore>(ranks_, keys, std::move(name), who_));
  }

  base::Result<std::shared_ptr<World>> join(const std::shared_ptr<Store>& store, const Rendezvous& who) override {
    const auto* local = dynamic_cast<const LocalStore*>(store.get());
    if (local == nullptr) return rank_error("ranks of one process meet at a store that they share");
    std::unique_lock lock(ranks_->mutex_);
    std::shared_ptr<LocalRanks::Meeting>& place = ranks_->meetings_[local->name() + "/" + who.path];
    const auto me = static_cast<std::size_t>(who.rank);
    // Who comes to a place that is full begins the next world there.
    if (!place || place->here.size() != static_cast<std::size_t>(who.size) || place->here[me] != 0) {
      place = std::make_shared<LocalRanks::Meeting>();
      place->here.resize(static_cast<std::size_t>(who.size));
      place->gone.resize(place->here.size());
    }
    const std::shared_ptr<LocalRanks::Meeting> meeting = place;
    meeting->here[me] = 1;
    ranks_->joined_[who_.number].emplace_back(meeting, who.rank);
    ranks_->note_event();
    const auto count = [&] { return std::count(meeting->here.begin(), meeting->here.end(), 1); };
    const LocalRanks::Waited waited =
        ranks_->wait(lock, who_, Clock::now() + who.timeout, [&] { return count() == who.size; });
    if (waited != LocalRanks::Waited::Ready) {
      return rank_error(fmt::format("rank {}: only {} of {} other ranks came{}", who.rank, count() - 1, who.size - 1,
                                    waited == LocalRanks::Waited::Stuck
                                        ? ": this process has no more that could"
                                        : fmt::format(" within {} ms", who.timeout.count())));
    }
    return std::shared_ptr<World>(std::make_shared<LocalWorld>(ranks_, meeting, who.rank, who_));
  }

  base::Result<Spawned> spawn(int, const std::string&) override {
    return rank_error("a rank of this process starts no further ones");
  }

 private:
  std::shared_ptr<LocalRanks> ranks_;
  LocalRanks::Who who_;
};

std::shared_ptr<Connector> LocalRanks::connector(int rank, Turns* turns) {
  return std::make_shared<LocalConnector>(shared_from_this(), Who{rank, turns});
}

void LocalRanks::leave(int rank, const std::string& why) {
  const std::lock_guard lock(mutex_);
  for (const auto& [meeting, number] : joined_[rank]) {
    meeting->gone[static_cast<std::size_t>(number)] = why;
    for (const auto& [name, group] : meeting->groups) {
      const auto place = std::find(group->ranks.begin(), group->ranks.end(), number);
      if (place == group->ranks.end()) continue;
      std::shared_ptr<Member>& member = group->members[static_cast<std::size_t>(place - group->ranks.begin())];
      if (!member) {
        member = std::make_shared<Member>();
        member->me = static_cast<int>(place - group->ranks.begin());
      }
      member->gone = why;
      pump(*group);
    }
  }
  note_event();
}

}  // namespace nns::parallel
