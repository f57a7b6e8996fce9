#include "core/ops/complaints.cuh"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/place_work.h"

// Several items for one place, the same on every run: sums of whole numbers are added as they come; where the places
// were sorted, each looks up what comes to it; short lines go by a warp a plane, 32 items at a time, of which the first
// for a place takes in the others in their order.
namespace nns::ops {
namespace {

__device__ __forceinline__ std::int64_t first_of_threads() {
  return static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t threads_of_grid() {
  return static_cast<std::int64_t>(gridDim.x) * kLineThreads;
}

__device__ __forceinline__ bool is_place(const PlaceReductionWork& work, std::int64_t place) {
  if (place >= 0 && place < work.dense_plane) return true;
  complain(work.complaint, DeviceComplaint::Index);
  return false;
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) reduce_at_places(const __grid_constant__ PlaceReductionWork work) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  constexpr std::int64_t kPlanes = kLineThreads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kPlanes;
  for (std::int64_t plane = static_cast<std::int64_t>(blockIdx.x) * kPlanes + threadIdx.x / 32; plane < work.planes;
       plane += step) {
    T* const dense = reinterpret_cast<T*>(work.dense) + plane * work.dense_plane;
    std::int64_t* const counts = work.counts + plane * work.dense_plane;
    for (std::int64_t begin = 0; begin < work.length; begin += 32) {
      const std::int64_t i = begin + lane;
      std::int64_t place = i < work.length ? work.places[plane * work.places_stride + i] : -1;
      if (i < work.length && !is_place(work, place)) place = -1;
      const T own = i < work.length ? load_item<T>(work.items.dtype,
                                                   work.items.data + (plane * work.length + i) * work.items.item_bytes)
                                    : T(0);
      T whole = own;
      bool is_first = place >= 0;
      std::int64_t count = 1;
      for (int other = 0; other < 32; ++other) {
        const std::int64_t its_place = __shfl_sync(kAll, place, other);
        const T its = __shfl_sync(kAll, own, other);
        if (its_place != place || other == lane) continue;
        if (other < lane) {
          is_first = false;
        } else {
          whole = joined(work.reduction, whole, its);
          ++count;
        }
      }
      if (is_first) {
        // What stands there is the first item, unless it does not count.
        const bool is_there = work.includes_self || counts[place] > 0;
        dense[place] = is_there ? joined(work.reduction, dense[place], whole) : whole;
        counts[place] += count;
      }
      __syncwarp();
    }
  }
}

__global__ void __launch_bounds__(kLineThreads) add_whole_numbers(const __grid_constant__ PlaceReductionWork work) {
  for (std::int64_t i = first_of_threads(); i < work.planes * work.length; i += threads_of_grid()) {
    const std::int64_t plane = i / work.length;
    const std::int64_t place = work.places[plane * work.places_stride + i - plane * work.length];
    if (!is_place(work, place)) continue;
    const auto own = load_item<std::int64_t>(work.items.dtype, work.items.data + i * work.items.item_bytes);
    atomicAdd(reinterpret_cast<unsigned long long*>(work.dense) + plane * work.dense_plane + place,
              static_cast<unsigned long long>(own));
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) reduce_sorted(const __grid_constant__ PlaceReductionWork work) {
  const auto key_of = [](std::int64_t place) { return static_cast<std::uint64_t>(place) ^ (std::uint64_t{1} << 63U); };
  for (std::int64_t i = first_of_threads(); i < work.planes * work.dense_plane; i += threads_of_grid()) {
    const std::int64_t plane = i / work.dense_plane, place = i - plane * work.dense_plane;
    const std::int64_t line = work.places_stride == 0 ? 0 : plane;
    const auto* const keys = reinterpret_cast<const std::uint64_t*>(work.sorted.keys) + line * work.sorted.stride;
    const std::uint32_t* const order = work.sorted.places + line * work.sorted.stride;
    if (place == 0 && (keys[0] < key_of(0) || keys[work.length - 1] >= key_of(work.dense_plane))) {
      complain(work.complaint, DeviceComplaint::Index);
    }
    const std::uint64_t key = key_of(place);
    std::int64_t low = 0, high = work.length;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    T& dense = reinterpret_cast<T*>(work.dense)[i];
    T whole = dense;
    std::int64_t count = work.includes_self ? 1 : 0;
    for (; low < work.length && keys[low] == key; ++low, ++count) {
      const std::int64_t at = plane * work.length + order[low];
      const T item = load_item<T>(work.items.dtype, work.items.data + at * work.items.item_bytes);
      whole = count == 0 ? item : joined(work.reduction, whole, item);
    }
    dense = work.reduction == PlaceReduction::Mean && count > 1 ? mean_of(whole, count) : whole;
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) divide_by_counts(const __grid_constant__ PlaceReductionWork work) {
  for (std::int64_t i = first_of_threads(); i < work.planes * work.dense_plane; i += threads_of_grid()) {
    const std::int64_t count = work.counts[i] + (work.includes_self ? 1 : 0);
    T& sum = reinterpret_cast<T*>(work.dense)[i];
    if (count > 1) sum = mean_of(sum, count);
  }
}

template <class T>
void launch_reduction_in(const PlaceReductionWork& work, StreamHandle stream) {
  constexpr std::int64_t kPlanes = kLineThreads / 32;
  if (work.sorted.keys != nullptr) {
    const std::int64_t places = work.planes * work.dense_plane;
    return launch_kernel(reduce_sorted<T>, blocks_for(places, kLineThreads), kLineThreads, stream, work);
  }
  if (work.planes * work.length > 0) {
    launch_kernel(reduce_at_places<T>, blocks_for(work.planes, kPlanes), kLineThreads, stream, work);
  }
  const std::int64_t dense = work.planes * work.dense_plane;
  if (work.reduction == PlaceReduction::Mean && dense > 0) {
    launch_kernel(divide_by_counts<T>, blocks_for(dense, kLineThreads), kLineThreads, stream, work);
  }
}

}  // namespace

void launch_place_reduction(const PlaceReductionWork& work, StreamHandle stream) {
  const bool is_whole = work.compute == Compute::Int64;
  if (is_whole && work.reduction == PlaceReduction::Sum && work.includes_self) {
    if (work.planes * work.length == 0) return;
    launch_kernel(add_whole_numbers, blocks_for(work.planes * work.length, kLineThreads), kLineThreads, stream, work);
  } else if (is_whole) {
    launch_reduction_in<std::int64_t>(work, stream);
  } else if (work.compute == Compute::Double) {
    launch_reduction_in<double>(work, stream);
  } else {
    launch_reduction_in<float>(work, stream);
  }
}

}  // namespace nns::ops
