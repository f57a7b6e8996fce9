#pragma once

#include <optional>

#include "core/ops/element_loop.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Not for callers of ops.
namespace nns::ops {

/// The gradient of an op that works item by item, in one pass: `kernel` gets the gradient of the result and `read`.
/// None where the derivative itself is recorded, or where these are not floats of one shape on the CPU: then a formula
/// of ops is what remains.
std::optional<Term> fused_gradient(const Backward& b, const Term& read, ElementKernel kernel);

}  // namespace nns::ops
