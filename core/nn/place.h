#pragma once

#include "core/tensor/tensor.h"

namespace nns::nn {

/// Where the items of a tensor lie: of a sparse one its values.
inline tensor::Device place_of(const tensor::Tensor& self) {
  return self.sparse() == nullptr ? self.device() : self.sparse()->values->device();
}

}  // namespace nns::nn
