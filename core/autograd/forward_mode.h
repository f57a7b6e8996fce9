#pragma once

#include <vector>

#include "core/ops/node.h"

namespace nns::autograd {

/// Forward mode: tensors carry tangents, one a level, and each op gives its results those that the tangents of its
/// arguments come to. Levels are nested; a tangent may have one of a level further out.
/// Behaviour: torch/csrc/autograd/forward_grad.cpp, autograd_meta.cpp.
/// Differs: torch has a formula an op; here the derivative of backward by the gradient of the output is taken, which is
/// linear in it. So an op needs a backward that can be differentiated.
class TangentPusher final : public ops::ForwardMode {
 public:
  static TangentPusher& of(object::Interpreter& interpreter);
  explicit TangentPusher(object::Interpreter& interpreter) : interpreter_(interpreter) {}

  /// Returns its depth: 0 is the outermost.
  std::int64_t enter();
  /// Errors: RuntimeError  it is not the innermost one.
  object::PyResult<void> exit(std::int64_t depth);
  std::int64_t depth() const { return static_cast<std::int64_t>(levels_.size()); }
  /// How many of the levels are at work.
  std::int64_t active() const { return static_cast<std::int64_t>(active_); }
  bool is_enabled() const { return is_enabled_; }
  void set_enabled(bool value);

  /// The tangent of the tensor at that level or, of a view, its place in that of its base; null: it has none.
  object::PyResult<object::Ref<tensor::Tensor>> tangent(tensor::Tensor& of, std::int64_t depth);
  /// Errors: RuntimeError  the tangent has one itself, or another size.
  object::PyResult<void> set_tangent(tensor::Tensor& of, object::Ref<tensor::Tensor> tangent, std::int64_t depth,
                                     bool is_written);
  /// Gives `made` the tangents of `source`, but for that at `without`.
  object::PyResult<void> copy_tangents(tensor::Tensor& source, tensor::Tensor& made, std::int64_t without = -1);

  bool concerns(const ops::OpCall& call) override;
  object::PyResult<void> push(ops::OpCall& call, const object::Ref<tensor::Tensor>& original) override;

  /// As if nobody had entered a level: in the forward of a custom function.
  class Disabled {
   public:
    explicit Disabled(TangentPusher& pusher) : pusher_(pusher), before_(pusher.is_enabled_) {
      pusher_.set_enabled(false);
    }
    ~Disabled() { pusher_.set_enabled(before_); }
    Disabled(const Disabled&) = delete;
    Disabled& operator=(const Disabled&) = delete;

   private:
    TangentPusher& pusher_;
    bool before_;
  };

  /// As if only the first `depth` levels were there.
  class Within {
   public:
    Within(TangentPusher& pusher, std::size_t depth) : pusher_(pusher), before_(pusher.active_) {
      pusher_.set_active(depth);
    }
    ~Within() { pusher_.set_active(before_); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    TangentPusher& pusher_;
    std::size_t before_;
  };

 private:
  struct Level {
    /// No other has it: what a tensor still knows of one that ended counts for nothing.
    std::int64_t id;
    std::vector<object::Ref<object::WeakReference>> tensors;
  };

  void set_active(std::size_t depth);
  /// The tensor has it until the level ends.
  void add(tensor::Tensor& to, object::Ref<tensor::Tensor> tangent, std::int64_t depth);
  object::PyResult<void> push_at(ops::OpCall& call, const object::Ref<tensor::Tensor>& original, std::int64_t depth);
  object::PyResult<void> push_view(ops::OpCall& call, std::int64_t depth);
  object::PyResult<std::vector<object::Ref<tensor::Tensor>>> pushed(ops::OpCall& call,
                                                                    std::span<const object::Ref<tensor::Tensor>> kept,
                                                                    std::int64_t depth);

  object::Interpreter& interpreter_;
  std::vector<Level> levels_;
  std::size_t active_ = 0;
  std::int64_t next_id_ = 0;
  bool is_enabled_ = true;
};

}  // namespace nns::autograd
