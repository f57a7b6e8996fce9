#pragma once

#include <optional>
#include <vector>

#include "core/object/dict.h"
#include "core/ops/node.h"

namespace nns::autograd {

using object::Class;
using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

// The node of a custom function, which is also the ctx that forward and backward get.
class FunctionNode final : public ops::Node {
 public:
  FunctionNode(Class& cls, Class& made_by) : Node(cls), function(&made_by) {}

  /// Calls backward or vjp. Errors: what it raises; RuntimeError  it gives too many or too few gradients.
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override;
  void release_saved() override {
    is_released_ = !saved.empty();
    saved.clear();
  }
  bool is_released() const override { return false; }  // reading the saved tensors says so
  bool saved_are_gone() const { return is_released_; }
  object::Dict* instance_dict(bool create) override {
    if (!attributes_ && create) attributes_ = interpreter().dict();
    return attributes_.get();
  }
  void traverse(object::Visitor& visitor) const override {
    Node::traverse(visitor);
    visitor.visit(function);
    visitor.visit(attributes_);
    visitor.visit(needs_input_grad);
    for (const Ref<Tensor>& tensor : to_save) visitor.visit(tensor);
    for (const Value& value : saved_for_forward) visitor.visit(value);
    for (const ops::SavedTensor& one : saved) one.traverse(visitor);
  }
  void clear_references() override {
    Node::clear_references();
    function = nullptr;
    attributes_ = nullptr;
    needs_input_grad = Value();
    to_save.clear();
    saved.clear();
    saved_for_forward.clear();
  }

  Ref<Class> function;
  Value needs_input_grad;
  /// What forward asked to keep, and as it is kept; what it asked to keep for jvp only.
  std::vector<Ref<Tensor>> to_save;
  std::vector<ops::SavedTensor> saved;
  std::vector<Value> saved_for_forward;
  /// Whether jvp runs, which sees saved_for_forward in place of what is saved.
  bool is_in_jvp = false;
  bool has_own_setup = false;
  std::vector<Ref<Tensor>> dirty;
  std::vector<Ref<Tensor>> non_differentiable;
  bool makes_zeros = true;
  /// The same for what is marked as not differentiable; what is no tensor never has any.
  bool makes_zeros_for_marked = true;
  enum class Output : std::uint8_t { Tensor, Marked, Other };
  std::vector<Output> output_kinds;
  /// By argument of forward: its edge in `next`, or none for what is no tensor.
  std::vector<std::optional<std::size_t>> edge_of;

 private:
  Ref<object::Dict> attributes_;
  bool is_released_ = false;
};

/// What apply() returns, from what forward returned: tensors become outputs of the node where `is_recorded`, those that
/// are arguments views of these unless they were written.
/// Errors: RuntimeError  what was written is not returned, or is a view, and there are other outputs.
PyResult<Value> wrap_outputs(Interpreter& in, FunctionNode& node, std::span<const Value> inputs, const Value& made,
                             bool is_recorded);
/// Gives `wrapped` the tangents that jvp makes of those of the arguments. `made`: what forward returned.
/// Errors: what jvp raises; RuntimeError  it gives tangents that do not fit.
PyResult<void> push_tangents(Interpreter& in, FunctionNode& node, std::span<const Value> inputs, const Value& made,
                             const Value& wrapped);

}  // namespace nns::autograd
