// torch.device, and what names one.
#include "core/tensor/device_class.h"

#include <fmt/format.h>

#include <string>

#include "core/object/operations.h"
#include "core/tensor/gpu_choice.h"

namespace nns::tensor {

namespace {

// The index behind the colon of "cpu:1". Behaviour: c10/core/Device.cpp, parse_type.
PyResult<int> device_number(Interpreter& in, std::string_view name, std::string_view index) {
  const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos &&
                         (index.size() == 1 || index[0] != '0');
  if (!is_number) return object::runtime_error(in, "Invalid device string: '{}'", name);
  int number = kDeviceIndices;
  if (index.size() <= 3) number = std::stoi(std::string(index));
  if (number < kDeviceIndices) return number;
  return object::runtime_error(in, "Could not parse device index '{}' in device string '{}'", index, name);
}

// "cuda:1" is the GPU of this process if that is the one, or none was chosen yet. Without GPUs there is one to name.
PyResult<Device> numbered_gpu(Interpreter& in, int number) {
  if (number == 0 && gpu_count(in) == 0) return Device::Cuda;
  NNS_TRY(choose_gpu(in, number));
  return Device::Cuda;
}

}  // namespace

PyResult<Device> named_device(Interpreter& interpreter, const Value& value) {
  if (&interpreter.type_of(value) == TensorLibrary::of(interpreter).device) {
    return static_cast<Device>(value.as<Named>()->which());
  }
  if (value.is_int() && !value.is_bool()) {
    const std::int64_t number = value.as_int();
    return numbered_gpu(interpreter, number < 0 || number >= kDeviceIndices ? -1 : static_cast<int>(number));
  }
  const object::Str* text = value.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(interpreter, "device(): argument 'type' must be str, not {}",
                              interpreter.type_of(value).name());
  }
  const std::string_view name = text->view();
  const std::size_t colon = name.find(':');
  const std::string_view type = name.substr(0, colon);
  const bool is_numbered = colon != std::string_view::npos;
  if (type == "cpu" && !is_numbered) return Device::Cpu;
  if (type == "meta") return Device::Meta;
  if (type == "cuda" && !is_numbered) return Device::Cuda;
  if (type == "cpu" || type == "cuda") {
    NNS_TRY_ASSIGN(const int number, device_number(interpreter, name, name.substr(colon + 1)));
    return type == "cpu" ? PyResult<Device>(numbered_cpu(number)) : numbered_gpu(interpreter, number);
  }
  return object::runtime_error(interpreter, "Invalid device string: '{}'", name);
}

PyResult<Device> device_of(Interpreter& interpreter, const Value& value) {
  NNS_TRY_ASSIGN(const Device named, named_device(interpreter, value));
  if (named == Device::Cuda) NNS_TRY(open_gpu(interpreter));
  if (!is_numbered_cpu(named)) return named;
  const int count = TensorLibrary::of(interpreter).virtual_devices;
  if (count == 0) return Device::Cpu;
  if (device_index(named) < count) return named;
  return object::runtime_error(interpreter, "{} is not there: there are {} virtual devices, cpu:0 to cpu:{}",
                               device_name(named), count, count - 1);
}

void add_device_class(Interpreter& interpreter, TensorLibrary& library) {
  library.device = &interpreter.define_class({.name = "device", .module = "torch"});
  library.device->def_static(
      "__new__(cls, type, index=None)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
        const object::Str* const name = a[1].as<object::Str>();
        const bool is_indexed = !a[2].is_none();
        if (is_indexed && (name == nullptr || name->view().find(':') != std::string_view::npos)) {
          return object::runtime_error(
              in, "type (string) must not include an index because index was passed explicitly: {}",
              name == nullptr ? std::string_view() : name->view());
        }
        Value wanted = a[1];
        if (is_indexed && name->view() != "meta") {
          NNS_TRY_ASSIGN(const std::int64_t index, object::index(in, a[2]));
          if (index < -1) return object::runtime_error(in, "Device index must not be negative");
          if (index >= 0) wanted = in.text(fmt::format("{}:{}", name->view(), index));
        }
        NNS_TRY_ASSIGN(const Device device, named_device(in, wanted));
        return TensorLibrary::of(in).device_value(device);
      });
  library.device->def("__init__(self, *args, **kwargs)",
                      [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(); });
  library.device->def("__repr__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const auto device = static_cast<Device>(a[0].as<Named>()->which());
    const int index = shown_index(device);
    return in.text(fmt::format("device(type='{}'{})", device_type(device),
                               index < 0 ? std::string() : fmt::format(", index={}", index)));
  });
  library.device->def("__str__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    return in.text(device_name(static_cast<Device>(a[0].as<Named>()->which())));
  });
  // Behaviour: torch/utils/_device.py, DeviceContext.
  library.device->def("__enter__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    TensorLibrary& own = TensorLibrary::of(in);
    NNS_TRY_ASSIGN(const Device entered, device_of(in, a[0]));
    own.outer_devices.push_back(own.default_device);
    own.default_device = entered;
    return a[0];
  });
  library.device->def("__exit__(self, exc_type=None, exc_value=None, traceback=None)",
                      [](Interpreter& in, std::span<const Value>) -> PyResult<Value> {
                        TensorLibrary& own = TensorLibrary::of(in);
                        if (own.outer_devices.empty()) {
                          return object::runtime_error(in, "a device was left that had not been entered");
                        }
                        own.default_device = own.outer_devices.back();
                        own.outer_devices.pop_back();
                        return Value();
                      });
  library.device->property("type", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(device_type(static_cast<Device>(self.as<Named>()->which())));
  });
  library.device->property("index", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const int index = shown_index(static_cast<Device>(self.as<Named>()->which()));
    return index < 0 ? Value() : Value(index);
  });
}

Value TensorLibrary::device_value(Device which) const {
  Value& made = devices_[static_cast<std::size_t>(which)];
  if (made.is_none() || made.is_absent()) made = object::make<Named>(*device, static_cast<std::uint8_t>(which));
  return made;
}

}  // namespace nns::tensor
