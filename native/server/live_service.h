#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/live/bytes.h"
#include "core/live/lane.h"

namespace nns::server {

/// One viewer of a stream, as the server's thread sees it.
class LiveConnection {
 public:
  virtual ~LiveConnection() = default;
  /// The next message for the viewer, or null: nothing now. Never blocks.
  virtual live::SharedBytes next() = 0;
  /// Takes over what the viewer sent. Errors: nothing that a viewer sends; the connection ends.
  virtual base::Result<void> receive(live::Bytes message) = 0;
  /// False while so much waits for the viewer that it is not listened to.
  virtual bool takes_commands() const = 0;
};

/// What answers viewers that connect to a server.
/// Threads: connect() and what it gives are used by the server's thread.
class LiveService {
 public:
  virtual ~LiveService() = default;
  /// Null: there are too many viewers.
  virtual std::unique_ptr<LiveConnection> connect(bool may_control) = 0;
  /// `wake` is to be called, on any thread, when a next() may give something again. Set before the first viewer.
  virtual void set_wake(std::function<void()> wake) = 0;
  /// Called after `wake`, also while nobody watches.
  virtual void pump() = 0;
};

}  // namespace nns::server
