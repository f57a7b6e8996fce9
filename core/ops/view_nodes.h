#pragma once

#include "core/ops/node.h"

namespace nns::ops {

/// The node of a view whose base was written: its gradient goes to its place in that of the base. Where one of both is
/// complex and the other holds its parts, places are those of the parts.
/// Behaviour: torch/csrc/autograd/variable.cpp, VariableHooks::grad_fn.
Ref<Node> node_of_view(const Tensor& base, const Tensor& view);
/// The node of a base after a view of it was written by what `function` is the node of: torch's CopySlices.
/// Behaviour: torch/csrc/autograd/functions/tensor.cpp, CopySlices::apply_impl.
Ref<Node> node_of_written_base(const Tensor& base, const Tensor& view, Ref<Node> function);

}  // namespace nns::ops
