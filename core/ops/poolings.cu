#include "core/ops/boxes.cuh"
#include "core/ops/complaints.cuh"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/pooling_work.h"

// A thread an item of what is written; the formulas are those of pooling.cpp.
namespace nns::ops {
namespace {

struct Window {
  PoolDim::Seen z, y, x;
  __device__ Window(const PoolWork& work, const std::int64_t (&at)[3])
      : z(work.dims[0].seen(at[0])), y(work.dims[1].seen(at[1])), x(work.dims[2].seen(at[2])) {}
  __device__ bool is_empty() const { return z.from >= z.to || y.from >= y.to || x.from >= x.to; }
  // Calls use(place in the plane) for all items, in order.
  template <class Use>
  __device__ void for_each(const PoolWork& work, Use use) const {
    for (std::int64_t i = z.from; i < z.to; i += z.step) {
      for (std::int64_t j = y.from; j < y.to; j += y.step) {
        const std::int64_t row = (i * work.dims[1].window.in + j) * work.dims[2].window.in;
        for (std::int64_t k = x.from; k < x.to; k += x.step) use(row + k);
      }
    }
  }
  template <class T>
  __device__ T divisor(const PoolWork& work) const {
    if (work.divisor != 0) return static_cast<T>(work.divisor);
    if (work.counts_padding) return static_cast<T>(z.covered * y.covered * x.covered);
    return static_cast<T>((z.to - z.from) * (y.to - y.from) * (x.to - x.from));
  }
};

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    max_pool_kernel(const __grid_constant__ PoolWork work, Box out, std::uint32_t count) {
  const std::uint32_t step = gridDim.x * kLineThreads;
  const std::int64_t bytes = work.in.item_bytes, in_plane = work.in_plane();
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(out.plane, i);
    std::int64_t at[3];
    out.places(item.rest, at);
    const Window window(work, at);
    const std::byte* const plane = work.in.data + item.above * in_plane * bytes;
    std::int64_t found = -1;
    T largest = -INFINITY;
    window.for_each(work, [&](std::int64_t place) {
      const T x = load_float<T>(work.in.dtype, plane + place * bytes);
      if (found >= 0 && !(x > largest) && x == x) return;
      largest = x;
      found = place;
    });
    store_item(work.out.dtype, work.out.data + i * bytes, largest);
    // -1: all of the window lies in the padding, and its gradient goes nowhere.
    work.places[i] = found;
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    mean_pool_kernel(const __grid_constant__ PoolWork work, Box out, std::uint32_t count) {
  const std::uint32_t step = gridDim.x * kLineThreads;
  const std::int64_t bytes = work.in.item_bytes, in_plane = work.in_plane();
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(out.plane, i);
    std::int64_t at[3];
    out.places(item.rest, at);
    const Window window(work, at);
    const std::byte* const plane = work.in.data + item.above * in_plane * bytes;
    T sum = 0;
    window.for_each(work, [&](std::int64_t place) { sum += load_float<T>(work.in.dtype, plane + place * bytes); });
    store_item(work.out.dtype, work.out.data + i * bytes,
               window.is_empty() ? T(0) : static_cast<T>(sum / window.divisor<T>(work)));
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    mean_backward_kernel(const __grid_constant__ PoolWork work, Box in, std::uint32_t count) {
  const std::uint32_t step = gridDim.x * kLineThreads;
  const std::int64_t bytes = work.in.item_bytes, out_plane = work.out_plane();
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(in.plane, i);
    std::int64_t here[3];
    in.places(item.rest, here);
    const std::byte* const plane = work.out.data + item.above * out_plane * bytes;
    PoolDim::Windows windows[3];
    for (int k = 0; k < 3; ++k) windows[k] = work.dims[k].windows_of(here[k]);
    T sum = 0;
    for (std::int64_t z = windows[0].from; z < windows[0].to; ++z) {
      for (std::int64_t y = windows[1].from; y < windows[1].to; ++y) {
        for (std::int64_t x = windows[2].from; x < windows[2].to; ++x) {
          const Window window(work, {z, y, x});
          const bool sees = window.z.from <= here[0] && here[0] < window.z.to && window.y.from <= here[1] &&
                            here[1] < window.y.to && window.x.from <= here[2] && here[2] < window.x.to;
          if (!sees) continue;
          const std::int64_t at = (z * work.dims[1].window.out + y) * work.dims[2].window.out + x;
          sum += load_float<T>(work.out.dtype, plane + at * bytes) / window.divisor<T>(work);
        }
      }
    }
    store_item(work.in.dtype, work.in.data + i * bytes, sum);
  }
}

// A warp a plane: 32 items at a time, of those for one place the first adds all.
template <class T>
__global__ void __launch_bounds__(kLineThreads) pool_scatter_kernel(const __grid_constant__ PoolPlacesWork work) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  const std::int64_t plane = static_cast<std::int64_t>(blockIdx.x) * (kLineThreads / 32) + threadIdx.x / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (plane >= work.planes) return;
  T* const dense = reinterpret_cast<T*>(work.dense.data) + plane * work.dense_plane;
  for (std::int64_t first = 0; first < work.sparse_plane; first += 32) {
    const std::int64_t i = first + lane, at = plane * work.sparse_plane + i;
    const bool is_there = i < work.sparse_plane;
    const std::int64_t place = is_there ? work.places[plane * work.places_stride + i] : -1;
    if (work.complaint != nullptr && (place < -1 || place >= work.dense_plane)) {
      complain(work.complaint, DeviceComplaint::Index);
    }
    const T own = is_there ? load_float<T>(work.sparse.dtype, work.sparse.data + at * work.sparse.item_bytes) : T(0);
    T sum = 0;
    bool is_first = is_there && place >= 0 && place < work.dense_plane;
    for (int other = 0; other < 32; ++other) {
      const std::int64_t its_place = __shfl_sync(kAll, static_cast<long long>(place), other);
      const T its = __shfl_sync(kAll, own, other);
      if (its_place != place) continue;
      if (other < lane) is_first = false;
      sum += its;
    }
    if (is_first) dense[place] += sum;
    __syncwarp();
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) pool_gather_kernel(const __grid_constant__ PoolPlacesWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.planes * work.sparse_plane; i += step) {
    const std::int64_t place = work.places[i];
    const bool is_there = place >= 0 && place < work.dense_plane;
    const std::int64_t at = i / work.sparse_plane * work.dense_plane + place;
    const T x = is_there ? load_float<T>(work.dense.dtype, work.dense.data + at * work.dense.item_bytes) : T(0);
    store_item(work.sparse.dtype, work.sparse.data + i * work.sparse.item_bytes, x);
  }
}

// Which item of a plane each place gets.
__global__ void __launch_bounds__(kLineThreads)
    own_places_kernel(const __grid_constant__ PoolPlacesWork work, int* owners) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.planes * work.sparse_plane; i += step) {
    const std::int64_t plane = i / work.sparse_plane, place = work.places[i];
    if (place < 0 || place >= work.dense_plane) {
      complain(work.complaint, DeviceComplaint::Index);
    } else {
      atomicMax(owners + plane * work.dense_plane + place, static_cast<int>(i - plane * work.sparse_plane));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    unpool_kernel(const __grid_constant__ PoolPlacesWork work, const int* owners) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.planes * work.dense_plane; i += step) {
    const std::int64_t own = i / work.dense_plane * work.sparse_plane + owners[i];
    const T item =
        owners[i] < 0 ? T(0) : load_float<T>(work.sparse.dtype, work.sparse.data + own * work.sparse.item_bytes);
    store_item(work.dense.dtype, work.dense.data + i * work.dense.item_bytes, item);
  }
}

template <class Kernel>
void launch_items(Kernel kernel, const PoolWork& work, std::int64_t count, Box box, StreamHandle stream) {
  if (count == 0) return;
  launch_kernel(kernel, blocks_for(count, kLineThreads), kLineThreads, stream, work, box,
                static_cast<std::uint32_t>(count));
}
Box out_box(const PoolWork& work) {
  return box_of(work.dims[0].window.out, work.dims[1].window.out, work.dims[2].window.out);
}

}  // namespace

