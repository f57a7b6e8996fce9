#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// Expects the leaves of the facts that are no tensors in the document, each with its value. What a foreign class was
/// made of is one text.
void expect_objects(const Checkpoint& document, const nlohmann::json& facts);

}  // namespace nns::checkpoint
