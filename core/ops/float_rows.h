#pragma once

#include "core/ops/activation_formulas.h"
#include "core/ops/binary_formulas.h"
#include "core/ops/element_kernels.h"
#include "core/ops/unary_formulas.h"
#include "core/ops/vector_rows.h"

// The formulas that have a better kernel for floats on the CPU than a loop. Whoever makes kernels of these formulas
// includes this, so that a formula has the same kernels everywhere. Not for callers of ops.
namespace nns::ops::formula {

NNS_FLOAT_ROW(Neg, neg)
NNS_FLOAT_ROW(Exp, exp)
NNS_FLOAT_ROW(Log, log)
NNS_FLOAT_ROW(Sqrt, sqrt)
NNS_FLOAT_ROW(Rsqrt, rsqrt)
NNS_FLOAT_ROW(Square, square)
NNS_FLOAT_ROW(Reciprocal, reciprocal)
NNS_FLOAT_ROW(Tanh, tanh)
NNS_FLOAT_ROW(Erf, erf)
NNS_FLOAT_ROW(Sigmoid, sigmoid)
NNS_FLOAT_ROW(Relu, relu)
NNS_FLOAT_ROW(Silu, silu)
NNS_FLOAT_ROW(Gelu, gelu)
NNS_FLOAT_ROW(GeluTanh, gelu_tanh)
NNS_FLOAT_ROW(Add, add)
NNS_FLOAT_ROW(Sub, sub)
NNS_FLOAT_ROW(AddScaled, add_scaled)
NNS_FLOAT_ROW(SubScaled, sub_scaled)
NNS_FLOAT_ROW(Mul, mul)
NNS_FLOAT_ROW(Div, div)
NNS_FLOAT_ROW(PowTwo, square)
NNS_FLOAT_ROW(PowHalf, sqrt)

}  // namespace nns::ops::formula
