#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"
#include "core/tensor/random_law.h"

namespace nns::tensor {

/// Items in memory, as a copy or a fill walks them.
struct StridedItems {
  std::byte* data = nullptr;
  /// Units: items; 0 repeats one item.
  Dims strides;
  DType dtype = DType::Float32;
};

/// What tensors need of a GPU. `native/cuda` has the real one and gives it to an interpreter; without it "cuda" is no
/// device. Tests have one on plain memory.
/// Everything is queued on one stream in order; what gives bytes to the host waits for them.
/// Errors: no room on the device (is_out_of_memory); the device or its driver failed. Threads: one.
class CudaDevice {
 public:
  virtual ~CudaDevice() = default;

  /// Bytes on the device, not initialised; they go back to the device's cache with the last owner. Must hold: bytes >
  /// 0.
  virtual base::Result<std::shared_ptr<std::byte>> allocate(std::uint64_t bytes) = 0;
  /// Copies of bytes that lie in a row.
  virtual base::Result<void> upload(std::byte* to_device, const std::byte* from_host, std::uint64_t bytes) = 0;
  virtual base::Result<void> download(std::byte* to_host, const std::byte* from_device, std::uint64_t bytes) = 0;
  /// to[i] = from[i] for all places i of `shape`, converted as on the CPU; both on the device.
  virtual base::Result<void> copy_items(const StridedItems& to, const StridedItems& from, const Dims& shape) = 0;
  /// to[i] = `item`, the bytes of one item of its dtype.
  virtual base::Result<void> fill_items(const StridedItems& to, const Dims& shape, const std::byte* item) = 0;
  /// to[i] = a number drawn from `law`, in the order of places; `state` moves on.
  virtual base::Result<void> draw_items(const StridedItems& to, const Dims& shape, const RandomLaw& law,
                                        PhiloxState& state) = 0;
  /// Waits for all that was queued. Errors: what went wrong in it.
  virtual base::Result<void> synchronize() = 0;
};

/// How errors of a device begin when it has no room left; they become torch.OutOfMemoryError.
inline constexpr std::string_view kOutOfMemory = "CUDA out of memory. ";

}  // namespace nns::tensor
