#pragma once

#include "core/ops/element_kernels.h"

// What the files of ops on two operands share. Not for callers of ops.
namespace nns::ops {

/// The shape to which both arguments broadcast. Errors: TypeError  neither is a tensor.
PyResult<Dims> broadcast_of(OpCall& call);
/// The dtype that holds both.
PyResult<DType> promoted(OpCall& call);

/// An output of the dtype that holds both,
PyResult<void> promoted_shape(OpCall& call);
/// of the same, integers as the default floating dtype,
PyResult<void> fraction_shape(OpCall& call);
/// of bools.
PyResult<void> comparison_shape(OpCall& call);

/// Runs `table` over arguments 0 and 1, whose dtype is call.common.
PyResult<void> run_binary(OpCall& call, const KernelTable& table, Compute written, const Settings* settings = nullptr);

}  // namespace nns::ops
