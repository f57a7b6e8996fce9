#include "core/ops/device_items.cuh"
#include "core/ops/indexing_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/scan_formulas.h"

// Running sums, products and extremes: a block a line, or where lines are short or lie across, a thread a line. The
// formulas are those of scans.cpp and cumulative.cpp; the order in which a line's items are put together depends on its
// length alone.
namespace nns::ops {
namespace {

// A rule says what is kept while a line is walked (Running), how two of these become one (the second comes later), and
// what becomes of an item.
template <class T, ScanKind kind>
struct NumberRule {
  using Running = T;
  __device__ static Running first() {
    return kind == ScanKind::Product ? T(1) : kind == ScanKind::LogSumExp ? T(-INFINITY) : T(0);
  }
  // Whole numbers wrap around.
  __device__ static Running join(Running a, Running b) {
    if constexpr (kind == ScanKind::LogSumExp)
      return log_added(a, b);
    else if constexpr (kind == ScanKind::Product)
      return wrapping_mul(a, b);
    else
      return wrapping_add(a, b);
  }
  __device__ static Running behind(Running own, unsigned reach) { return __shfl_up_sync(0xFFFFFFFFU, own, reach); }
  __device__ static Running read(const ScanWork& work, const std::byte* at, std::int64_t) {
    return load_item<T>(work.in.dtype, at);
  }
  __device__ static void write(const ScanWork& work, std::int64_t at, Running running) {
    store_item(work.out.dtype, work.out.data + at, running);
  }
};

template <class T>
struct Placed {
  T value;
  // -1: there is none yet.
  std::int64_t place;
};

template <class T, ScanKind kind>
struct ExtremeRule {
  using Running = Placed<T>;
  __device__ static Running first() { return {T(0), -1}; }
  __device__ static Running join(Running a, Running b) {
    if (a.place < 0) return b;
    if (b.place < 0) return a;
    return takes_over<kind == ScanKind::Largest>(b.value, a.value) ? b : a;
  }
  __device__ static Running behind(Running own, unsigned reach) {
    return {__shfl_up_sync(0xFFFFFFFFU, own.value, reach), __shfl_up_sync(0xFFFFFFFFU, own.place, reach)};
  }
  __device__ static Running read(const ScanWork& work, const std::byte* at, std::int64_t place) {
    return {load_item<T>(work.in.dtype, at), place};
  }
  __device__ static void write(const ScanWork& work, std::int64_t at, Running running) {
    store_item(work.out.dtype, work.out.data + at, running.value);
    work.places[at / work.out.item_bytes] = running.place;
  }
};

template <class Rule>
__global__ void __launch_bounds__(kLineThreads) thread_scan(const __grid_constant__ ScanWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; line < work.lines.count;
       line += step) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    typename Rule::Running running = Rule::first();
    for (std::int64_t i = 0; i < work.length; ++i) {
      running = Rule::join(running, Rule::read(work, work.in.data + at[0] + i * work.in_stride, i));
      Rule::write(work, at[1] + i * work.out_stride, running);
    }
  }
}

template <class Rule>
__global__ void __launch_bounds__(kLineThreads) block_scan(const __grid_constant__ ScanWork work) {
  using Running = typename Rule::Running;
  __shared__ Running room[kLineThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (std::int64_t line = blockIdx.x; line < work.lines.count; line += gridDim.x) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    Running before = Rule::first();
    for (std::int64_t begin = 0; begin < work.length; begin += kLineThreads) {
      const std::int64_t i = begin + threadIdx.x;
      Running running = Rule::first();
      if (i < work.length) running = Rule::read(work, work.in.data + at[0] + i * work.in_stride, i);
      for (int reach = 1; reach < 32; reach *= 2) {
        const Running behind = Rule::behind(running, static_cast<unsigned>(reach));
        if (lane >= reach) running = Rule::join(behind, running);
      }
      if (lane == 31) room[warp] = running;
      __syncthreads();
      Running whole = before;
      for (int other = 0; other < kLineThreads / 32; ++other) {
        if (other == warp) running = Rule::join(whole, running);
        whole = Rule::join(whole, room[other]);
      }
      before = whole;
      if (i < work.length) Rule::write(work, at[1] + i * work.out_stride, running);
      __syncthreads();
    }
  }
}

template <class Rule>
void launch(const ScanWork& work, StreamHandle stream) {
  constexpr std::int64_t kShort = 32;
  const bool lies_across =
      work.lines.count >= kLineThreads && work.lines.dims > 0 && work.lines.dim[0].strides[0] < work.in_stride;
  if (work.length <= kShort || lies_across) {
    launch_kernel(thread_scan<Rule>, blocks_for(work.lines.count, kLineThreads), kLineThreads, stream, work);
  } else {
    launch_kernel(block_scan<Rule>, blocks_for(work.lines.count, 1), kLineThreads, stream, work);
  }
}

template <class T>
void launch_in(const ScanWork& work, StreamHandle stream) {
  switch (work.kind) {
    case ScanKind::Sum:
      return launch<NumberRule<T, ScanKind::Sum>>(work, stream);
    case ScanKind::Product:
      return launch<NumberRule<T, ScanKind::Product>>(work, stream);
    case ScanKind::Largest:
      return launch<ExtremeRule<T, ScanKind::Largest>>(work, stream);
    case ScanKind::Smallest:
      return launch<ExtremeRule<T, ScanKind::Smallest>>(work, stream);
    case ScanKind::LogSumExp:
      // Of floats alone.
      return launch<NumberRule<double, ScanKind::LogSumExp>>(work, stream);
  }
}

}  // namespace

void launch_scan(const ScanWork& work, StreamHandle stream) {
  if (work.lines.count * work.length == 0) return;
  work.is_whole ? launch_in<std::int64_t>(work, stream) : launch_in<double>(work, stream);
}

}  // namespace nns::ops
