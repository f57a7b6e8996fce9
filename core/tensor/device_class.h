#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// torch.dtype, torch.device, torch.layout: an object that stands for one enumerator.
class Named final : public object::Object {
 public:
  Named(object::Class& cls, std::uint8_t which) : Object(cls), which_(which) {}
  std::uint8_t which() const { return which_; }

 private:
  std::uint8_t which_;
};

/// torch.device.
void add_device_class(Interpreter& interpreter, TensorLibrary& library);

}  // namespace nns::tensor
