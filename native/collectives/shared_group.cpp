#include "native/collectives/shared_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/hash.h"
#include "core/parallel/cell_plan.h"
#include "native/collectives/error.h"
#include "native/collectives/shared_channels.h"

namespace nns::collectives {

using parallel::Collective;
using parallel::PointToPoint;
using parallel::WorkHandle;
using Clock = std::chrono::steady_clock;

namespace {

// Waiting: so long a rank looks without a pause, where each has a processor; so long where they share some. It yields
// to nobody meanwhile: on a busy machine that gives away milliseconds. So long it sleeps at most before it looks
// whether somebody failed.
constexpr std::chrono::microseconds kLookTime(300), kShortLookTime(10);
constexpr std::chrono::milliseconds kSleepTime(20);
// Looks between two questions for the time.
constexpr int kLooksAtOnce = 16;
// How long who cannot be called yet sleeps.
constexpr std::chrono::microseconds kNapTime(100);
// Pieces that are moved without letting go of the lock.
constexpr int kPiecesAtOnce = 16;

}  // namespace

class SharedGroup::SharedWork final : public parallel::Work, public std::enable_shared_from_this<SharedWork> {
 public:
  SharedWork(std::shared_ptr<Engine> engine, Collective what, std::uint64_t number)
      : collective(std::move(what)),
        sequence(number),
        signature(signature_of(collective)),
        engine_(std::move(engine)) {}

  bool is_completed() override { return wait_for(std::chrono::milliseconds(0)); }
  bool wait_for(std::chrono::milliseconds time) override;
  base::Result<void> result() override { return result_; }
  bool is_done() const { return is_done_.load(std::memory_order_acquire); }

  // What follows belongs to who holds the lock of the engine.
  void complete(base::Result<void> result) {
    result_ = std::move(result);
    is_done_.store(true, std::memory_order_release);
  }
  const Collective collective;
  const std::uint64_t sequence;
  const parallel::CollectiveSignature signature;
  parallel::CellPlan plan;
  bool is_planned = false;
  std::size_t written = 0, taken = 0;
  std::optional<parallel::Deadline> deadline;

 private:
  std::shared_ptr<Engine> engine_;
  std::atomic<bool> is_done_ = false;
  base::Result<void> result_;
};

/// The collectives of one group that are not done, in their order.
class SharedGroup::Engine {
 public:
  Engine(std::shared_ptr<TcpMesh> mesh, std::string name, std::vector<int> ranks)
      : mesh_(std::move(mesh)),
        name_(std::move(name)),
        ranks_(std::move(ranks)),
        id_(base::hash_text(name_) & ~(std::uint64_t{1} << 63U)),
        cell_bytes_(SharedChannels::cell_bytes(size())),
        look_time_(static_cast<unsigned>(size()) <= std::thread::hardware_concurrency() ? kLookTime : kShortLookTime) {
    me_ = static_cast<int>(std::find(ranks_.begin(), ranks_.end(), mesh_->rank()) - ranks_.begin());
    if (me_ == 0) make_memory();
  }

  int me() const { return me_; }
  int size() const { return static_cast<int>(ranks_.size()); }

  void start(const std::shared_ptr<SharedWork>& work, std::shared_ptr<const void> keeper) {
    const std::lock_guard lock(mutex_);
    // What is done is let go of here, on the interpreter's thread.
    std::erase_if(kept_, [](const auto& one) { return one.first->is_done(); });
    if (keeper) kept_.emplace_back(work, std::move(keeper));
    if (is_stopping_) return work->complete(error("the process group was destroyed"));
    queue_.push_back(work);
    advance(kPiecesAtOnce);
    if (!keeps_others_waiting()) return;
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    has_duty_ = true;
    duty_.notify_one();
  }

