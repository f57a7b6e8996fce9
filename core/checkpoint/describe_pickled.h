#pragma once

#include "core/checkpoint/pickled_checkpoint.h"

namespace nns::checkpoint {

/// What the inspector shows of a row of a pickled document: for a pickled module its own `__dict__` in order,
/// registries and hooks as the pickle has them; for all else describe_inferred().
ObjectDescription describe_pickled(const PickledCheckpoint& document, std::uint32_t node);

}  // namespace nns::checkpoint
