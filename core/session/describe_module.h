#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/nn/module.h"

namespace nns::session {

/// What the inspector shows of a living module: its class, order of classes and repr; its __dict__ in order, the
/// registries with their entries below them; its hooks, each dictionary in firing order.
/// `node` is the module's row in `document`.
checkpoint::ObjectDescription describe_module(const checkpoint::Checkpoint& document, std::uint32_t node,
                                              nn::Module& module);

/// What it shows of a row that is no module: a tensor or a None slot.
checkpoint::ObjectDescription describe_leaf(const checkpoint::Checkpoint& document, std::uint32_t node);

}  // namespace nns::session
