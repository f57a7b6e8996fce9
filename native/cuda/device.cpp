#include "native/cuda/device.h"

#include <algorithm>
#include <cstring>

#include "core/ops/copy_work.h"
#include "core/ops/unary_formulas.h"
#include "core/tensor/cuda_contents.h"
#include "native/cuda/check.h"
#include "native/cuda/cudnn.h"
#include "native/cuda/item_order.h"

namespace nns::cuda {
namespace {

using tensor::DType;

class DeviceMemory final : public SegmentSource {
 public:
  std::byte* take(std::uint64_t bytes) override {
    void* made = nullptr;
    if (cudaMalloc(&made, bytes) == cudaSuccess) return static_cast<std::byte*>(made);
    // Having no room is no error of the device: what comes next must not find it.
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  void give_back(std::byte* segment) override { static_cast<void>(cudaFree(segment)); }
};

std::string size_text(std::uint64_t bytes) {
  constexpr double kKiB = 1024, kDeviceMiB = kKiB * 1024, kGiB = kDeviceMiB * 1024;
  const auto number = static_cast<double>(bytes);
  if (number >= kGiB) return fmt::format("{:.2f} GiB", number / kGiB);
  if (number >= kDeviceMiB) return fmt::format("{:.2f} MiB", number / kDeviceMiB);
  return fmt::format("{:.2f} KiB", number / kKiB);
}

}  // namespace

base::Result<std::shared_ptr<Device>> Device::open(int number) {
  std::shared_ptr<Device> made(new Device());
  NNS_TRY(made->start(number));
  return made;
}

base::Result<void> Device::start(int number) {
  number_ = number;
  NNS_TRY(checked(cudaSetDevice(number), "cudaSetDevice"));
  NNS_TRY(checked(cudaGetDeviceProperties(&properties_, number), "cudaGetDeviceProperties"));
  NNS_TRY(checked(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"));
  for (Staging& one : staging_) {
    void* bytes = nullptr;
    NNS_TRY(checked(cudaMallocHost(&bytes, kStagingBytes), "cudaMallocHost"));
    one.bytes = static_cast<std::byte*>(bytes);
    NNS_TRY(checked(cudaEventCreateWithFlags(&one.is_done, cudaEventDisableTiming), "cudaEventCreateWithFlags"));
  }
  void* host = nullptr;
  void* seen = nullptr;
  NNS_TRY(checked(cudaHostAlloc(&host, sizeof(int), cudaHostAllocMapped), "cudaHostAlloc"));
  complaint_ = static_cast<int*>(host);
  *complaint_ = 0;
  NNS_TRY(checked(cudaHostGetDevicePointer(&seen, host, 0), "cudaHostGetDevicePointer"));
  complaint_on_device_ = static_cast<int*>(seen);
  memory_ = std::make_shared<CachingAllocator>(std::make_unique<DeviceMemory>());
  return {};
}

Device::~Device() {
  // Nothing can be done about what goes wrong here.
  if (stream_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
  for (const Staging& one : staging_) {
    if (one.is_done != nullptr) static_cast<void>(cudaEventDestroy(one.is_done));
    static_cast<void>(cudaFreeHost(one.bytes));
  }
  static_cast<void>(cudaFreeHost(complaint_));
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

base::Result<std::shared_ptr<std::byte>> Device::allocate(std::uint64_t bytes) {
  std::byte* const at = memory_->allocate(bytes, operation_);
  if (at != nullptr) {
    return std::shared_ptr<std::byte>(at, [memory = memory_](std::byte* taken) { memory->release(taken); });
  }
  std::size_t free = 0, total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));
  const AllocatorStatistics& now = memory_->statistics();
  std::string text = fmt::format(
      "{}Tried to allocate {} in {}. GPU {} has a total capacity of {} of which {} is free. Tensors of this program "
      "hold {}, and {} is kept for reuse.",
      tensor::kOutOfMemory, size_text(bytes), operation_, number_, size_text(total), size_text(free),
      size_text(now.allocated), size_text(now.reserved - now.allocated));
  const auto holdings = memory_->holdings();
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, holdings.size()); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{} in {} block{} made by {}", i == 0 ? " The largest holders: " : ", ",
                   size_text(holdings[i].bytes), holdings[i].blocks, holdings[i].blocks == 1 ? "" : "s",
                   holdings[i].holder);
  }
  if (!holdings.empty()) text += '.';
  return failure(std::move(text));
}

base::Result<void> Device::launched() const { return checked(cudaGetLastError(), operation_); }

base::Result<void> Device::wait() {
  NNS_TRY(checked(cudaStreamSynchronize(stream_), operation_));
  std::erase_if(companions_, [](const auto& one) { return one.expired(); });
  // By number: asking one may take time, in which others come.
  for (std::size_t i = 0; i < companions_.size(); ++i) {
    if (const auto companion = companions_[i].lock()) NNS_TRY(companion->state());
  }
  switch (static_cast<ops::DeviceComplaint>(std::exchange(*complaint_, 0))) {
    case ops::DeviceComplaint::None:
      return {};
    case ops::DeviceComplaint::EmbeddingIndex:
      return failure("an index of an embedding on cuda is out of range");
    case ops::DeviceComplaint::LossTarget:
      return failure("a target of a loss on cuda is no class");
    case ops::DeviceComplaint::Index:
      return failure("an index on cuda is out of bounds (of gather, scatter, index_select, index_add or x[index])");
  }
  return {};
}

base::Result<void> Device::synchronize() { return wait(); }

tensor::GpuReport::Properties reported(const cudaDeviceProp& properties) {
  return {properties.name,
          properties.major,
          properties.minor,
          properties.totalGlobalMem,
          static_cast<std::uint64_t>(properties.l2CacheSize),
          properties.multiProcessorCount};
}

tensor::GpuReport::Properties Device::gpu_properties() const { return reported(properties_); }

tensor::GpuReport::Memory Device::gpu_memory() const {
  const AllocatorStatistics& now = memory_->statistics();
  return {now.allocated,   now.peak_allocated, now.reserved, now.peak_reserved,
          now.allocations, now.segments_taken, now.retries,  now.failures};
}

std::int64_t Device::cudnn_version() const { return Cudnn::version_or_none(); }

base::Result<tensor::GpuReport::Room> Device::room() {
  std::size_t free = 0, total = 0;
  NNS_TRY(checked(cudaMemGetInfo(&free, &total), "cudaMemGetInfo"));
  return Room{free, total};
}

base::Result<void> Device::upload(std::byte* to_device, const std::byte* from_host, std::uint64_t bytes) {
  std::size_t turn = 0;
  for (std::uint64_t done = 0; done < bytes; done += kStagingBytes, turn ^= 1U) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kStagingBytes, bytes - done));
    const Staging& room = staging_[turn];
    NNS_TRY(checked(cudaEventSynchronize(room.is_done), operation_));
    std::memcpy(room.bytes, from_host + done, part);
    NNS_TRY(checked(cudaMemcpyAsync(to_device + done, room.bytes, part, cudaMemcpyHostToDevice, stream_), operation_));
    NNS_TRY(checked(cudaEventRecord(room.is_done, stream_), operation_));
  }
  return {};
}

