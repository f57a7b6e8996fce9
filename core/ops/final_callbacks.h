#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::ops {

class Node;

/// What a backward that runs tells of itself.
class RunningBackward {
 public:
  virtual ~RunningBackward() = default;
  /// Whether it evaluates the node, or did. Of one that only captures a leaf's gradient: whether it passes it.
  virtual bool will_evaluate(const Node& node) const = 0;
  /// Whether it walks only to what torch.autograd.grad was asked for, of which the node is one.
  virtual bool captures_at(const Node& node) const = 0;
  /// The nodes that it evaluates from here on, in order, behind the one that runs.
  virtual std::vector<object::Ref<Node>> order() const = 0;
  /// The node that runs, or null.
  virtual object::Ref<Node> current() const = 0;
};

/// What is still to be done when a backward ends: gradients that were communicated meanwhile are written then.
/// Behaviour: torch/csrc/autograd/engine.cpp, Engine::queue_callback. One list a backward; inner ones have their own.
class FinalCallbacks {
 public:
  using Callback = std::function<object::PyResult<void>()>;
  static FinalCallbacks& of(object::Interpreter& interpreter);

  bool is_running() const { return !lists_.empty(); }
  /// A number that no other backward has; -1: none runs.
  std::int64_t running() const { return lists_.empty() ? -1 : lists_.back().number; }
  /// Whether gradients go to all leaves, not only to what was asked for. None runs: yes.
  bool goes_everywhere() const { return lists_.empty() || lists_.back().goes_everywhere; }
  /// The innermost backward, or null: none runs.
  const RunningBackward* state() const { return lists_.empty() ? nullptr : lists_.back().state; }
  /// Runs `callback` when the backward that runs now ends well. Must hold: one runs.
  void queue(Callback callback) { lists_.back().callbacks.push_back(std::move(callback)); }

  /// A backward, for as long as it lives: what was queued and did not run is dropped with it.
  class Backward {
   public:
    Backward(FinalCallbacks& callbacks, bool goes_everywhere, const RunningBackward& state) : callbacks_(callbacks) {
      callbacks_.lists_.push_back({{}, callbacks_.next_++, goes_everywhere, &state});
    }
    ~Backward() { callbacks_.lists_.pop_back(); }
    Backward(const Backward&) = delete;
    Backward& operator=(const Backward&) = delete;
    /// Runs what is queued, in order; a callback may queue more.
    object::PyResult<void> finish() {
      for (std::size_t i = 0; i < callbacks_.lists_.back().callbacks.size(); ++i) {
        const Callback next = callbacks_.lists_.back().callbacks[i];
        NNS_TRY(next());
      }
      return {};
    }

   private:
    FinalCallbacks& callbacks_;
  };

 private:
  struct List {
    std::vector<Callback> callbacks;
    std::int64_t number;
    bool goes_everywhere;
    const RunningBackward* state;
  };
  std::vector<List> lists_;
  std::int64_t next_ = 0;
};

}  // namespace nns::ops
