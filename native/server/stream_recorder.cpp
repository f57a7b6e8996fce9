#include "native/server/stream_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/live/recorder.h"

namespace nns::server {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
constexpr auto kBetweenFlushes = std::chrono::seconds(2);

class FileSink final : public base::ByteSink {
 public:
  FileSink(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~FileSink() override { ::close(descriptor_); }

  base::Result<void> write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        return base::Error{.found = std::string("the recording cannot be written: ") + std::strerror(errno),
                           .expected = "room on the disk; what was recorded before can be read",
                           .where = name_,
                           .offset = std::nullopt};
      }
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

 private:
  int descriptor_;
  std::string name_;
};

}  // namespace

struct StreamRecorder::State {
  State(live::Broadcast& of, std::uint64_t number, int descriptor, std::string name)
      : stream(of), viewer(number), sink(descriptor, std::move(name)), recorder(sink) {}

  live::Broadcast& stream;
  std::uint64_t viewer;
  FileSink sink;
  live::Recorder recorder;
  const std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool is_stopping = false;
  std::optional<base::Error> error;
  std::thread thread;

  base::Result<void> take_all() {
    while (const live::SharedBytes bytes = stream.take(viewer)) {
      NNS_TRY_ASSIGN(const live::Message message, live::Message::verify_shared(bytes));
      const auto since = std::chrono::steady_clock::now() - begun;
      const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
      NNS_TRY(recorder.add(static_cast<std::uint64_t>(us), message));
    }
    return {};
  }

  base::Result<void> record() {
    auto flushed = std::chrono::steady_clock::now();
    while (true) {
      bool stops = false;
      {
        std::unique_lock lock(mutex);
        stops = changed.wait_for(lock, kBetweenLooks, [this] { return is_stopping; });
      }
      NNS_TRY(take_all());
      if (stops) return recorder.finish();
      if (std::chrono::steady_clock::now() - flushed >= kBetweenFlushes) {
        NNS_TRY(recorder.flush());
        flushed = std::chrono::steady_clock::now();
      }
    }
  }

  void run() {
    auto recorded = record();
    // A stream of which nothing is recorded any more is not watched by this either.
    stream.leave(viewer);
    const std::lock_guard lock(mutex);
    if (!recorded.ok()) error = std::move(recorded).error();
  }
};

StreamRecorder::StreamRecorder(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

StreamRecorder::~StreamRecorder() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

std::optional<base::Error> StreamRecorder::error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->error;
}

base::Result<std::unique_ptr<StreamRecorder>> StreamRecorder::start(live::Broadcast& stream,
                                                                    const std::filesystem::path& file,
                                                                    bool overwrites) {
  const auto failed = [&](std::string found) {
    return base::Error{.found = std::move(found), .expected = {}, .where = file.string(), .offset = std::nullopt};
  };
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrites ? O_TRUNC : O_EXCL);
  const int descriptor = ::open(file.c_str(), flags, 0666);
  if (descriptor < 0) return failed(std::string("the recording cannot be made: ") + std::strerror(errno));
  const auto viewer = stream.join(false);
  if (!viewer) {
    ::close(descriptor);
    return failed("the stream has as many viewers as it takes");
  }
  return std::unique_ptr<StreamRecorder>(
      new StreamRecorder(std::make_unique<State>(stream, *viewer, descriptor, file.string())));
}

}  // namespace nns::server
