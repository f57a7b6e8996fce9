#include "native/server/host_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/live/broadcast.h"
#include "core/live/commands.h"
#include "core/live/message.h"

namespace nns::server {

namespace {

constexpr auto kSlice = std::chrono::milliseconds(8);
constexpr auto kPollWhileWaiting = std::chrono::milliseconds(5);
// For a viewer that does not read: from so many bytes on it is not listened to, and then not worked for.
constexpr std::size_t kStopListening_bytes = std::size_t{8} << 20U;
constexpr std::size_t kStopWorking_bytes = std::size_t{32} << 20U;

/// Only what the person who serves has named.
class OnlyInputs final : public session::SourceProvider {
 public:
  OnlyInputs(std::shared_ptr<session::SourceProvider> sources, const std::vector<ServedInput>& inputs)
      : sources_(std::move(sources)) {
    for (const ServedInput& input : inputs) allowed_.push_back(input.source);
  }
  std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                           const std::string& url) override {
    const bool is_allowed = url.empty() && std::find(allowed_.begin(), allowed_.end(), source) != allowed_.end();
    if (is_allowed) return sources_->open(source, name, url);
    return base::Result<Opened>(base::Error{.found = "this server gives out only what it was started with",
                                            .expected = {},
                                            .where = url.empty() ? name : url,
                                            .offset = std::nullopt});
  }

 private:
  std::shared_ptr<session::SourceProvider> sources_;
  std::vector<std::uint64_t> allowed_;
};

/// What is on its way to a viewer, counted by both threads.
struct Backlog {
  std::atomic<std::size_t> bytes = 0;
  std::atomic<bool> is_gone = false;
};

/// The Host's end, which counts what it sends.
class CountingEnd final : public live::Endpoint {
 public:
  CountingEnd(std::unique_ptr<live::Endpoint> end, std::shared_ptr<Backlog> backlog)
      : end_(std::move(end)), backlog_(std::move(backlog)) {}
  void send(live::Bytes message) override {
    backlog_->bytes += message.size();
    end_->send(std::move(message));
  }
  std::optional<live::Bytes> receive() override { return end_->receive(); }
  bool is_connected() const override { return end_->is_connected(); }

 private:
  std::unique_ptr<live::Endpoint> end_;
  std::shared_ptr<Backlog> backlog_;
};

/// The Hosts of all viewers, on a thread of their own.
class HostPool {
 public:
  HostPool(std::shared_ptr<session::SourceProvider> sources, session::RunKeeper keep_run)
      : sources_(std::move(sources)), keep_run_(std::move(keep_run)) {
    thread_ = std::thread([this] { loop(); });
  }
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  ~HostPool() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      has_news_ = true;
    }
    changed_.notify_one();
  }
  void add(std::unique_ptr<live::Endpoint> end, std::shared_ptr<Backlog> backlog) {
    {
      const std::lock_guard lock(mutex_);
      arriving_.push_back({std::move(end), std::move(backlog)});
      has_news_ = true;
    }
    changed_.notify_one();
  }

 private:
  struct Arriving {
    std::unique_ptr<live::Endpoint> end;
    std::shared_ptr<Backlog> backlog;
  };
  struct Served {
    std::unique_ptr<session::Host> host;
    std::shared_ptr<Backlog> backlog;
  };

  void loop() {
    std::vector<Served> hosts;
    while (true) {
      std::vector<Arriving> arriving;
      {
        const std::lock_guard lock(mutex_);
        if (is_stopping_) return;
        has_news_ = false;
        arriving.swap(arriving_);
      }
      for (Arriving& viewer : arriving) {
        session::Abilities abilities = session::all_abilities();
        abilities.first_document = live::kFirstLiveDocument;
        if (keep_run_) {
          abilities.programs = [make = abilities.programs, keep = keep_run_](session::ProgramOrigin origin) {
            origin.keep_run = keep;
            return make(std::move(origin));
          };
        }
        auto end = std::make_unique<CountingEnd>(std::move(viewer.end), viewer.backlog);
        hosts.push_back({std::make_unique<session::Host>(std::move(end), sources_, std::move(abilities)),
                         std::move(viewer.backlog)});
      }
      std::erase_if(hosts, [](const Served& served) { return served.backlog->is_gone.load(); });
      bool has_more = false;
      bool waits = false;
      for (Served& served : hosts) {
        if (served.backlog->bytes > kStopWorking_bytes) continue;
        has_more |= served.host->run(base::Budget(kSlice));
        waits |= served.host->waiting();
      }
      if (has_more) continue;
      std::unique_lock lock(mutex_);
      const auto has_news = [this] { return has_news_ || is_stopping_; };
      if (waits) {
        changed_.wait_for(lock, kPollWhileWaiting, has_news);
      } else {
        changed_.wait(lock, has_news);
      }
    }
  }

  std::shared_ptr<session::SourceProvider> sources_;
  session::RunKeeper keep_run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_news_ = false;
  bool is_stopping_ = false;
  std::vector<Arriving> arriving_;
  std::thread thread_;
};

