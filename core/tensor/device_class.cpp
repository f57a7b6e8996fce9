// torch.device, and what names one.
#include "core/tensor/device_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "core/object/operations.h"
#include "core/tensor/gpu_choice.h"

namespace nns::tensor {

namespace {

// What PyTorch knows of, whether this program computes there or not.
constexpr std::string_view kTypes[] = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",       "opencl",
                                       "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",          "lazy",
                                       "vulkan", "mps",  "meta", "hpu",  "mtia",   "privateuseone"};

// The type and the index that a text names. Behaviour: c10/core/Device.cpp, Device(const std::string&).
PyResult<DeviceName> parsed(Interpreter& in, std::string_view text) {
  if (text.empty()) return object::runtime_error(in, "Device string must not be empty");
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  const bool is_word = !type.empty() && std::all_of(type.begin(), type.end(), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  DeviceName name{.type = std::string(type), .index = -1};
  if (colon != std::string_view::npos) {
    const std::string_view index = text.substr(colon + 1);
    const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos &&
                           (index.size() == 1 || index[0] != '0');
    if (!is_word || !is_number) return object::runtime_error(in, "Invalid device string: '{}'", text);
    name.index = index.size() <= 3 ? std::stoi(std::string(index)) : kDeviceIndices;
    if (name.index >= kDeviceIndices) {
      return object::runtime_error(in, "Could not parse device index '{}' in device string '{}'", index, text);
    }
  }
  if (!is_word) return object::runtime_error(in, "Invalid device string: '{}'", text);
  if (std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes)) return name;
  return object::runtime_error(in, "Expected one of {} device type at start of device string: {}",
                               fmt::join(kTypes, ", "), type);
}

PyResult<DeviceName> name_of(Interpreter& in, const Value& value) {
  if (const auto* const device = value.as<DeviceObject>()) return device->name();
  if (value.is_int() && !value.is_bool()) {
    const std::int64_t number = value.as_int();
    return DeviceName{.type = "cuda",
                      .index = number < 0 || number >= kDeviceIndices ? kDeviceIndices : static_cast<int>(number)};
  }
  if (const auto* const text = value.as<object::Str>()) return parsed(in, text->view());
  return object::type_error(in, "device(): argument 'type' must be str, not {}", in.type_of(value).name());
}

// "cuda:1" is the GPU of this process if that is the one, or none was chosen yet. Without GPUs whoever opens one tells.
PyResult<Device> numbered_gpu(Interpreter& in, int number) {
  if (gpu_count(in) == 0) return Device::Cuda;
  NNS_TRY(choose_gpu(in, number < kDeviceIndices ? number : -1));
  return Device::Cuda;
}

}  // namespace

std::string text_of(const DeviceName& name) {
  return name.index < 0 ? name.type : fmt::format("{}:{}", name.type, name.index);
}

PyResult<Device> named_device(Interpreter& interpreter, const Value& value) {
  NNS_TRY_ASSIGN(const DeviceName name, name_of(interpreter, value));
  if (name.type == "meta") return Device::Meta;
  if (name.type == "cpu") return name.index < 0 ? Device::Cpu : numbered_cpu(name.index);
  if (name.type == "cuda") {
    return name.index < 0 ? PyResult<Device>(Device::Cuda) : numbered_gpu(interpreter, name.index);
  }
  // Behaviour: torch/xpu/__init__.py, _lazy_init; c10/core/impl/DeviceGuardImplInterface.h, getDeviceGuardImpl.
  if (name.type == "xpu") {
    return object::error<object::ErrorKind::AssertionError>(interpreter, "Torch not compiled with XPU enabled");
  }
  return object::runtime_error(interpreter, "PyTorch is not linked with support for {} devices", name.type);
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
        const object::Str* const text = a[1].as<object::Str>();
        NNS_TRY_ASSIGN(DeviceName name, name_of(in, a[1]));
        if (!a[2].is_none()) {
          if (text == nullptr || name.index >= 0) {
            return object::runtime_error(
                in, "type (string) must not include an index because index was passed explicitly: {}",
                text == nullptr ? std::string_view() : text->view());
          }
          NNS_TRY_ASSIGN(const std::int64_t index, object::index(in, a[2]));
          if (index < -1) return object::runtime_error(in, "Device index must not be negative");
          name.index = static_cast<int>(std::min<std::int64_t>(index, kDeviceIndices - 1));
        }
        if (a[1].as<DeviceObject>() != nullptr && a[2].is_none()) return a[1];
        // There is one of it, whatever its number.
        if (name.type == "meta") name.index = -1;
        return Value(object::make<DeviceObject>(*TensorLibrary::of(in).device, std::move(name)));
      });
  library.device->def("__init__(self, *args, **kwargs)",
                      [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(); });
  library.device->def("__repr__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const DeviceName& name = a[0].as<DeviceObject>()->name();
    return in.text(fmt::format("device(type='{}'{})", name.type,
                               name.index < 0 ? std::string() : fmt::format(", index={}", name.index)));
  });
  library.device->def("__str__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    return in.text(text_of(a[0].as<DeviceObject>()->name()));
  });
  library.device->def("__eq__(self, other)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const auto* const other = a[1].as<DeviceObject>();
    if (other == nullptr) return in.not_implemented();
    return Value(a[0].as<DeviceObject>()->name() == other->name());
  });
  library.device->def("__hash__(self)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(std::hash<std::string>()(text_of(a[0].as<DeviceObject>()->name())) >> 1U));
  });
  library.device->def("__reduce__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const DeviceName& name = a[0].as<DeviceObject>()->name();
    std::vector<Value> parts = {in.text(name.type)};
    if (name.index >= 0) parts.emplace_back(name.index);
    return Value(in.tuple({Value(TensorLibrary::of(in).device), Value(in.tuple(std::move(parts)))}));
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
    return in.text(self.as<DeviceObject>()->name().type);
  });
  library.device->property("index", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const int index = self.as<DeviceObject>()->name().index;
    return index < 0 ? Value() : Value(index);
  });
}

Value TensorLibrary::device_value(Device which) const {
  Value& made = devices_[static_cast<std::size_t>(which)];
  // Which GPU it is may be settled later.
  const int index = shown_index(which);
  if (made.as<DeviceObject>() == nullptr || made.as<DeviceObject>()->name().index != index) {
    made = object::make<DeviceObject>(*device, DeviceName{.type = device_type(which), .index = index});
  }
  return made;
}

}  // namespace nns::tensor