  // Whether it is done.
  bool wait(const SharedWork& work, std::chrono::milliseconds time) {
    if (work.is_done()) return true;
    Waiting waiting(Clock::now() + time);
    const std::lock_guard who_waits(*this);
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        advance(kPiecesAtOnce);
        if (work.is_done()) return true;
      }
      if (pause(waiting)) continue;
      // Who only asks now and then hears of failures, too.
      const std::lock_guard lock(mutex_);
      look_for_trouble();
      return work.is_done();
    }
  }
  // Lockable: while somebody waits, the group's own thread stands back.
  void lock() { waiting_threads_.fetch_add(1, std::memory_order_acq_rel); }
  void unlock() {
    if (waiting_threads_.fetch_sub(1, std::memory_order_acq_rel) != 1 || !has_duty_) return;
    const std::lock_guard lock(mutex_);
    has_duty_ = keeps_others_waiting();
    if (has_duty_) duty_.notify_one();
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      if (is_stopping_) return;
      is_stopping_ = true;
      for (const auto& work : std::exchange(queue_, {})) work->complete(error("the process group was destroyed"));
      if (channels_) channels_->ring_own();
    }
    duty_.notify_all();
    if (thread_.joinable()) thread_.join();
    kept_.clear();
  }

 private:
  struct Waiting {
    explicit Waiting(Clock::time_point end) : until(end) {}
    Clock::time_point until;
    Clock::time_point began;
    int looks = 0;
  };

  // Whether another rank may need this one before the program waits for what it started: something is not written yet,
  // or there are more pieces to read than fit into the channels. Only then is a thread beside the program worth its
  // price.
  bool keeps_others_waiting() const {
    std::size_t unread = 0;
    for (const auto& work : queue_) {
      if (!work->is_planned || work->written < work->plan.writes.size()) return true;
      unread += work->plan.takes.size() - work->taken;
    }
    return unread > SharedChannels::kCells;
  }

  // Rank 0 of the group: the memory, and a letter to each of the others.
  void make_memory() {
    base::Result<std::unique_ptr<SharedMemory>> made = SharedMemory::make(SharedChannels::memory_bytes(size()));
    if (made.ok()) {
      place_ = (*made)->place();
      channels_ = std::make_unique<SharedChannels>(*std::move(made), 0, size());
    } else {
      trouble_ = made.error().message();
    }
    parallel::CollectiveSignature signature;
    signature.bytes = sizeof(place_);
    for (int rank = 1; rank < size(); ++rank) {
      letters_.push_back(mesh_->send(ranks_[static_cast<std::size_t>(rank)], {id_, 0, 0}, signature,
                                     std::as_bytes(std::span(&place_, 1))));
    }
  }
  // The others: once the letter is there.
  void open_memory() {
    const std::array<int, 1> from = {ranks_[0]};
    base::Result<std::optional<Mailbox::Letter>> got =
        mesh_->mailbox().take_any(from, {id_, 0, 0}, Clock::time_point::min());
    if (!got.ok()) {
      trouble_ = got.error().message();
      return;
    }
    if (!got.value()) return;
    const parallel::ReceivedBytes& letter = (*got.value()).bytes;
    if (letter.size == sizeof(place_)) std::memcpy(&place_, letter.data.get(), sizeof(place_));
    if (place_.size != SharedChannels::memory_bytes(size())) {
      trouble_ = fmt::format("rank {} could make no memory that the ranks share", ranks_[0]);
      return;
    }
    base::Result<std::unique_ptr<SharedMemory>> opened = SharedMemory::open(place_);
    if (!opened.ok()) {
      const std::optional<std::string> gone = mesh_->mailbox().gone(ranks_[0]);
      trouble_ = gone ? fmt::format("rank {} is gone: {}", ranks_[0], *gone) : opened.error().message();
      return;
    }
    channels_ = std::make_unique<SharedChannels>(*std::move(opened), me_, size());
  }

  // Moves what can be moved, at most so many pieces. Whether something was. Must hold: the lock.
  bool advance(int most) {
    int moved = 0;
    while (!queue_.empty() && moved < most) {
      SharedWork& head = *queue_.front();
      if (!head.deadline) {
        head.deadline = parallel::Deadline::after(head.collective.timeout);
        // That somebody gave up before counts for all that comes later.
        if (trouble_.empty() && mesh_->mailbox().has_failures()) {
          if (const auto why = mesh_->mailbox().failure(id_, -1)) trouble_ = *why;
        }
      }
      if (!channels_ && trouble_.empty()) open_memory();
      if (!trouble_.empty()) {
        fail(trouble_);
        continue;
      }
      if (!channels_) return moved > 0;
      const int before = moved;
      moved += take_some(head);
      moved += write_some();
      if (!queue_.empty() && queue_.front().get() == &head && head.is_planned &&
          head.written == head.plan.writes.size() && head.taken == head.plan.takes.size()) {
        head.complete({});
        queue_.pop_front();
        continue;
      }
      if (moved == before) break;
    }
    return moved > 0;
  }

  void make_plan(SharedWork& work) {
    if (std::exchange(work.is_planned, true)) return;
    work.plan = parallel::make_cell_plan(work.collective, me_, size(), cell_bytes_);
  }

  // One piece that came.
  int take_some(SharedWork& work) {
    make_plan(work);
    if (work.taken == work.plan.takes.size()) return 0;
    const parallel::CellPlan::Take& take = work.plan.takes[work.taken];
    if (work.written < take.after_writes) return 0;
    if (take.from == me_) {
      apply_take(work.collective, take, take.own);
      ++work.taken;
      return 1;
    }
    if (!channels_->can_read(take.from)) return 0;
    const SharedChannels::Cell cell = channels_->front(take.from);
    const int rank = ranks_[static_cast<std::size_t>(take.from)];
    if (cell.sequence != work.sequence || !(cell.signature == work.signature)) {
      fail(fmt::format("rank {} runs {} as number {}, this rank {}", rank, signature_text(cell.signature),
                       cell.sequence, signature_text(work.signature)));
      return 0;
    }
    if (cell.message_bytes != take.message_bytes || cell.bytes.size() != take.into.size()) {
      fail(fmt::format("rank {} sent {} bytes where {} were expected", rank, cell.message_bytes, take.message_bytes));
      return 0;
    }
    apply_take(work.collective, take, cell.bytes);
    channels_->pop(take.from);
    ++work.taken;
    return 1;
  }

  // One piece of the first collective that has some left: those behind the first run ahead where they read nothing that
  // it still writes.
  int write_some() {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      SharedWork& work = *queue_[i];
      if (!work.is_planned) {
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
          if (parallel::depends(work.collective, queue_[earlier]->collective)) return 0;
        }
        make_plan(work);
      }
      if (work.written == work.plan.writes.size()) continue;
      const parallel::CellPlan::Write& write = work.plan.writes[work.written];
      if (work.taken < write.after_takes || !channels_->can_write(write.to)) return 0;
      channels_->write(write.to, work.sequence, work.signature, write.bytes, write.message_bytes);
      ++work.written;
      return 1;
    }
    return 0;
  }

  // The first collective failed, and with it the group: what the channels hold belongs to nothing any more.
  void fail(const std::string& why) {
    const std::shared_ptr<SharedWork> work = queue_.front();
    const std::string subject = work->collective.subject.empty() ? "" : fmt::format(" ({})", work->collective.subject);
    const std::string text =
        fmt::format("{} number {} of process group {}{} failed on rank {}: {}", collective_name(work->collective.kind),
                    work->sequence, name_, subject, mesh_->rank(), why);
    if (trouble_.empty()) trouble_ = fmt::format("rank {} stopped: {}", mesh_->rank(), text);
    mesh_->tell_failure(id_, ranks_, text);
    queue_.pop_front();
    work->complete(error(text));
  }

  // The rank that the first collective waits for, as the mesh numbers them; -1: for none.
  int awaited_rank() const {
    const SharedWork& head = *queue_.front();
    if (!channels_) return ranks_[0];
    if (head.taken < head.plan.takes.size() && head.written >= head.plan.takes[head.taken].after_writes) {
      return ranks_[static_cast<std::size_t>(head.plan.takes[head.taken].from)];
    }
    if (head.written < head.plan.writes.size())
      return ranks_[static_cast<std::size_t>(head.plan.writes[head.written].to)];
    return -1;
  }

  // Whether the first collective cannot end well any more. Must hold: the lock, and that nothing moves.
  void look_for_trouble() {
    if (queue_.empty() || !queue_.front()->deadline) return;
    const int rank = awaited_rank();
    if (const auto why = mesh_->mailbox().failure(id_, -1)) return fail(*why);
    if (const auto why = rank < 0 ? std::nullopt : mesh_->mailbox().gone(rank)) {
      // What it wrote before it went still counts.
      if (advance(kPiecesAtOnce)) return;
      return fail(fmt::format("rank {} is gone: {}", rank, *why));
    }
    const parallel::Deadline deadline = *queue_.front()->deadline;
    if (rank < 0 || Clock::now() < deadline.at) return;
    fail(fmt::format("rank {} sent nothing within {} ms", rank, deadline.limit.count()));
  }

  // A little while in which nothing moves. False: the time is over.
  bool pause(Waiting& waiting) {
    if (++waiting.looks % kLooksAtOnce != 1) return true;
    const Clock::time_point now = Clock::now();
    if (now >= waiting.until) return false;
    if (waiting.began == Clock::time_point()) waiting.began = now;
    if (now - waiting.began < look_time_) return true;
    SharedChannels* channels = nullptr;
    {
      const std::lock_guard lock(mutex_);
      look_for_trouble();
      channels = channels_.get();
    }
    const auto left = std::min<std::chrono::nanoseconds>(waiting.until - now, kSleepTime);
    if (channels == nullptr) {
      // Nobody can call yet.
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kNapTime));
      return true;
    }
    const std::uint32_t times = channels->times_rung();
    channels->note_asleep();
    bool has_news = false;
    {
      const std::lock_guard lock(mutex_);
      has_news = advance(kPiecesAtOnce) || queue_.empty();
    }
    if (!has_news) channels->sleep(times, left);
    channels->note_awake();
    // Whoever was woken looks again for a while.
    waiting.looks = 0;
    waiting.began = {};
    return true;
  }

  // What is left over while the program does something else.
  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      duty_.wait(lock, [this] {
        return is_stopping_ || (has_duty_ && waiting_threads_.load(std::memory_order_acquire) == 0);
      });
      if (is_stopping_) return;
      Waiting waiting(Clock::now() + std::chrono::hours(1));
      while (!is_stopping_ && keeps_others_waiting() && waiting_threads_.load(std::memory_order_acquire) == 0) {
        if (advance(kPiecesAtOnce)) waiting = Waiting(Clock::now() + std::chrono::hours(1));
        lock.unlock();
        pause(waiting);
        lock.lock();
      }
      if (!keeps_others_waiting()) has_duty_ = false;
    }
  }

  std::shared_ptr<TcpMesh> mesh_;
  std::string name_;
  std::vector<int> ranks_;
  int me_ = 0;
  std::uint64_t id_;
  std::size_t cell_bytes_;
  std::chrono::microseconds look_time_;

  std::mutex mutex_;
  SharedMemoryPlace place_;
  std::vector<WorkHandle> letters_;
  std::unique_ptr<SharedChannels> channels_;
  /// Why nothing works any more; empty: it does.
  std::string trouble_;
  std::deque<std::shared_ptr<SharedWork>> queue_;
  /// What must stay until its work is done; dropped by the interpreter's thread.
  std::vector<std::pair<std::shared_ptr<SharedWork>, std::shared_ptr<const void>>> kept_;
  bool is_stopping_ = false;

  std::atomic<int> waiting_threads_ = 0;
  std::atomic<bool> has_duty_ = false;
  std::condition_variable duty_;
  std::thread thread_;
};