live::Bytes rights(bool may_control) {
  flatbuffers::FlatBufferBuilder builder;
  const auto told = live::wire::CreateRights(builder, may_control);
  return live::finish_message(builder, told);
}

class HostConnection final : public LiveConnection {
 public:
  HostConnection(std::unique_ptr<live::Endpoint> end, std::shared_ptr<Backlog> backlog, HostPool& pool,
                 std::size_t& viewers, bool may_control)
      : end_(std::move(end)),
        backlog_(std::move(backlog)),
        pool_(pool),
        viewers_(viewers),
        may_control_(may_control),
        first_(std::make_shared<const live::Bytes>(rights(may_control))) {
    ++viewers_;
  }
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;
  ~HostConnection() override {
    --viewers_;
    backlog_->is_gone = true;
    pool_.wake();
  }

  live::SharedBytes next() override {
    if (first_) return std::exchange(first_, nullptr);
    std::optional<live::Bytes> message = end_->receive();
    if (!message) return nullptr;
    const std::size_t before = backlog_->bytes.fetch_sub(message->size());
    if (before > kStopWorking_bytes && before - message->size() <= kStopWorking_bytes) pool_.wake();
    return std::make_shared<const live::Bytes>(std::move(*message));
  }
  base::Result<void> receive(live::Bytes bytes) override {
    NNS_TRY_ASSIGN(const live::Message message, live::Message::verify(bytes));
    const live::CommandKind kind = live::command_kind(message.get().body_type());
    const auto error = [&](std::string found, std::string expected) {
      return base::Error{
          .found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
    };
    if (kind == live::CommandKind::None) {
      return error(
          fmt::format("a message of kind {} from a viewer", live::wire::EnumNameBody(message.get().body_type())),
          "a command");
    }
    if (kind == live::CommandKind::Control && !may_control_) {
      return error("a command that runs code, from a viewer that may only watch", "the address with the control token");
    }
    end_->send(std::move(bytes));
    return {};
  }
  bool takes_commands() const override { return backlog_->bytes <= kStopListening_bytes; }

 private:
  std::unique_ptr<live::Endpoint> end_;
  std::shared_ptr<Backlog> backlog_;
  HostPool& pool_;
  std::size_t& viewers_;
  bool may_control_;
  live::SharedBytes first_;
};

class HostService final : public LiveService {
 public:
  HostService(std::shared_ptr<session::SourceProvider> sources, std::vector<ServedInput> inputs,
              std::size_t most_viewers, session::RunKeeper keep_run)
      : inputs_(std::move(inputs)),
        most_viewers_(most_viewers),
        pool_(std::make_shared<OnlyInputs>(std::move(sources), inputs_), std::move(keep_run)) {}

  std::unique_ptr<LiveConnection> connect(bool may_control) override {
    if (viewers_ >= most_viewers_) return nullptr;
    auto [viewer_end, host_end] = live::make_queue(wake_, [this] { pool_.wake(); });
    // As if the viewer had asked for them; its own requests have smaller numbers.
    std::uint64_t request = std::uint64_t{1} << 60U;
    for (const ServedInput& input : inputs_) {
      viewer_end->send(live::open_source(request++, input.source, input.name, ""));
    }
    auto backlog = std::make_shared<Backlog>();
    pool_.add(std::move(host_end), backlog);
    return std::make_unique<HostConnection>(std::move(viewer_end), std::move(backlog), pool_, viewers_, may_control);
  }
  void set_wake(std::function<void()> wake) override { wake_ = std::move(wake); }
  void pump() override {}

 private:
  std::vector<ServedInput> inputs_;
  std::size_t most_viewers_;
  std::size_t viewers_ = 0;
  std::function<void()> wake_;
  HostPool pool_;
};

}  // namespace

std::unique_ptr<LiveService> make_host_service(std::shared_ptr<session::SourceProvider> sources,
                                               std::vector<ServedInput> inputs, std::size_t most_viewers,
                                               session::RunKeeper keep_run) {
  return std::make_unique<HostService>(std::move(sources), std::move(inputs), most_viewers, std::move(keep_run));
}

}  // namespace nns::server
