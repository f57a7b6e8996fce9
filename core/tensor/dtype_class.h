#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// Gives torch.dtype its attributes: is_floating_point, itemsize, to_real() …
void add_dtype_answers(TensorLibrary& library);

}  // namespace nns::tensor
