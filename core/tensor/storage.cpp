#include "core/tensor/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "core/tensor/byte_pool.h"
#include "core/tensor/capture.h"
#include "core/tensor/gpu_choice.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

// Memory of the capture that is under way, or null.
Ref<Storage> storage_of_capture(Interpreter& interpreter, std::uint64_t bytes) {
  Capture* const capture = Capture::current();
  if (capture == nullptr) [[likely]]
    return nullptr;
  std::shared_ptr<std::byte> taken = capture->take(static_cast<std::size_t>(bytes));
  if (!taken) return nullptr;
  std::byte* const data = taken.get();
  return Storage::wrap(interpreter, data, bytes, std::move(taken));
}

}  // namespace

struct Storage::Extras {
  Ref<object::Dict> attributes;
  std::string file_name;
  // Hold the memory from before each time that it grew.
  std::vector<Ref<Storage>> outgrown;
};

const char* device_name(Device device) {
  // The GPU's number is chosen while the program runs.
  if (device == Device::Cuda && gpu_number() != 0) {
    static thread_local std::string name;
    name = fmt::format("cuda:{}", gpu_number());
    return name.c_str();
  }
  static const std::array<std::string, kDevices> kNames = [] {
    std::array<std::string, kDevices> names;
    for (std::size_t i = 0; i < kDevices; ++i) {
      const auto one = static_cast<Device>(i);
      const int index = device_index(one);
      names[i] = index < 0 ? std::string(device_type(one)) : fmt::format("{}:{}", device_type(one), index);
    }
    return names;
  }();
  return kNames[static_cast<std::size_t>(device)].c_str();
}

Storage::Storage(object::Class& cls, std::uint64_t bytes, Device device, std::byte* data)
    : Object(cls), data_(data), bytes_(bytes), capacity_(data == nullptr ? 0 : bytes), device_(device) {}

Storage::~Storage() {
  if (owns_bytes_) give_bytes(data_, static_cast<std::size_t>(capacity_));
}

Ref<Storage> Storage::allocate(Interpreter& interpreter, std::uint64_t bytes, Device device) {
  if (device == Device::Cuda && bytes > 0) {
    auto taken = try_allocate(interpreter, bytes, device);
    if (taken.ok()) return std::move(taken).value();
    // As below.
    std::abort();
  }
  if (device == Device::Cpu && bytes > 0) {
    if (Ref<Storage> captured = storage_of_capture(interpreter, bytes)) {
      captured->fixed_ = false;
      return captured;
    }
  }
  auto made = object::make<Storage>(*TensorLibrary::of(interpreter).storage, bytes, device, nullptr);
  if (is_cpu(device) && bytes > 0) {
    made->data_ = take_bytes(static_cast<std::size_t>(bytes));
    made->capacity_ = bytes;
    // What is asked for here is small; without memory for it nothing goes on.
    if (made->data_ == nullptr) std::abort();
    made->owns_bytes_ = true;
  }
  return made;
}

PyResult<Ref<Storage>> Storage::try_allocate(Interpreter& interpreter, std::uint64_t bytes, Device device) {
  TensorLibrary& library = TensorLibrary::of(interpreter);
  if (bytes == 0 || device == Device::Meta) return object::make<Storage>(*library.storage, bytes, device, nullptr);
  if (library.has_room && !library.has_room(bytes)) {
    return object::make_error(interpreter, object::ErrorKind::MemoryError,
                              fmt::format("the program may not have {} bytes more", bytes));
  }
  if (device == Device::Cuda) {
    auto taken = library.cuda->allocate(bytes);
    if (!taken.ok()) return cuda_error(interpreter, taken.error());
    auto made = object::make<Storage>(*library.storage, bytes, device, taken.value().get());
    made->owner_ = std::move(taken).value();
    return made;
  }
  if (device == Device::Cpu) {
    if (Ref<Storage> captured = storage_of_capture(interpreter, bytes)) {
      captured->fixed_ = false;
      return captured;
    }
  }
  std::byte* const data =
      bytes > std::numeric_limits<std::size_t>::max() / 2 ? nullptr : take_bytes(static_cast<std::size_t>(bytes));
  if (data == nullptr) {
    return object::runtime_error(
        interpreter,
        "[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried "
        "to allocate {} bytes. Error code 12 (Cannot allocate memory)",
        bytes);
  }
  auto made = object::make<Storage>(*library.storage, bytes, device, data);
  made->owns_bytes_ = true;
  return made;
}

Ref<Storage> Storage::wrap(Interpreter& interpreter, std::byte* data, std::uint64_t bytes,
                           std::shared_ptr<const void> owner) {
  auto made = object::make<Storage>(*TensorLibrary::of(interpreter).storage, bytes, Device::Cpu, data);
  made->owner_ = std::move(owner);
  made->fixed_ = true;
  return made;
}

PyResult<void> Storage::resize(std::uint64_t bytes) {
  Interpreter& in = interpreter();
  if (fixed_) return object::runtime_error(in, "Trying to resize storage that is not resizable");
  if (bytes > capacity_ && device_ != Device::Meta) {
    NNS_TRY_ASSIGN(const Ref<Storage> grown, try_allocate(in, bytes, device_));
    if (bytes_ > 0) {
      const auto kept = [&](Storage& one) {
        return make_tensor(in, {Ref<Storage>(&one), {static_cast<std::int64_t>(bytes_)}, {1}, 0, DType::UInt8});
      };
      NNS_TRY(copy_items(*kept(*grown), *kept(*this)));
    }
    swap_memory(*grown);
    if (grown->data_ != nullptr) extras().outgrown.push_back(grown);
  }
  bytes_ = bytes;
  return {};
}

void Storage::swap_memory(Storage& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(capacity_, other.capacity_);
  std::swap(owner_, other.owner_);
  std::swap(device_, other.device_);
  std::swap(owns_bytes_, other.owns_bytes_);
  std::swap(fixed_, other.fixed_);
}

Storage::Extras& Storage::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

const std::string& Storage::file_name() const {
  static const std::string kNone;
  return extras_ ? extras_->file_name : kNone;
}

void Storage::set_file_name(std::string name) { extras().file_name = std::move(name); }

object::Dict* Storage::instance_dict(bool create) {
  if (!create && !extras_) return nullptr;
  if (create && !extras().attributes) extras_->attributes = interpreter().dict();
  return extras_->attributes.get();
}

Ref<object::Object> Storage::make_empty(object::Class& cls) {
  return object::make<Storage>(cls, std::uint64_t{0}, Device::Cpu, nullptr);
}

}  // namespace nns::tensor
