#pragma once

#include <functional>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::ops {

/// What is still to be done when a backward ends: gradients that were communicated meanwhile are written then.
/// Behaviour: torch/csrc/autograd/engine.cpp, Engine::queue_callback. One list a backward; inner ones have their own.
class FinalCallbacks {
 public:
  using Callback = std::function<object::PyResult<void>()>;
  static FinalCallbacks& of(object::Interpreter& interpreter);

  bool is_running() const { return !lists_.empty(); }
  /// Runs `callback` when the backward that runs now ends well. Must hold: one runs.
  void queue(Callback callback) { lists_.back().push_back(std::move(callback)); }

  /// A backward, for as long as it lives: what was queued and did not run is dropped with it.
  class Backward {
   public:
    explicit Backward(FinalCallbacks& callbacks) : callbacks_(callbacks) { callbacks_.lists_.emplace_back(); }
    ~Backward() { callbacks_.lists_.pop_back(); }
    Backward(const Backward&) = delete;
    Backward& operator=(const Backward&) = delete;
    /// Runs what is queued, in order; a callback may queue more.
    object::PyResult<void> finish() {
      for (std::size_t i = 0; i < callbacks_.lists_.back().size(); ++i) {
        const Callback next = callbacks_.lists_.back()[i];
        NNS_TRY(next());
      }
      return {};
    }

   private:
    FinalCallbacks& callbacks_;
  };

 private:
  std::vector<std::vector<Callback>> lists_;
};

}  // namespace nns::ops
