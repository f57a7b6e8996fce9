#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// Functions that are made of ops: norms of torch.linalg, integrals, covariances and windows.
void add_norm_functions(Interpreter& interpreter);
void add_series_functions(Interpreter& interpreter);
/// torch.baddbmm and its like.
void add_product_functions(Interpreter& interpreter);

}  // namespace nns::ops
