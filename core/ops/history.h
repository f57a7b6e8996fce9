#pragma once

#include <string_view>

#include "core/ops/node.h"

namespace nns::ops {

/// What backward says of what it released.
inline constexpr std::string_view kSecondTime =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward.";

/// What a node notes of a tensor.
TensorShape facts_of(const Tensor& tensor);

/// Makes `tensor` output `number` of `node`, as a write in place does. Hooks of the tensor stay with the node that it
/// was of, and what keeps its gradient goes along. Behaviour: torch/csrc/autograd/variable.cpp, rebase_history,
/// move_grad_fn_retains_grad_hook.
void set_history(Tensor& tensor, const Ref<Node>& node, std::uint32_t number);

/// What `view` looks at was written since its node was made, and it is about to get another one.
/// Errors: RuntimeError  where it comes from forbids that. Behaviour: variable.cpp, handle_view_on_rebase.
PyResult<void> check_written_base(const Tensor& view);

/// With anomaly detection: notes where in the program the node is made, and in which node's backward.
/// Behaviour: torch/csrc/autograd/python_anomaly_mode.cpp, store_stack, assign_parent.
/// Errors: those of the program's own traceback module.
PyResult<void> note_origin(Node& node);
/// What a node is given by programs and by note_origin(); null: nothing yet, and `create` is false.
object::Dict* metadata_of(const Node& node, bool create);

}  // namespace nns::ops
