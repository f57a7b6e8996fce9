#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// torch.Size.
void add_size_class(Interpreter& interpreter, TensorLibrary& library);

}  // namespace nns::tensor
