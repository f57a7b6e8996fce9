#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/live/bytes.h"

namespace nns::live {

/// One end of a two-way stream of messages: in-process queue, Worker.postMessage, WebSocket or recording.
/// All carry the same bytes.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// Never blocks. After the other end is gone it does nothing.
  virtual void send(Bytes message) = 0;
  /// The oldest message that has not been taken, or nullopt. Never blocks.
  virtual std::optional<Bytes> receive() = 0;
  /// False once the other end is gone for good; what it had sent can still be received.
  virtual bool is_connected() const = 0;
};

/// Two connected ends in one process. Threads: each end may be used by one thread.
/// `wake_first` is called (on the sender's thread) after something was put where `first` receives it, to wake its loop;
/// `wake_second` the same for `second`; also when the other end is gone. Both may be empty.
/// Lifetime: what the wake functions touch must outlive both ends.
std::pair<std::unique_ptr<Endpoint>, std::unique_ptr<Endpoint>> make_queue(std::function<void()> wake_first,
                                                                           std::function<void()> wake_second);

}  // namespace nns::live
