#pragma once

#include <utility>

#include "core/events/event.h"

namespace nns::events {

/// Is told what happens in one interpreter.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Runs inside the operation that it reports: it must be quick and must not change objects.
  /// Texts in `event` are views; what is kept must be copied.
  virtual void on_event(const Event& event) = 0;
};

/// The way from one interpreter to its observer.
/// Threads: one, that of the interpreter.
class Channel {
 public:
  /// Starts (or with null ends) observation. Lifetime: the observer outlives its observation.
  void observe(Observer* observer) { observer_ = observer; }

  /// Whether anybody looks.
  bool watched() const { return observer_ != nullptr; }

  /// Reports the event that `make()` builds.
  /// Cost: without an observer one predictable branch; `make` does not run.
  template <class Make>
  void report(Make&& make) {
    if (observer_ != nullptr) [[unlikely]]
      observer_->on_event(Event(std::forward<Make>(make)()));
  }

 private:
  Observer* observer_ = nullptr;
};

}  // namespace nns::events