bool SharedGroup::SharedWork::wait_for(std::chrono::milliseconds time) { return engine_->wait(*this, time); }

SharedGroup::SharedGroup(std::shared_ptr<TcpMesh> mesh, std::string name, std::vector<int> ranks)
    : engine_(std::make_shared<Engine>(mesh, name, ranks)),
      letters_(std::move(mesh), std::move(name), std::move(ranks)) {}

SharedGroup::~SharedGroup() { stop(); }

int SharedGroup::rank() const { return engine_->me(); }
int SharedGroup::size() const { return engine_->size(); }

void SharedGroup::stop() {
  engine_->stop();
  letters_.stop();
}

WorkHandle SharedGroup::start(Collective collective) {
  ++started_;
  const base::Result<void> checked = check_collective(collective, rank(), size());
  if (!checked.ok()) return parallel::completed_work(checked);
  std::shared_ptr<const void> keeper = std::exchange(collective.keeper, nullptr);
  const auto work = std::make_shared<SharedWork>(engine_, std::move(collective), started_);
  engine_->start(work, std::move(keeper));
  return work;
}

WorkHandle SharedGroup::send(std::span<const std::byte> bytes, const PointToPoint& how) {
  return letters_.send(bytes, how);
}
WorkHandle SharedGroup::receive(std::span<std::byte> bytes, const PointToPoint& how) {
  return letters_.receive(bytes, how);
}

}  // namespace nns::collectives
