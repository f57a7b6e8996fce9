#include "core/ops/device_items.cuh"
#include "core/ops/indexing_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// cumsum and cumprod: a block a line, or where lines are short or lie across, a thread a line. The formulas are those
// of scans.cpp; the order in which a line's items are put together depends on its length alone.
namespace nns::ops {
namespace {

template <bool is_product>
struct Joined {
  template <class T>
  __device__ static T first() {
    return is_product ? T(1) : T(0);
  }
  // Whole numbers wrap around.
  template <class T>
  __device__ T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
      return static_cast<std::int64_t>(is_product ? x * y : x + y);
    } else {
      return is_product ? a * b : a + b;
    }
  }
};

template <class T, bool is_product>
__global__ void __launch_bounds__(kLineThreads) thread_scan(const __grid_constant__ ScanWork work) {
  const Joined<is_product> join;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; line < work.lines.count;
       line += step) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    T running = join.template first<T>();
    for (std::int64_t i = 0; i < work.length; ++i) {
      running = join(running, load_item<T>(work.in.dtype, work.in.data + at[0] + i * work.in_stride));
      store_item(work.out.dtype, work.out.data + at[1] + i * work.out_stride, running);
    }
  }
}

template <class T, bool is_product>
__global__ void __launch_bounds__(kLineThreads) block_scan(const __grid_constant__ ScanWork work) {
  __shared__ T room[kLineThreads / 32];
  const Joined<is_product> join;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (std::int64_t line = blockIdx.x; line < work.lines.count; line += gridDim.x) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    T before = join.template first<T>();
    for (std::int64_t begin = 0; begin < work.length; begin += kLineThreads) {
      const std::int64_t i = begin + threadIdx.x;
      T running = join.template first<T>();
      if (i < work.length) running = load_item<T>(work.in.dtype, work.in.data + at[0] + i * work.in_stride);
      for (int reach = 1; reach < 32; reach *= 2) {
        const T behind = __shfl_up_sync(0xFFFFFFFFU, running, static_cast<unsigned>(reach));
        if (lane >= reach) running = join(behind, running);
      }
      if (lane == 31) room[warp] = running;
      __syncthreads();
      T whole = before;
      for (int other = 0; other < kLineThreads / 32; ++other) {
        if (other == warp) running = join(whole, running);
        whole = join(whole, room[other]);
      }
      before = whole;
      if (i < work.length) store_item(work.out.dtype, work.out.data + at[1] + i * work.out_stride, running);
      __syncthreads();
    }
  }
}

template <class T, bool is_product>
void launch(const ScanWork& work, StreamHandle stream) {
  constexpr std::int64_t kShort = 32;
  const bool lies_across =
      work.lines.count >= kLineThreads && work.lines.dims > 0 && work.lines.dim[0].strides[0] < work.in_stride;
  if (work.length <= kShort || lies_across) {
    launch_kernel(thread_scan<T, is_product>, blocks_for(work.lines.count, kLineThreads), kLineThreads, stream, work);
  } else {
    launch_kernel(block_scan<T, is_product>, blocks_for(work.lines.count, 1), kLineThreads, stream, work);
  }
}

}  // namespace

void launch_scan(const ScanWork& work, StreamHandle stream) {
  if (work.lines.count * work.length == 0) return;
  if (work.is_whole)
    work.is_product ? launch<std::int64_t, true>(work, stream) : launch<std::int64_t, false>(work, stream);
  else
    work.is_product ? launch<double, true>(work, stream) : launch<double, false>(work, stream);
}

}  // namespace nns::ops
