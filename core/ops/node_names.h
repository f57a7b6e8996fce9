#pragma once

#include <string_view>

#include "core/ops/op.h"

namespace nns::ops {

/// The name of the node of a call where more than the op decides it, as its overload or that it is done in place;
/// empty: the op's own. Behaviour: tools/autograd/derivatives.yaml of PyTorch, whose formulas of one name are numbered
/// in order.
std::string_view name_of_overload(const OpCall& call);

/// The tensor, where an op made it whose node has another name, because here it is made of others; its node is renamed.
PyResult<Value> with_node_name(PyResult<Value> made, std::string_view name);

/// The tensor, which is no view of what it was reshaped from: nobody else has that. Behaviour: aten::_unsafe_view.
PyResult<Value> as_no_view(PyResult<Value> made, std::string_view name = "UnsafeViewBackward0");

/// What becomes of the node's name where a tensor becomes a view of itself: "SqueezeBackward4".
std::string_view name_of_view_in_place(OpId id, std::span<const Value> args);

}  // namespace nns::ops
