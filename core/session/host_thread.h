#pragma once

#include <functional>
#include <memory>

#include "core/live/endpoint.h"
#include "core/session/host.h"

namespace nns::session {

/// A Host on a thread of its own, behind an in-process queue: the native window's transport. Not part of the web build,
/// where a Worker is the thread.
/// Lifetime: the destructor stops the thread within one slice of work; `wake_viewer` must stay callable until then.
class HostThread {
 public:
  /// `wake_viewer` is called on the host's thread whenever it sent something; it may be empty.
  HostThread(std::shared_ptr<SourceProvider> sources, std::function<void()> wake_viewer,
             Abilities abilities = all_abilities());
  ~HostThread();
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  /// The viewer's end. Threads: the viewer's.
  live::Endpoint& endpoint();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::session
