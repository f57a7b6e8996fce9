#include "core/tensor/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/tensor/tensor.h"

namespace nns::tensor {

namespace {

struct Choice {
  std::mutex mutex;
  std::shared_ptr<GpuProvider> provider;
  std::atomic<int> number = 0;
  /// A program has named or opened that GPU: another would be a second one.
  bool is_settled = false;
};

Choice& choice() {
  static Choice made;
  return made;
}

std::shared_ptr<GpuProvider> provider() {
  const std::lock_guard lock(choice().mutex);
  return choice().provider;
}

}  // namespace

void offer_gpus(std::shared_ptr<GpuProvider> provider) {
  const std::lock_guard lock(choice().mutex);
  choice().provider = std::move(provider);
  choice().number = 0;
  choice().is_settled = false;
}

int gpu_count(Interpreter& interpreter) {
  const bool is_open = TensorLibrary::of(interpreter).cuda != nullptr;
  if (const auto found = provider()) return std::max(found->count(), is_open ? 1 : 0);
  return is_open ? 1 : 0;
}

PyResult<GpuReport::Properties> gpu_properties(Interpreter& interpreter, int number) {
  if (const auto found = provider()) {
    const base::Result<GpuReport::Properties> told = found->properties(number);
    if (!told.ok()) return cuda_error(interpreter, told.error());
    return *told;
  }
  const auto* const report = dynamic_cast<const GpuReport*>(TensorLibrary::of(interpreter).cuda.get());
  if (report != nullptr) return report->gpu_properties();
  return object::error<object::ErrorKind::AssertionError>(interpreter, "Torch not compiled with CUDA enabled");
}

std::int64_t cudnn_version(Interpreter& interpreter) {
  if (gpu_count(interpreter) == 0) return 0;
  if (const auto found = provider()) return found->cudnn_version();
  const auto* const report = dynamic_cast<const GpuReport*>(TensorLibrary::of(interpreter).cuda.get());
  return report == nullptr ? 0 : report->cudnn_version();
}

int gpu_number() { return choice().number.load(std::memory_order_relaxed); }

void set_gpu_number(int number) {
  const std::lock_guard lock(choice().mutex);
  choice().number = number;
}

PyResult<void> choose_gpu(Interpreter& interpreter, int number) {
  if (number < 0 || number >= gpu_count(interpreter)) {
    return object::error<object::ErrorKind::AcceleratorError>(
        interpreter, "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?");
  }
  const std::lock_guard lock(choice().mutex);
  if (choice().is_settled && number != choice().number) {
    return object::runtime_error(
        interpreter,
        "cuda:{} cannot be used: this process computes on cuda:{}, and nnscope uses one GPU a process; start a "
        "process for each (nnscope run --nproc N)",
        number, choice().number.load());
  }
  choice().number = number;
  choice().is_settled = true;
  return {};
}

PyResult<void> open_gpu(Interpreter& interpreter) {
  if (TensorLibrary::of(interpreter).cuda != nullptr) return {};
  const auto found = provider();
  if (found == nullptr || found->count() == 0) {
    return object::error<object::ErrorKind::AssertionError>(interpreter, "Torch not compiled with CUDA enabled");
  }
  NNS_TRY(choose_gpu(interpreter, gpu_number()));
  const base::Result<void> opened = found->open(interpreter, gpu_number());
  if (!opened.ok()) return cuda_error(interpreter, opened.error());
  return {};
}

int shown_index(Device device) { return device == Device::Cuda ? gpu_number() : device_index(device); }

}  // namespace nns::tensor