void launch_max_pool(const PoolWork& work, StreamHandle stream) {
  launch_items(work.in_double ? max_pool_kernel<double> : max_pool_kernel<float>, work, work.planes * work.out_plane(),
               out_box(work), stream);
}

void launch_mean_pool(const PoolWork& work, StreamHandle stream) {
  launch_items(work.in_double ? mean_pool_kernel<double> : mean_pool_kernel<float>, work,
               work.planes * work.out_plane(), out_box(work), stream);
}

void launch_mean_pool_backward(const PoolWork& work, StreamHandle stream) {
  launch_items(work.in_double ? mean_backward_kernel<double> : mean_backward_kernel<float>, work,
               work.planes * work.in_plane(),
               box_of(work.dims[0].window.in, work.dims[1].window.in, work.dims[2].window.in), stream);
}

void launch_pool_scatter(const PoolPlacesWork& work, StreamHandle stream) {
  if (work.planes * work.sparse_plane == 0) return;
  launch_kernel(work.in_double ? pool_scatter_kernel<double> : pool_scatter_kernel<float>,
                blocks_for(work.planes, kLineThreads / 32), kLineThreads, stream, work);
}

void launch_pool_gather(const PoolPlacesWork& work, StreamHandle stream) {
  const std::int64_t count = work.planes * work.sparse_plane;
  if (count == 0) return;
  launch_kernel(work.in_double ? pool_gather_kernel<double> : pool_gather_kernel<float>,
                blocks_for(count, kLineThreads), kLineThreads, stream, work);
}

void launch_unpool(const PoolPlacesWork& work, int* owners, StreamHandle stream) {
  const std::int64_t sparse = work.planes * work.sparse_plane, dense = work.planes * work.dense_plane;
  if (sparse > 0) {
    launch_kernel(own_places_kernel, blocks_for(sparse, kLineThreads), kLineThreads, stream, work, owners);
  }
  if (dense == 0) return;
  const std::uint32_t blocks = blocks_for(dense, kLineThreads);
  launch_kernel(work.in_double ? unpool_kernel<double> : unpool_kernel<float>, blocks, kLineThreads, stream, work,
                owners);
}

}  // namespace nns::ops
