#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace nns::tensor {

/// What programs ask of a GPU beside tensors: torch.cuda. A CudaDevice may be one of these, too.
/// Threads: one.
class GpuReport {
 public:
  virtual ~GpuReport() = default;

  struct Properties {
    std::string name;
    /// Its compute capability.
    int major = 0, minor = 0;
    /// Units: bytes.
    std::uint64_t total_memory = 0, l2_cache = 0;
    int multi_processor_count = 0;
  };
  virtual Properties gpu_properties() const = 0;

  /// Of the allocator: what tensors hold, and what the device gave. Units: bytes; counts.
  struct Memory {
    std::uint64_t allocated = 0, peak_allocated = 0;
    std::uint64_t reserved = 0, peak_reserved = 0;
    std::uint64_t allocations = 0, segments_taken = 0;
    std::uint64_t retries = 0, failures = 0;
  };
  virtual Memory gpu_memory() const = 0;
  /// The peaks begin anew with what is in use now.
  virtual void reset_peaks() = 0;
  /// Gives memory that is kept for reuse back to the device.
  virtual void empty_cache() = 0;

  /// Units: bytes.
  struct Room {
    std::uint64_t free = 0, total = 0;
  };
  /// Errors: the device fails.
  virtual base::Result<Room> room() = 0;

  /// Of the cuDNN that convolutions may be computed by: 91900 for 9.19.0; 0: none.
  virtual std::int64_t cudnn_version() const { return 0; }
};

}  // namespace nns::tensor
