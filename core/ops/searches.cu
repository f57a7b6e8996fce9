#include "core/ops/complaints.cuh"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/place_work.h"

// A thread an item. The rules are those of searching.cpp.
namespace nns::ops {
namespace {

__device__ __forceinline__ std::int64_t first_input() {
  return static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t input_step() { return static_cast<std::int64_t>(gridDim.x) * kLineThreads; }

template <class T>
__global__ void __launch_bounds__(kLineThreads) search_kernel(const __grid_constant__ SearchWork work) {
  for (std::int64_t i = first_input(); i < work.count; i += input_step()) {
    const std::int64_t first = work.has_one_line ? 0 : i / work.line * work.length;
    T x = std::is_integral_v<T> ? static_cast<T>(work.integer) : static_cast<T>(work.real);
    if (work.inputs) x = load_item<T>(work.inputs.dtype, work.inputs.data + i * work.inputs.item_bytes);
    std::int64_t low = 0, high = work.length;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      std::int64_t at = work.order != nullptr ? work.order[first + middle] : middle;
      if (at < 0 || at >= work.length) {
        complain(work.complaint, DeviceComplaint::Index);
        at = middle;
      }
      const T bound = load_item<T>(work.bounds.dtype, work.bounds.data + (first + at) * work.bounds.item_bytes);
      if (work.right ? !(bound > x) : !(bound >= x))
        low = middle + 1;
      else
        high = middle;
    }
    store_item(work.out.dtype, work.out.data + i * work.out.item_bytes, low);
  }
}

__global__ void __launch_bounds__(kLineThreads) histogram_kernel(const __grid_constant__ HistogramWork work) {
  for (std::int64_t i = first_input(); i < work.count; i += input_step()) {
    const auto x = load_item<double>(work.in.dtype, work.in.data + i * work.in.item_bytes);
    if (!(x >= work.low && x <= work.high)) continue;
    const auto bin =
        static_cast<std::int64_t>((x - work.low) / (work.high - work.low) * static_cast<double>(work.bins));
    atomicAdd(work.counts + (bin < work.bins ? bin : work.bins - 1), 1ULL);
  }
}

}  // namespace

void launch_search(const SearchWork& work, StreamHandle stream) {
  if (work.count == 0) return;
  const std::uint32_t blocks = blocks_for(work.count, kLineThreads);
  if (work.is_whole)
    launch_kernel(search_kernel<std::int64_t>, blocks, kLineThreads, stream, work);
  else
    launch_kernel(search_kernel<double>, blocks, kLineThreads, stream, work);
}

void launch_histogram(const HistogramWork& work, StreamHandle stream) {
  if (work.count == 0) return;
  launch_kernel(histogram_kernel, blocks_for(work.count, kLineThreads), kLineThreads, stream, work);
}

}  // namespace nns::ops
