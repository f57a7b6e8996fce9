#pragma once

#include <span>
#include <vector>

#include "core/ops/op.h"
#include "core/ops/update_moments.h"

namespace nns::ops {

class Node;

/// What happens to a parameter besides its gradient and its optimiser.
enum class Touch : std::uint8_t {
  Cleared,  ///< zero_grad()
  Hook,     ///< one that was registered on it runs
  Loaded,   ///< load_state_dict() has given it other values
};

/// Is told what a program does while it trains: which modules run, what backward walks, which optimisers step. Nobody
/// is told anything while OpLibrary::training is null; that costs one branch at each of these places.
/// It must not change what it is shown. Threads: that of the interpreter.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;

  /// The __call__ of a module begins and ends, hooks included; calls nest. `result` is null after an exception.
  virtual void module_entered(object::Object& module) = 0;
  virtual void module_left(object::Object& module, const Value* result) = 0;

  /// Whether the weights of scaled_dot_product_attention are to be told of the module that runs; then they are, those
  /// of the first sample: (heads, queries, keys), or without heads.
  virtual bool wants_attention() const = 0;
  virtual void attended(const Ref<Tensor>& weights) = 0;

  /// A node of the graph was made: an op, or forward of a torch.autograd.Function, was recorded.
  virtual void node_made(const Node& /*node*/) {}

  /// A walk backward from these tensors begins and ends; inner walks nest. Gradients by tensor (torch.autograd.grad)
  /// are walks, too.
  virtual void backward_began(std::span<const Ref<Tensor>> roots) = 0;
  virtual void backward_ended(bool is_whole) = 0;
  /// A node is about to be applied to the gradients of its outputs, some of which may be none; then it was, and gave
  /// those of its inputs (nothing after an exception).
  virtual void node_began(Node& node, std::span<const Ref<Tensor>> grads) = 0;
  virtual void node_ended(Node& node, std::span<const Ref<Tensor>> given) = 0;

  /// optimizer.step() begins, with hooks and closure, and ends.
  virtual void step_began(object::Object& optimizer) = 0;
  virtual void step_ended(object::Object& optimizer, bool is_whole) = 0;
  /// Of the optimisers that write a parameter in one pass (all but LBFGS, Muon, Adafactor and those that a program
  /// defines): a parameter is about to be written. What is wanted of it is found in the same pass, and then told.
  /// Null: nothing is wanted. Otherwise it is at least looked whether the gradient is finite.
  virtual UpdateMoments* update_of(Tensor& parameter) = 0;
  virtual void updated(Tensor& parameter, UpdateMoments& found) = 0;
  virtual void touched(const Tensor& tensor, Touch touch) = 0;

  /// The parameters or the modules of a module: one came, went or was replaced.
  virtual void registry_changed(object::Object& /*module*/) {}
};

/// Tells whoever watches the training of the tensor's interpreter.
void tell_touched(const Tensor& tensor, Touch touch);

}  // namespace nns::ops
