#pragma once

#include "core/ops/node.h"

namespace nns::ops {

/// Makes `tensor` output `number` of `node`, as a write in place does. Hooks of the tensor stay with the node that it
/// was of, and what keeps its gradient goes along. Behaviour: torch/csrc/autograd/variable.cpp, rebase_history,
/// move_grad_fn_retains_grad_hook.
void set_history(Tensor& tensor, const Ref<Node>& node, std::uint32_t number);

}  // namespace nns::ops
