#pragma once

#include <string>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// What the inspector shows of a row whose object is not in the file: for a module the registries as
/// torch.nn.Module.__init__ would make them, filled from the rows below and marked as inferred; for a container its
/// items; for a tensor its type. Behaviour: torch/nn/modules/module.py, Module.__init__ and __setattr__.
ObjectDescription describe_inferred(const Checkpoint& document, std::uint32_t node);

/// "float32 [4, 3]": what one line says of a tensor.
std::string tensor_summary(const Checkpoint& document, const TensorEntry& entry);

}  // namespace nns::checkpoint
