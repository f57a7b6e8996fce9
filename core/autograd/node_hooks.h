#pragma once

#include <span>
#include <vector>

#include "core/ops/node.h"

namespace nns::autograd {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using tensor::Tensor;

/// What events call the tables of a node. Torch's own hooks have keys below 0 there, and are told to nobody.
inline constexpr std::string_view kNodePreHooks = "pre_hooks";
inline constexpr std::string_view kNodePostHooks = "post_hooks";

/// Runs the hooks of the tensors that a node made, then notes the gradients that some of these keep. What a hook
/// returns replaces the gradient. Errors: as run_pre_hooks().
PyResult<void> run_tensor_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& grads);
/// Runs the hooks of a node that see its gradients before it does. What they return replaces the gradients.
/// Errors: what a hook raises; TypeError, RuntimeError  it returned no tensor, or one of another shape.
PyResult<void> run_pre_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& grads);
/// Runs those that see what it made of them: of a node hook(grad_inputs, grad_outputs), of a leaf hook(leaf).
PyResult<void> run_post_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& given,
                              std::span<const Ref<Tensor>> grads);

/// Anomaly detection. Errors: RuntimeError  "Function 'LogBackward0' returned nan values in its 0th output."
PyResult<std::vector<Ref<Tensor>>> check_anomaly(Interpreter& interpreter, const ops::Node& node,
                                                 std::vector<Ref<Tensor>> given);
/// Warns which op of the forward pass, in which module, the node that failed was recorded for.
void tell_origin(Interpreter& interpreter, const ops::Node& node);

}  // namespace nns::autograd