base::Result<void> Device::download(std::byte* to_host, const std::byte* from_device, std::uint64_t bytes) {
  // While one part is copied out of its room, the next comes into the other.
  const auto part_at = [&](std::uint64_t done) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(kStagingBytes, bytes - done));
  };
  const auto fetch = [&](std::uint64_t done, const Staging& room) -> base::Result<void> {
    NNS_TRY(checked(cudaMemcpyAsync(room.bytes, from_device + done, part_at(done), cudaMemcpyDeviceToHost, stream_),
                    operation_));
    return checked(cudaEventRecord(room.is_done, stream_), operation_);
  };
  std::size_t turn = 0;
  if (bytes > 0) NNS_TRY(fetch(0, staging_[0]));
  for (std::uint64_t done = 0; done < bytes; done += kStagingBytes, turn ^= 1U) {
    const std::uint64_t next = done + kStagingBytes;
    if (next < bytes) NNS_TRY(fetch(next, staging_[turn ^ 1U]));
    NNS_TRY(checked(cudaEventSynchronize(staging_[turn].is_done), operation_));
    std::memcpy(to_host + done, staging_[turn].bytes, part_at(done));
  }
  return wait();
}

namespace {

// The plan of a copy or fill: operand 0 is written, operand 1 read. It follows the memory that is written.
base::Result<void> plan_copy(ops::ElementWork& work, const tensor::StridedItems& to, const tensor::Dims& from_strides,
                             std::int64_t from_bytes, const tensor::Dims& shape, const char* operation) {
  work.out = to.data;
  work.out_dtype = to.dtype;
  work.out_bytes = tensor::item_bytes(to.dtype);
  for (const std::size_t dim : order_in_memory(to.strides)) {
    const std::int64_t strides[ops::kMostElementInputs + 1] = {to.strides[dim] * work.out_bytes,
                                                               from_strides[dim] * from_bytes, 0, 0};
    if (!work.plan.add(shape[dim], strides)) {
      return failure(fmt::format("{}: a tensor of more dimensions on cuda than {} that cannot be joined", operation,
                                 decltype(work.plan)::kMostDims));
    }
  }
  return {};
}

// Of items of `bytes`, by such a plan.
ops::CopyWork copy_work(const ops::ElementWork& planned, std::int64_t bytes) {
  ops::CopyWork work;
  work.out = planned.out;
  work.unit_bytes = bytes;
  for (std::int32_t k = 0; k < planned.plan.dims; ++k) {
    const auto& dim = planned.plan.dim[k];
    work.plan.add(dim.size, {dim.strides[0], dim.strides[1]});
  }
  return work;
}

template <class T>
void launch_same(const ops::ElementWork& work, cudaStream_t stream) {
  ops::launch_elements<ops::formula::Same, T, 1, false>(work, stream);
}

}  // namespace

