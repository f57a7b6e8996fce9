#pragma once

#include "core/object/class.h"

namespace nns::tensor {

/// Tensor.__copy__ and __deepcopy__. Behaviour: torch/_tensor.py and torch/nn/parameter.py.
void add_copies(object::Class& tensor_class);

}  // namespace nns::tensor
