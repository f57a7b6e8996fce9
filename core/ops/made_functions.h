#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// Functions that are made of ops: integrals, covariances and windows.
void add_series_functions(Interpreter& interpreter);
/// torch.lu and Tensor.lu.
void add_lu_functions(Interpreter& interpreter);
/// torch.clamp_min_ and other functions that write into their first argument.
void add_in_place_functions(Interpreter& interpreter);
/// Overloads of add(), addcmul(), addmm() and their like that old programs call. Called when the others are there.
void add_deprecated_functions(Interpreter& interpreter);
/// torch.baddbmm and its like.
void add_product_functions(Interpreter& interpreter);

}  // namespace nns::ops
