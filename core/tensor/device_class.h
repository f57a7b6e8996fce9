#pragma once

#include <string>
#include <utility>

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// torch.dtype, torch.layout: an object that stands for one enumerator.
class Named final : public object::Object {
 public:
  Named(object::Class& cls, std::uint8_t which) : Object(cls), which_(which) {}
  std::uint8_t which() const { return which_; }

 private:
  std::uint8_t which_;
};

/// What a torch.device says: "cuda", 1; an index of -1: None.
struct DeviceName {
  std::string type;
  int index = -1;
  bool operator==(const DeviceName&) const = default;
};

/// str(torch.device): "cuda:1".
std::string text_of(const DeviceName& name);

/// torch.device: the name of a place, which need not be there.
class DeviceObject final : public object::Object {
 public:
  DeviceObject(object::Class& cls, DeviceName name) : Object(cls), name_(std::move(name)) {}
  const DeviceName& name() const { return name_; }

 private:
  DeviceName name_;
};

/// torch.device.
void add_device_class(Interpreter& interpreter, TensorLibrary& library);

}  // namespace nns::tensor
