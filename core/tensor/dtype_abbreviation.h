#pragma once

#include <string>

#include "core/tensor/dtype.h"

namespace nns::tensor {

/// "f32", "b8", "bf16": as PyTorch writes types in the code of graphs. Behaviour: torch/fx/graph.py, dtype_abbrs.
std::string dtype_abbreviation(DType dtype);

}  // namespace nns::tensor
