#pragma once

#include <cuda_runtime.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/cuda_kernels.h"
#include "core/tensor/cuda.h"
#include "core/tensor/gpu_report.h"
#include "native/cuda/allocator.h"

namespace nns::cuda {

/// What torch.cuda.get_device_properties() tells of it.
tensor::GpuReport::Properties reported(const cudaDeviceProp& properties);

/// What works on a device beside its stream of computation and may fail there: a group of ranks.
class DeviceCompanion {
 public:
  virtual ~DeviceCompanion() = default;
  /// Asked when the device was waited for: then results are about to be read.
  virtual base::Result<void> state() = 0;
};

/// One GPU: its stream of computation, its memory, and pinned memory through which bytes go to it and come back.
class Device final : public tensor::CudaDevice, public tensor::GpuReport {
 public:
  /// Errors: the device fails.
  static base::Result<std::shared_ptr<Device>> open(int number);
  ~Device() override;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  base::Result<std::shared_ptr<std::byte>> allocate(std::uint64_t bytes) override;
  base::Result<void> upload(std::byte* to_device, const std::byte* from_host, std::uint64_t bytes) override;
  base::Result<void> download(std::byte* to_host, const std::byte* from_device, std::uint64_t bytes) override;
  base::Result<void> copy_items(const tensor::StridedItems& to, const tensor::StridedItems& from,
                                const tensor::Dims& shape) override;
  base::Result<void> fill_items(const tensor::StridedItems& to, const tensor::Dims& shape,
                                const std::byte* item) override;
  base::Result<void> draw_items(const tensor::StridedItems& to, const tensor::Dims& shape, const tensor::RandomLaw& law,
                                tensor::PhiloxState& state) override;
  base::Result<void> synchronize() override;

  Properties gpu_properties() const override;
  Memory gpu_memory() const override;
  void reset_peaks() override { memory_->reset_peaks(); }
  void empty_cache() override { memory_->release_cached(); }
  base::Result<Room> room() override;
  std::int64_t cudnn_version() const override;

  /// As CUDA counts; a thread that calls it directly says so first (cudaSetDevice).
  int number() const { return number_; }
  cudaStream_t stream() const { return stream_; }
  /// `companion` is asked from now on, while it lives.
  void add(std::weak_ptr<DeviceCompanion> companion) { companions_.push_back(std::move(companion)); }
  const cudaDeviceProp& properties() const { return properties_; }
  /// What is under way, for errors and for the account of memory.
  void begin(const char* operation) { operation_ = operation; }
  const char* operation() const { return operation_; }
  /// What went wrong in the last launch.
  base::Result<void> launched() const;
  /// Where kernels say what was wrong in what they read.
  int* complaint() const { return complaint_on_device_; }
  CachingAllocator& memory() { return *memory_; }

 private:
  Device() = default;
  base::Result<void> start(int number);
  base::Result<void> wait();

  static constexpr std::size_t kStagingBytes = std::size_t{4} << 20U;
  struct Staging {
    std::byte* bytes = nullptr;
    cudaEvent_t is_done = nullptr;
  };
  int number_ = 0;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<CachingAllocator> memory_;
  std::array<Staging, 2> staging_;
  int* complaint_ = nullptr;
  int* complaint_on_device_ = nullptr;
  const char* operation_ = "tensors";
  std::vector<std::weak_ptr<DeviceCompanion>> companions_;
};

}  // namespace nns::cuda
