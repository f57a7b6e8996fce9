#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// What numpy's arrays need of tensors: Tensor.numpy() and Tensor.__array__(), which torch._numpy_bridge carries out,
/// and the module torch._bytes, which reads the bytes of tensors on the CPU.
void add_numpy_bridge(Machine& machine);

}  // namespace nns::python
