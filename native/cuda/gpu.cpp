#include "native/cuda/gpu.h"

#include "core/tensor/gpu_choice.h"
#include "core/tensor/tensor.h"
#include "native/cuda/check.h"
#include "native/cuda/ops.h"

namespace nns::cuda {
namespace {

class InstalledGpu final : public Gpu {
 public:
  InstalledGpu(std::shared_ptr<Device> device, std::shared_ptr<Ops> ops)
      : device_(std::move(device)), ops_(std::move(ops)) {}
  base::Result<void> synchronize() override { return device_->synchronize(); }
  const AllocatorStatistics& memory() const override { return device_->memory().statistics(); }
  void empty_cache() override { device_->memory().release_cached(); }
  void allow_tf32(bool allowed) override { ops_->gemm().allow_tf32(allowed); }
  std::string name() const override { return device_->properties().name; }

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<Ops> ops_;
};

// What the driver of this machine has.
class DriverGpus final : public tensor::GpuProvider {
 public:
  int count() override {
    int found = 0;
    if (cudaGetDeviceCount(&found) == cudaSuccess) return found;
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  base::Result<tensor::GpuReport::Properties> properties(int number) override {
    cudaDeviceProp told;
    NNS_TRY(checked(cudaGetDeviceProperties(&told, number), "cudaGetDeviceProperties"));
    return reported(told);
  }
  base::Result<void> open(object::Interpreter& interpreter, int number) override {
    NNS_TRY(install(interpreter, number));
    return {};
  }
  std::int64_t cudnn_version() override { return Cudnn::version_or_none(); }
};

}  // namespace

base::Result<std::shared_ptr<Gpu>> install(object::Interpreter& interpreter, int number) {
  int count = 0;
  NNS_TRY(checked(cudaGetDeviceCount(&count), "cudaGetDeviceCount"));
  if (count == 0) return failure("no GPU", "an NVIDIA GPU");
  if (number < 0 || number >= count) {
    return failure(fmt::format("GPU {} is not there: there are {}", number, count), "a number below that");
  }
  NNS_TRY_ASSIGN(std::shared_ptr<Device> device, Device::open(number));
  auto ops = std::make_shared<Ops>(device);
  tensor::TensorLibrary::of(interpreter).cuda = device;
  ops::OpLibrary::of(interpreter).cuda = ops;
  return std::shared_ptr<Gpu>(std::make_shared<InstalledGpu>(std::move(device), std::move(ops)));
}

void offer_gpus() { tensor::offer_gpus(std::make_shared<DriverGpus>()); }

}  // namespace nns::cuda
