#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/object/error.h"
#include "core/object/object.h"

namespace nns::tensor {

/// Where a tensor's bytes are. Meta tensors have a shape and no bytes. Cuda is the GPU that the interpreter was given.
/// From CpuNumbered on: "cpu:0", "cpu:1", ... Tensors lie there only if the interpreter was given virtual devices: the
/// same memory, told apart as GPUs are.
enum class Device : std::uint8_t { Cpu, Meta, Cuda, CpuNumbered };
/// Behaviour: c10/core/Device.h, DeviceIndex, which has seven bits.
inline constexpr int kDeviceIndices = 128;
inline constexpr std::size_t kDevices = static_cast<std::size_t>(Device::CpuNumbered) + kDeviceIndices;

/// "cpu:index". Must hold: 0 <= index < kDeviceIndices.
constexpr Device numbered_cpu(int index) { return static_cast<Device>(static_cast<int>(Device::CpuNumbered) + index); }
constexpr bool is_numbered_cpu(Device device) { return device >= Device::CpuNumbered; }
/// Whether the processor may read and write what lies there.
constexpr bool is_cpu(Device device) { return device == Device::Cpu || is_numbered_cpu(device); }
/// torch.device.index; -1: None.
constexpr int device_index(Device device) {
  if (is_numbered_cpu(device)) return static_cast<int>(device) - static_cast<int>(Device::CpuNumbered);
  return device == Device::Cuda ? 0 : -1;
}
/// torch.device.type.
constexpr const char* device_type(Device device) {
  if (is_cpu(device)) return "cpu";
  return device == Device::Meta ? "meta" : "cuda";
}
/// str(torch.device): "cpu", "cuda:0", "cpu:1".
const char* device_name(Device device);

/// The bytes that one or several tensors look at: torch.UntypedStorage.
class Storage final : public object::Object {
 public:
  /// Bytes that are not initialised; none on meta. Aligned for any vector instruction. Without room the program ends
  /// here. Must hold: on cuda the interpreter was given a device.
  static object::Ref<Storage> allocate(object::Interpreter& interpreter, std::uint64_t bytes, Device device);
  /// The same for sizes that a program gave.
  /// Errors: RuntimeError  there is not so much memory; OutOfMemoryError  on cuda, with what holds it.
  static object::PyResult<object::Ref<Storage>> try_allocate(object::Interpreter& interpreter, std::uint64_t bytes,
                                                             Device device);
  /// Bytes that somebody else holds (a mapped file): `owner` keeps them alive. Writing to them is the caller's risk.
  static object::Ref<Storage> wrap(object::Interpreter& interpreter, std::byte* data, std::uint64_t bytes,
                                   std::shared_ptr<const void> owner);

  std::uint64_t bytes() const { return bytes_; }
  /// Null on meta and for no bytes; on cuda an address that only the device may read.
  std::byte* data() const { return data_; }
  Device device() const { return device_; }
  /// Counts writes in place.
  std::uint64_t version() const { return version_; }
  void bump_version() { ++version_; }
  void set_version(std::uint64_t version) { version_ = version; }
  bool is_shared() const { return shared_; }
  void mark_shared() { shared_ = true; }

  /// Whether its size may change: memory that somebody else holds stays as it is.
  bool is_resizable() const { return !fixed_; }
  /// Keeps the bytes that fit. Memory that it had stays until the storage goes, so that tensors and parts that still
  /// look at it read no strange bytes. Errors: RuntimeError  !is_resizable(); those of try_allocate.
  object::PyResult<void> resize(std::uint64_t bytes);
  /// Exchanges what the two hold, but neither class nor attributes.
  void swap_memory(Storage& other);
  /// The file whose bytes these are; empty: none.
  const std::string& file_name() const;
  void set_file_name(std::string name);

  object::Dict* instance_dict(bool create) override;
  /// An empty one on the CPU, for classes that a program derives.
  static object::Ref<object::Object> make_empty(object::Class& cls);
  /// Public for object::make only.
  Storage(object::Class& cls, std::uint64_t bytes, Device device, std::byte* data);
  ~Storage() override;

 private:
  // What few storages have.
  struct Extras;
  Extras& extras();

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  // Of data_, which a resize may leave larger than bytes_.
  std::uint64_t capacity_ = 0;
  std::uint64_t version_ = 0;
  std::shared_ptr<const void> owner_;
  std::unique_ptr<Extras> extras_;
  Device device_;
  bool owns_bytes_ = false;
  bool shared_ = false;
  bool fixed_ = false;
};

}  // namespace nns::tensor
