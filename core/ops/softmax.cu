#include "core/ops/cuda_kernels.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// softmax and log_softmax: a block a line, or where lines are short or lie across, a thread a line.
namespace nns::ops {
namespace {

template <class T>
__device__ __forceinline__ T shown(T x, T largest, T scale, T log_sum, bool is_log) {
  return is_log ? x - largest - log_sum : exp(x - largest) * scale;
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) block_softmax(const __grid_constant__ SoftmaxWork work) {
  __shared__ T largest_room[kLineThreads / 32];
  __shared__ double sum_room[kLineThreads / 32];
  for (std::int64_t line = blockIdx.x; line < work.lines.count; line += gridDim.x) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    std::byte* const out = work.out.data + at[1];
    T largest = -INFINITY;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      largest = Larger()(largest, load_item<T>(work.in.dtype, in + i * work.in_stride));
    }
    largest = across_block(largest, largest_room, Larger());
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      sum += static_cast<double>(exp(load_item<T>(work.in.dtype, in + i * work.in_stride) - largest));
    }
    sum = across_block(sum, sum_room, Plus());
    const T scale = static_cast<T>(1 / sum), log_sum = static_cast<T>(log(sum));
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const T x = load_item<T>(work.in.dtype, in + i * work.in_stride);
      store_item(work.out.dtype, out + i * work.out_stride, shown(x, largest, scale, log_sum, work.is_log));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) thread_softmax(const __grid_constant__ SoftmaxWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; line < work.lines.count;
       line += step) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    std::byte* const out = work.out.data + at[1];
    T largest = -INFINITY;
    for (std::int64_t i = 0; i < work.length; ++i) {
      largest = Larger()(largest, load_item<T>(work.in.dtype, in + i * work.in_stride));
    }
    double sum = 0;
    for (std::int64_t i = 0; i < work.length; ++i) {
      sum += static_cast<double>(exp(load_item<T>(work.in.dtype, in + i * work.in_stride) - largest));
    }
    const T scale = static_cast<T>(1 / sum), log_sum = static_cast<T>(log(sum));
    for (std::int64_t i = 0; i < work.length; ++i) {
      const T x = load_item<T>(work.in.dtype, in + i * work.in_stride);
      store_item(work.out.dtype, out + i * work.out_stride, shown(x, largest, scale, log_sum, work.is_log));
    }
  }
}

template <class T>
void launch(const SoftmaxWork& work, StreamHandle stream) {
  constexpr std::int64_t kShort = 32;
  const bool lies_across = work.in_stride > 8 && work.lines.dims > 0 && work.lines.dim[0].strides[0] < work.in_stride;
  if (work.length <= kShort || lies_across) {
    launch_kernel(thread_softmax<T>, blocks_for(work.lines.count, kLineThreads), kLineThreads, stream, work);
  } else {
    launch_kernel(block_softmax<T>, blocks_for(work.lines.count, 1), kLineThreads, stream, work);
  }
}

}  // namespace

void launch_softmax(const SoftmaxWork& work, StreamHandle stream) {
  work.in_double ? launch<double>(work, stream) : launch<float>(work, stream);
}

}  // namespace nns::ops
