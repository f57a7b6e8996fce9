#include "native/collectives/mesh_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.h"
#include "native/collectives/error.h"
#include "native/collectives/settled_work.h"

namespace nns::collectives {

using parallel::Collective;
using parallel::PointToPoint;
using parallel::WorkHandle;

namespace {

// Point to point has message keys of its own.
constexpr std::uint64_t kPointToPoint = std::uint64_t{1} << 63U;

std::uint64_t id_of(std::string_view name) { return base::hash_text(name) & ~kPointToPoint; }

}  // namespace

class MeshGroup::CollectiveWork final : public SettledWork {
 public:
  CollectiveWork(Collective what, std::uint64_t number) : collective(std::move(what)), sequence(number) {}
  const Collective collective;
  const std::uint64_t sequence;
};

// Looks into the mailbox when it is asked.
class MeshGroup::ReceiveWork final : public parallel::Work {
 public:
  ReceiveWork(std::shared_ptr<TcpMesh> mesh, std::vector<int> from, parallel::MessageKey key, std::span<std::byte> into,
              std::chrono::milliseconds timeout, std::string what)
      : mesh_(std::move(mesh)),
        from_(std::move(from)),
        key_(key),
        into_(into),
        deadline_(parallel::Deadline::after(timeout)),
        what_(std::move(what)) {}

  bool is_completed() override { return wait_for(std::chrono::milliseconds(0)); }
  bool wait_for(std::chrono::milliseconds time) override {
    if (is_done_) return true;
    const auto until = std::min(deadline_.at, std::chrono::steady_clock::now() + time);
    base::Result<std::optional<Mailbox::Letter>> got = mesh_->mailbox().take_any(from_, key_, until);
    if (!got.ok()) return finish(error(fmt::format("{}: {}", what_, got.error().message())));
    if (!got.value()) {
      if (std::chrono::steady_clock::now() < deadline_.at) return false;
      return finish(error(fmt::format("{}: nothing came within {} ms", what_, deadline_.limit.count())));
    }
    Mailbox::Letter letter = *std::move(got).value();
    source_ = letter.from;
    if (letter.bytes.size != into_.size()) {
      return finish(error(fmt::format("{}: rank {} sent {} bytes where {} were expected", what_, letter.from,
                                      letter.bytes.size, into_.size())));
    }
    std::copy_n(letter.bytes.data.get(), letter.bytes.size, into_.begin());
    return finish({});
  }
  base::Result<void> result() override { return result_; }
  int source_rank() const override { return source_; }
  /// The number in the group of each rank of the mesh that may send.
  void translate(const std::vector<int>& ranks) { ranks_ = ranks; }

 private:
  bool finish(base::Result<void> result) {
    is_done_ = true;
    result_ = std::move(result);
    const auto found = std::find(ranks_.begin(), ranks_.end(), source_);
    if (found != ranks_.end()) source_ = static_cast<int>(found - ranks_.begin());
    return true;
  }
  std::shared_ptr<TcpMesh> mesh_;
  std::vector<int> from_, ranks_;
  parallel::MessageKey key_;
  std::span<std::byte> into_;
  parallel::Deadline deadline_;
  std::string what_;
  bool is_done_ = false;
  int source_ = -1;
  base::Result<void> result_;
};

MeshGroup::MeshGroup(std::shared_ptr<TcpMesh> mesh, std::string name, std::vector<int> ranks)
    : mesh_(std::move(mesh)), name_(std::move(name)), ranks_(std::move(ranks)), id_(id_of(name_)) {
  me_ = static_cast<int>(std::find(ranks_.begin(), ranks_.end(), mesh_->rank()) - ranks_.begin());
  thread_ = std::thread([this] { loop(); });
}

MeshGroup::~MeshGroup() { stop(); }

void MeshGroup::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (const auto& work : std::exchange(queue_, {})) work->complete(error("the process group was destroyed"));
  kept_.clear();
}

void MeshGroup::keep(const WorkHandle& work, std::shared_ptr<const void> keeper) {
  std::erase_if(kept_, [](const auto& one) { return one.first->is_completed(); });
  if (keeper) kept_.emplace_back(work, std::move(keeper));
}

std::optional<std::string> MeshGroup::trouble() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (static_cast<int>(rank) == me_) continue;
    if (const auto why = mesh_->mailbox().gone(ranks_[rank])) return fmt::format("rank {}: {}", ranks_[rank], *why);
  }
  return std::nullopt;
}

WorkHandle MeshGroup::start(Collective collective) {
  ++started_;
  const base::Result<void> checked = check_collective(collective, me_, size());
  if (!checked.ok()) return parallel::completed_work(checked);
  std::shared_ptr<const void> keeper = std::exchange(collective.keeper, nullptr);
  const auto work = std::make_shared<CollectiveWork>(std::move(collective), started_);
  keep(work, std::move(keeper));
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) {
      work->complete(error("the process group was destroyed"));
      return work;
    }
    queue_.push_back(work);
  }
  changed_.notify_one();
  return work;
}

void MeshGroup::loop() {
  while (true) {
    std::shared_ptr<CollectiveWork> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = queue_.front();
      queue_.pop_front();
    }
    work->complete(run(work->collective, work->sequence));
  }
}

base::Result<void> MeshGroup::run(const Collective& collective, std::uint64_t sequence) {
  const base::Result<void> done = parallel::run_collective({*mesh_, id_, ranks_, me_, sequence}, collective);
  if (done.ok()) return done;
  const std::string subject = collective.subject.empty() ? "" : fmt::format(" ({})", collective.subject);
  const std::string text =
      fmt::format("{} number {} of process group {}{} failed on rank {}: {}", collective_name(collective.kind),
                  sequence, name_, subject, mesh_->rank(), done.error().message());
  mesh_->tell_failure(id_, ranks_, text);
  return error(text);
}

WorkHandle MeshGroup::send(std::span<const std::byte> bytes, const PointToPoint& how) {
  parallel::CollectiveSignature signature;
  signature.dtype = how.dtype;
  signature.bytes = bytes.size();
  WorkHandle work = mesh_->send(ranks_[static_cast<std::size_t>(how.peer)],
                                {id_ | kPointToPoint, static_cast<std::uint64_t>(how.tag), 0}, signature, bytes);
  keep(work, how.keeper);
  return work;
}

WorkHandle MeshGroup::receive(std::span<std::byte> bytes, const PointToPoint& how) {
  std::vector<int> from;
  std::string what = fmt::format("recv with tag {} of process group {} on rank {}", how.tag, name_, mesh_->rank());
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == how.peer || (how.peer < 0 && rank != me_)) from.push_back(ranks_[static_cast<std::size_t>(rank)]);
  }
  const auto work = std::make_shared<ReceiveWork>(
      mesh_, std::move(from), parallel::MessageKey{id_ | kPointToPoint, static_cast<std::uint64_t>(how.tag), 0}, bytes,
      how.timeout, std::move(what));
  work->translate(ranks_);
  keep(work, how.keeper);
  return work;
}

}  // namespace nns::collectives
