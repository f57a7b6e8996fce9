#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// Whether a compiler traces a frame and the call is on what stands for tensors there: it asks for shapes, dtypes and
/// whether a gradient may be asked, and for no history.
bool is_traced(const OpCall& call);

}  // namespace nns::ops
