#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/object/interpreter.h"
#include "native/cuda/allocator.h"

namespace nns::cuda {

/// The GPU that an interpreter computes on.
/// Threads: one, the interpreter's.
class Gpu {
 public:
  virtual ~Gpu() = default;
  /// Waits for all that was queued. Errors: what went wrong in it.
  virtual base::Result<void> synchronize() = 0;
  virtual const AllocatorStatistics& memory() const = 0;
  /// Gives memory that is kept for reuse back to the device: torch.cuda.empty_cache().
  virtual void empty_cache() = 0;
  /// Products of float32 matrices in tf32, 19 bits a factor: torch.backends.cuda.matmul.allow_tf32.
  virtual void allow_tf32(bool allowed) = 0;
  /// "NVIDIA H100 80GB HBM3".
  virtual std::string name() const = 0;
};

/// Gives `interpreter` a GPU: from now on "cuda" is a device there.
/// Errors: this program was built without CUDA; no driver; no such GPU; the device fails.
base::Result<std::shared_ptr<Gpu>> install(object::Interpreter& interpreter, int number = 0);

/// Lets every program of this process find the GPUs of this machine; each opens one when it first uses it.
void offer_gpus();

}  // namespace nns::cuda
