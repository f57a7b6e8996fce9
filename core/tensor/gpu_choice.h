#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/object/interpreter.h"
#include "core/tensor/gpu_report.h"
#include "core/tensor/storage.h"

namespace nns::tensor {

/// Where programs of this process find GPUs: the driver. `native/cuda` has the real one.
/// Threads: any.
class GpuProvider {
 public:
  virtual ~GpuProvider() = default;
  /// How many GPUs there are, without beginning to use one; 0 where anything is missing.
  virtual int count() = 0;
  /// What the driver tells of one, without beginning to use it. Errors: there is no such one.
  virtual base::Result<GpuReport::Properties> properties(int number) = 0;
  /// Gives the interpreter that GPU: TensorLibrary::cuda, and the bodies of ops.
  /// Errors: the device fails; there is no such one.
  virtual base::Result<void> open(object::Interpreter& interpreter, int number) = 0;
  /// As GpuReport::cudnn_version(), without beginning to use a GPU.
  virtual std::int64_t cudnn_version() { return 0; }
};

/// From now on programs find these GPUs, and open one when they first use it. Null: no more.
void offer_gpus(std::shared_ptr<GpuProvider> provider);

/// How many GPUs a program of this interpreter may name: torch.cuda.device_count().
int gpu_count(object::Interpreter& interpreter);

/// What is told of one of them.
/// Errors: AcceleratorError  there is no such GPU; AssertionError  it does not tell of itself.
object::PyResult<GpuReport::Properties> gpu_properties(object::Interpreter& interpreter, int number);

/// torch.backends.cudnn.version(): 91900 for cuDNN 9.19.0; 0 where it or a GPU is missing.
std::int64_t cudnn_version(object::Interpreter& interpreter);

/// The number of the GPU that this process computes on, torch.cuda.current_device(). One process has one, as ranks
/// have: 0 until another is chosen. Differs: with PyTorch one process may use several.
int gpu_number();
/// Errors: AcceleratorError  there is no such GPU; RuntimeError  another one is in use already.
object::PyResult<void> choose_gpu(object::Interpreter& interpreter, int number);
/// Chosen by whoever starts the process, before any program runs.
void set_gpu_number(int number);

/// Opens the GPU of this process for the interpreter, once.
/// Errors: AssertionError  there is none; AcceleratorError  it fails.
object::PyResult<void> open_gpu(object::Interpreter& interpreter);

/// torch.device.index as programs see it; -1: None.
int shown_index(Device device);

}  // namespace nns::tensor
