#include <deque>
#include <mutex>

#include "core/live/endpoint.h"

namespace nns::live {

namespace {

// One direction of the stream. The wake function is called outside the lock, so that it may call back into either end.
struct Lane {
  std::mutex mutex;
  std::deque<Bytes> messages;
  bool receiver_gone = false;
  std::function<void()> wake;

  void put(Bytes message) {
    {
      const std::lock_guard lock(mutex);
      if (receiver_gone) return;
      messages.push_back(std::move(message));
    }
    if (wake) wake();
  }
  std::optional<Bytes> take() {
    const std::lock_guard lock(mutex);
    if (messages.empty()) return std::nullopt;
    Bytes message = std::move(messages.front());
    messages.pop_front();
    return message;
  }
};

struct Queue {
  Lane to_first;
  Lane to_second;
};

class QueueEnd final : public Endpoint {
 public:
  QueueEnd(std::shared_ptr<Queue> queue, bool is_first)
      : queue_(std::move(queue)),
        incoming_(is_first ? queue_->to_first : queue_->to_second),
        outgoing_(is_first ? queue_->to_second : queue_->to_first) {}
  QueueEnd(const QueueEnd&) = delete;
  QueueEnd& operator=(const QueueEnd&) = delete;
  ~QueueEnd() override {
    {
      const std::lock_guard lock(incoming_.mutex);
      incoming_.receiver_gone = true;
      incoming_.messages.clear();
    }
    // The other loop may sleep until a message comes; that this end is gone is news as well.
    if (outgoing_.wake && is_connected()) outgoing_.wake();
  }

  void send(Bytes message) override { outgoing_.put(std::move(message)); }
  std::optional<Bytes> receive() override { return incoming_.take(); }
  bool is_connected() const override {
    const std::lock_guard lock(outgoing_.mutex);
    return !outgoing_.receiver_gone;
  }

 private:
  std::shared_ptr<Queue> queue_;
  Lane& incoming_;
  Lane& outgoing_;
};

}  // namespace

std::pair<std::unique_ptr<Endpoint>, std::unique_ptr<Endpoint>> make_queue(std::function<void()> wake_first,
                                                                           std::function<void()> wake_second) {
  auto queue = std::make_shared<Queue>();
  queue->to_first.wake = std::move(wake_first);
  queue->to_second.wake = std::move(wake_second);
  return {std::make_unique<QueueEnd>(queue, true), std::make_unique<QueueEnd>(queue, false)};
}

}  // namespace nns::live
