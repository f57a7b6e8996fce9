#include "native/collectives/nccl_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/parallel/connector.h"
#include "core/tensor/tensor.h"
#include "native/collectives/error.h"
#include "native/collectives/nccl_communicator.h"
#include "native/cuda/check.h"

namespace nns::collectives {

using parallel::Collective;
using parallel::WorkHandle;
using Clock = std::chrono::steady_clock;

namespace {

// How often is looked at what runs on the device.
constexpr std::chrono::milliseconds kWakeTime(50);
// What a rank that said goodbye has still on its way gets here within.
constexpr std::chrono::seconds kGraceTime(3);
// What is under way when a group goes may still end by itself.
constexpr std::chrono::seconds kLeaveTime(5);
// How long the ranks ask each other what went wrong.
constexpr std::chrono::seconds kDiagnosisTime(5);

/// Looks again and again, at first without much of a pause.
class Pauses {
 public:
  void sleep() {
    constexpr std::chrono::microseconds kLongest(1000);
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, kLongest);
  }

 private:
  std::chrono::microseconds next_{10};
};

/// A moment on a stream.
class StreamEvent {
 public:
  StreamEvent() { static_cast<void>(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~StreamEvent() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;
  base::Result<void> record(cudaStream_t stream) {
    return cuda::checked(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  /// What is queued on `stream` from now on comes after it.
  base::Result<void> order(cudaStream_t stream) {
    return cuda::checked(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }
  base::Result<bool> has_passed() {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;
    NNS_TRY(cuda::checked(status, "cudaEventQuery"));
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

class NcclGroup::NcclWork final : public parallel::Work {
 public:
  NcclWork(std::shared_ptr<Engine> owner, Collective what, std::uint64_t number);

  bool is_completed() override {
    const std::lock_guard lock(mutex_);
    if (state_ == State::Launched) {
      const base::Result<bool> passed = done.has_passed();
      if (!passed.ok() || *passed) state_ = State::Over;
      if (!passed.ok()) result_ = passed.error();
    }
    return state_ == State::Over;
  }
  bool wait_for(std::chrono::milliseconds time) override;
  base::Result<void> result() override;

  void note_launched() { change(State::Launched, {}); }
  void note_over(base::Result<void> result) { change(State::Over, std::move(result)); }

  const Collective collective;
  const std::uint64_t sequence;
  const Clock::time_point deadline;
  StreamEvent ready, done;

 private:
  enum class State : std::uint8_t { Queued, Launched, Over };
  void change(State state, base::Result<void> result) {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::Over) return;
      state_ = state;
      result_ = std::move(result);
    }
    changed_.notify_all();
  }
  std::shared_ptr<Engine> engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::Queued;
  bool is_ordered_ = false;
  base::Result<void> result_;
};

/// The thread that calls NCCL and looks after what it does.
class NcclGroup::Engine {
 public:
  Engine(std::shared_ptr<cuda::Device> gpu, std::shared_ptr<parallel::ProcessGroup> group, const NcclLibrary& library,
         const ncclUniqueId& id)
      : device(std::move(gpu)), host_(std::move(group)), nccl_(library), id_(id) {
    thread_ = std::thread([this] { loop(); });
  }

  /// The interpreter's thread.
  void push(std::shared_ptr<NcclWork> work) {
    last_pushed_ = work->sequence;
    {
      const std::lock_guard lock(mutex_);
      if (failure_.empty() && !is_stopping_) {
        queue_.push_back(std::move(work));
        changed_.notify_one();
        return;
      }
    }
    work->note_over(error(is_failed() ? "its process group had failed before" : "the process group was destroyed"));
  }
  /// Nothing runs any more.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  bool is_failed() const {
    const std::lock_guard lock(mutex_);
    return !failure_.empty();
  }
  /// What ended the group, with what the other ranks say of it. Must hold: is_failed(), the interpreter's thread.
  const std::string& explanation() {
    if (!explanation_.empty()) return explanation_;
    bool is_known = false;
    {
      const std::lock_guard lock(mutex_);
      explanation_ = failure_;
      is_known = is_explained_;
    }
    if (!is_known) explanation_ += diagnosis();
    return explanation_;
  }

  const std::shared_ptr<cuda::Device> device;

 private:
  void loop() {
    const base::Result<void> begun = begin();
    if (!begun.ok()) fail(begun.error().message(), true);
    while (true) {
      std::shared_ptr<NcclWork> work;
      {
        std::unique_lock lock(mutex_);
        const auto has_some = [this] { return is_stopping_ || !queue_.empty(); };
        if (in_flight_.empty()) {
          changed_.wait(lock, has_some);
        } else {
          changed_.wait_for(lock, kWakeTime, has_some);
        }
        if (queue_.empty() && is_stopping_) break;
        if (!queue_.empty()) {
          work = std::move(queue_.front());
          queue_.pop_front();
        }
      }
      if (work != nullptr) launch(std::move(work));
      look();
    }
    leave();
  }

  base::Result<void> begin() {
    NNS_TRY(cuda::checked(cudaSetDevice(device->number()), "cudaSetDevice"));
    return cuda::checked(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }

  // Until NCCL has done what it was asked for, or there is no sense in waiting. False: the group has failed.
  bool settle(const NcclWork& work) {
    for (Pauses pauses;; pauses.sleep()) {
      const base::Result<bool> ready = communicator_->is_ready();
      if (!ready.ok()) return fail_in(work, ready.error().message(), false);
      if (*ready) return true;
      if (!may_wait(work)) return false;
    }
  }

  // Whether a collective may take longer; if not, the group has failed.
  bool may_wait(const NcclWork& work) {
    const Clock::time_point now = Clock::now();
    if (now > work.deadline) {
      return fail_in(work, fmt::format("it was not done within {} ms", work.collective.timeout.count()), false);
    }
    const std::optional<std::string> trouble = host_->trouble();
    if (!trouble) return true;
    if (trouble_since_ == Clock::time_point()) trouble_since_ = now;
    if (now - trouble_since_ < kGraceTime) return true;
    return fail_in(work, *trouble, true);
  }

  void launch(std::shared_ptr<NcclWork> work) {
    if (is_failed()) return work->note_over(error("its process group had failed before"));
    in_flight_.push_back(work);
    if (communicator_ == nullptr) {
      auto begun = NcclCommunicator::begin(nccl_, id_, host_->rank(), host_->size());
      if (!begun.ok()) return static_cast<void>(fail_in(*work, begun.error().message(), false));
      communicator_ = std::move(begun).value();
      if (!settle(*work)) return;
    }
    const auto put = [&]() -> base::Result<void> {
      NNS_TRY(work->ready.order(stream_));
      return communicator_->launch(work->collective, stream_);
    };
    if (const base::Result<void> done = put(); !done.ok()) {
      return static_cast<void>(fail_in(*work, done.error().message(), false));
    }
    if (!settle(*work)) return;
    if (const base::Result<void> done = work->done.record(stream_); !done.ok()) {
      return static_cast<void>(fail_in(*work, done.error().message(), false));
    }
    work->note_launched();
  }

  // What is over goes, in its order; what is not may have failed.
  void look() {
    while (!in_flight_.empty() && in_flight_.front()->is_completed()) in_flight_.pop_front();
    if (in_flight_.empty()) {
      trouble_since_ = {};
      return;
    }
    const std::shared_ptr<NcclWork> oldest = in_flight_.front();
    const base::Result<bool> ready = communicator_->is_ready();
    if (!ready.ok()) {
      fail_in(*oldest, ready.error().message(), false);
    } else {
      may_wait(*oldest);
    }
  }

  bool fail_in(const NcclWork& work, const std::string& why, bool is_explained) {
    const std::string subject =
        work.collective.subject.empty() ? std::string() : fmt::format(" ({})", work.collective.subject);
    fail(fmt::format("{} number {} on GPUs{} failed on rank {}: {}", collective_name(work.collective.kind),
                     work.sequence, subject, host_->rank(), why),
         is_explained);
    return false;
  }
  // Nothing more is communicated: what waits on the device goes on, with whatever its memory holds.
  void fail(const std::string& text, bool is_explained) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = text;
      is_explained_ = is_explained;
      failed_at_ = in_flight_.empty() ? 0 : in_flight_.front()->sequence;
      in_flight_.insert(in_flight_.end(), queue_.begin(), queue_.end());
      queue_.clear();
    }
    communicator_.reset();
    for (const auto& work : std::exchange(in_flight_, {})) work->note_over(error(text));
  }

  void leave() {
    const Clock::time_point until = Clock::now() + kLeaveTime;
    Pauses pauses;
    for (look(); !in_flight_.empty() && Clock::now() < until; look()) pauses.sleep();
    if (!in_flight_.empty()) fail("the process group was destroyed before it was done", true);
    if (communicator_ != nullptr && communicator_->finish().ok()) {
      base::Result<bool> ready = communicator_->is_ready();
      for (; ready.ok() && !*ready && Clock::now() < until; ready = communicator_->is_ready()) pauses.sleep();
    }
    communicator_.reset();
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }

  // Which collective each rank has come to: all ask, so that who does not answer is named.
  std::string diagnosis() {
    const auto ranks = static_cast<std::size_t>(host_->size());
    const auto numbers = std::make_shared<std::vector<std::uint64_t>>(ranks + 1);
    std::uint64_t failed_at = 0;
    {
      const std::lock_guard lock(mutex_);
      failed_at = failed_at_;
    }
    (*numbers)[ranks] = last_pushed_;
    Collective gather;
    gather.kind = parallel::CollectiveKind::AllGather;
    gather.dtype = tensor::DType::Int64;
    gather.inputs = {std::as_bytes(std::span(*numbers).subspan(ranks, 1))};
    for (std::size_t i = 0; i < ranks; ++i) {
      gather.outputs.push_back(std::as_writable_bytes(std::span(*numbers).subspan(i, 1)));
    }
    gather.subject = "which collective on GPUs each rank has come to";
    gather.keeper = numbers;
    gather.timeout = kDiagnosisTime;
    const WorkHandle work = host_->start(std::move(gather));
    const base::Result<void> done = work->wait(kDiagnosisTime + std::chrono::seconds(1));
    if (!done.ok()) return fmt::format("; not all ranks say what they do: {}", done.error().message());
    std::string text;
    for (std::size_t i = 0; i < ranks; ++i) {
      if ((*numbers)[i] >= failed_at) continue;
      text += fmt::format("; rank {} has come to number {} only", i, (*numbers)[i]);
    }
    return text.empty() ? "; all ranks have started it" : text;
  }

  std::shared_ptr<parallel::ProcessGroup> host_;
  const NcclLibrary& nccl_;
  ncclUniqueId id_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<NcclWork>> queue_;
  bool is_stopping_ = false;
  std::string failure_;
  bool is_explained_ = false;
  std::uint64_t failed_at_ = 0;

  // Of the own thread.
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<NcclCommunicator> communicator_;
  std::deque<std::shared_ptr<NcclWork>> in_flight_;
  Clock::time_point trouble_since_;

  // Of the interpreter's.
  std::string explanation_;
  std::uint64_t last_pushed_ = 0;

  std::thread thread_;
};

/// Who reads results of the device hears that they are none.
class NcclGroup::Companion final : public cuda::DeviceCompanion {
 public:
  explicit Companion(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  base::Result<void> state() override {
    if (!engine_->is_failed()) return {};
    return error(engine_->explanation());
  }

 private:
  std::shared_ptr<Engine> engine_;
};

NcclGroup::NcclWork::NcclWork(std::shared_ptr<Engine> owner, Collective what, std::uint64_t number)
    : collective(std::move(what)),
      sequence(number),
      deadline(Clock::now() + collective.timeout),
      engine_(std::move(owner)) {}

bool NcclGroup::NcclWork::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, time, [this] { return state_ != State::Queued; })) return false;
  if (!result_.ok() || std::exchange(is_ordered_, true)) return true;
  if (const base::Result<void> ordered = done.order(engine_->device->stream()); !ordered.ok()) {
    result_ = ordered;
    state_ = State::Over;
  }
  return true;
}

base::Result<void> NcclGroup::NcclWork::result() {
  {
    const std::lock_guard lock(mutex_);
    if (result_.ok()) return {};
    if (!engine_->is_failed()) return result_;
  }
  return error(engine_->explanation());
}

NcclGroup::NcclGroup(object::Interpreter& interpreter, std::shared_ptr<parallel::ProcessGroup> host)
    : interpreter_(interpreter), host_(std::move(host)) {}

NcclGroup::~NcclGroup() {
  if (engine_ != nullptr) engine_->stop();
  kept_.clear();
}

// The first collective on GPUs: rank 0 says where all meet.
base::Result<void> NcclGroup::meet(std::chrono::milliseconds timeout) {
  if (engine_ != nullptr) return {};
  auto device = std::dynamic_pointer_cast<cuda::Device>(tensor::TensorLibrary::of(interpreter_).cuda);
  if (device == nullptr) return error("this program has no GPU that NCCL could use");
  NNS_TRY_ASSIGN(const NcclLibrary* const nccl, NcclLibrary::open());
  const auto id = std::make_shared<ncclUniqueId>();
  if (rank() == 0) {
    const ncclResult_t made = nccl->GetUniqueId(id.get());
    if (made != ncclSuccess) {
      return error(fmt::format("NCCL: ncclGetUniqueId gave \"{}\"", nccl->GetErrorString(made)));
    }
  }
  Collective tell;
  tell.kind = parallel::CollectiveKind::Broadcast;
  tell.outputs = {std::as_writable_bytes(std::span(id.get(), 1))};
  tell.subject = "where the GPUs meet";
  tell.keeper = id;
  tell.timeout = timeout;
  const WorkHandle told = host_->start(std::move(tell));
  if (const auto waited = parallel::wait_for_work(interpreter_, *told, timeout); !waited.ok()) {
    return error(std::string(waited.error().message()));
  }
  engine_ = std::make_shared<Engine>(std::move(device), host_, *nccl, *id);
  companion_ = std::make_shared<Companion>(engine_);
  engine_->device->add(companion_);
  return {};
}

WorkHandle NcclGroup::start(Collective collective) {
  if (tensor::is_cpu(collective.device)) return host_->start(std::move(collective));
  const auto begin = [&]() -> base::Result<void> {
    NNS_TRY(check_collective(collective, rank(), size()));
    const parallel::CollectiveKind kind = collective.kind;
    if (kind == parallel::CollectiveKind::AllReduce || kind == parallel::CollectiveKind::Reduce ||
        kind == parallel::CollectiveKind::ReduceScatter) {
      NNS_TRY(check_gpu_reduction(collective.dtype, collective.op));
    }
    return meet(collective.timeout);
  };
  if (base::Result<void> begun = begin(); !begun.ok()) return parallel::completed_work(std::move(begun));
  std::erase_if(kept_, [](const auto& one) { return one.first->is_completed(); });
  std::shared_ptr<const void> keeper = std::exchange(collective.keeper, nullptr);
  auto work = std::make_shared<NcclWork>(engine_, std::move(collective), ++started_);
  if (base::Result<void> recorded = work->ready.record(engine_->device->stream()); !recorded.ok()) {
    return parallel::completed_work(std::move(recorded));
  }
  if (keeper) kept_.emplace_back(work, std::move(keeper));
  engine_->push(work);
  return work;
}

base::Result<void> look_for_nccl() {
  NNS_TRY(NcclLibrary::open());
  return {};
}

base::Result<std::shared_ptr<parallel::ProcessGroup>> make_gpu_group(object::Interpreter& interpreter,
                                                                     std::shared_ptr<parallel::ProcessGroup> host) {
  NNS_TRY(look_for_nccl());
  return std::shared_ptr<parallel::ProcessGroup>(std::make_shared<NcclGroup>(interpreter, std::move(host)));
}

}  // namespace nns::collectives
