#pragma once

#include "core/ops/node.h"

namespace nns::autograd {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

struct BackwardOptions {
  /// Keeps what the nodes saved, so that backward can run again.
  bool retain_graph = false;
  /// Records backward itself, so that gradients can be differentiated.
  bool create_graph = false;
  /// An input that the roots do not depend on gives no gradient instead of an error.
  bool allow_unused = false;
};

/// Runs the graph backward from `roots`, each with its gradient (none: 1, for a root with one item), and adds what
/// reaches the leaves to their .grad. Nodes are visited when all gradients that they wait for are there, later ones
/// first.
/// Behaviour: torch.autograd.backward, torch/csrc/autograd/engine.cpp.
/// Errors: RuntimeError  a root without a graph; a gradient of the wrong shape; a second time without retain_graph;
///         whatever a hook or a derivative raises.
PyResult<void> backward(Interpreter& interpreter, std::span<const Ref<Tensor>> roots,
                        std::span<const Ref<Tensor>> gradients, const BackwardOptions& options = {});

/// Where a backward begins or ends: a tensor, or a GradientEdge, which has none.
struct Endpoint {
  ops::Edge edge;
  Ref<Tensor> tensor = {};
};
PyResult<Endpoint> endpoint_of(const Ref<Tensor>& tensor);
/// Tensor.retain_grad(); of a leaf nothing.
/// Errors: RuntimeError  the tensor requires no gradient.
PyResult<void> retain_gradient(Tensor& tensor);

/// The same, but only `inputs` (leaves or not; none: all leaves) get their .grad: Tensor.backward(inputs=...).
PyResult<void> backward_into(Interpreter& interpreter, std::span<const Endpoint> roots,
                             std::span<const Endpoint> inputs, std::span<const Ref<Tensor>> gradients,
                             const BackwardOptions& options = {});

/// The gradients of the roots by `inputs`, without touching any .grad: torch.autograd.grad. None for an input that is
/// not used.
/// Errors: as backward(); RuntimeError  an input is not used, and that is not allowed.
PyResult<std::vector<Ref<Tensor>>> grad(Interpreter& interpreter, std::span<const Endpoint> roots,
                                        std::span<const Endpoint> inputs, std::span<const Ref<Tensor>> gradients,
                                        const BackwardOptions& options = {});
PyResult<std::vector<Ref<Tensor>>> grad(Interpreter& interpreter, std::span<const Ref<Tensor>> roots,
                                        std::span<const Ref<Tensor>> inputs, std::span<const Ref<Tensor>> gradients,
                                        const BackwardOptions& options = {});

}  // namespace nns::autograd
