#pragma once

#include <cstddef>
#include <memory>

#include "core/object/object.h"

namespace nns::tensor {

/// Where a tensor's bytes are. Meta tensors have a shape and no bytes.
enum class Device : std::uint8_t { Cpu, Meta };
constexpr const char* device_name(Device device) { return device == Device::Cpu ? "cpu" : "meta"; }

/// The bytes that one or several tensors look at: torch.UntypedStorage.
class Storage final : public object::Object {
 public:
  /// Bytes that are not initialised; none on meta. Aligned for any vector instruction.
  static object::Ref<Storage> allocate(object::Interpreter& interpreter, std::uint64_t bytes, Device device);
  /// Bytes that somebody else holds (a mapped file): `owner` keeps them alive. Writing to them is the caller's risk.
  static object::Ref<Storage> wrap(object::Interpreter& interpreter, std::byte* data, std::uint64_t bytes,
                                   std::shared_ptr<const void> owner);

  std::uint64_t bytes() const { return bytes_; }
  /// Null on meta and for no bytes.
  std::byte* data() const { return data_; }
  Device device() const { return device_; }
  /// Counts writes in place.
  std::uint64_t version() const { return version_; }
  void bump_version() { ++version_; }
  bool is_shared() const { return shared_; }
  void mark_shared() { shared_ = true; }

  /// Public for object::make only.
  Storage(object::Class& cls, std::uint64_t bytes, Device device, std::byte* data);
  ~Storage() override;

 private:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t version_ = 0;
  std::shared_ptr<const void> owner_;
  Device device_;
  bool owns_bytes_ = false;
  bool shared_ = false;
};

}  // namespace nns::tensor