base::Result<void> Device::copy_items(const tensor::StridedItems& to, const tensor::StridedItems& from,
                                      const tensor::Dims& shape) {
  const std::int64_t count = tensor::element_count(shape);
  if (count == 0) return {};
  const std::size_t from_bytes = tensor::item_bytes(from.dtype);
  const bool is_same = to.dtype == from.dtype;
  // Complex double, the one dtype of 16 bytes, as pairs of 8.
  if (is_same && from_bytes == 16) {
    return copy_items(as_pairs(to, DType::Int64), as_pairs(from, DType::Int64), with_pairs(shape));
  }
  if (!is_same && !(tensor::has_kernels(to.dtype) && tensor::has_kernels(from.dtype))) {
    return failure(fmt::format("{} from {} to {} on cuda is not implemented", operation_,
                               tensor::torch_dtype_text(from.dtype), tensor::torch_dtype_text(to.dtype)));
  }
  ops::ElementWork work;
  ops::DeviceInput& input = work.inputs[0];
  input.data = from.data;
  input.item_bytes = static_cast<std::int64_t>(from_bytes);
  input.dtype = from.dtype;
  NNS_TRY(plan_copy(work, to, from.strides, input.item_bytes, shape, operation_));
  if (is_same && work.plan.dims <= 1 &&
      (work.plan.dims == 0 ||
       (work.plan.dim[0].strides[0] == input.item_bytes && work.plan.dim[0].strides[1] == input.item_bytes))) {
    return checked(cudaMemcpyAsync(to.data, from.data, static_cast<std::size_t>(count) * from_bytes,
                                   cudaMemcpyDeviceToDevice, stream_),
                   operation_);
  }
  if (is_same) {
    ops::CopyWork copy = copy_work(work, input.item_bytes);
    copy.in = from.data;
    copy.widen(reinterpret_cast<std::uintptr_t>(copy.out), reinterpret_cast<std::uintptr_t>(copy.in));
    ops::launch_copy(copy, stream_);
    return launched();
  }
  // Whole numbers pass through int64, fractions of 32 bits and fewer through float, all else through double: as on the
  // CPU.
  const auto is_float = [](DType dtype) { return tensor::is_floating(dtype) && dtype != DType::Float64; };
  const bool goes_by_floats = is_float(to.dtype) && is_float(from.dtype);
  work.choose_groups(1, goes_by_floats);
  if (to.dtype == DType::Bool)
    launch_same<bool>(work, stream_);
  else if (tensor::is_integral(to.dtype) && tensor::is_integral(from.dtype))
    launch_same<std::int64_t>(work, stream_);
  else if (goes_by_floats)
    launch_same<float>(work, stream_);
  else
    launch_same<double>(work, stream_);
  return launched();
}

base::Result<void> Device::fill_items(const tensor::StridedItems& to, const tensor::Dims& shape,
                                      const std::byte* item) {
  if (tensor::element_count(shape) == 0) return {};
  const std::size_t bytes = tensor::item_bytes(to.dtype);
  if (bytes == 16) {
    // The two halves one after the other.
    for (std::size_t half = 0; half < 2; ++half) {
      tensor::StridedItems part = to;
      part.data += half * 8;
      part.dtype = DType::Int64;
      for (std::size_t i = 0; i < part.strides.size(); ++i) part.strides[i] *= 2;
      NNS_TRY(fill_items(part, shape, item + half * 8));
    }
    return {};
  }
  ops::ElementWork work;
  NNS_TRY(plan_copy(work, to, to.strides, static_cast<std::int64_t>(bytes), shape, operation_));
  ops::CopyWork fill = copy_work(work, static_cast<std::int64_t>(bytes));
  for (std::size_t i = 0; i < fill.pattern.size(); i += bytes) std::memcpy(fill.pattern.data() + i, item, bytes);
  fill.widen(reinterpret_cast<std::uintptr_t>(fill.out), 0);
  ops::launch_copy(fill, stream_);
  return launched();
}

}  // namespace nns::cuda
