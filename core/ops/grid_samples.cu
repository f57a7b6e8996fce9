#include "core/ops/device_items.cuh"
#include "core/ops/grid_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

namespace nns::ops {
namespace {

using grid_reads::Reads;

// A thread of a sample takes so many channels, so that what a place reads is found once for all of them.
constexpr std::int64_t kChannelsAThread = 8;

template <class T>
struct PlaceReads {
  Reads<T> along[3];
  __device__ PlaceReads(const GridWork& work, std::int64_t sample, std::int64_t place) {
    const std::byte* const at = work.grid.data + (sample * work.places + place) * work.dims * work.grid.item_bytes;
    for (int i = 0; i < 3; ++i) {
      along[i].count = 1;
      along[i].weight[0] = 1;
    }
    // The first number of the grid goes along the last dimension.
    for (int i = 0; i < work.dims; ++i) {
      along[2 - i] = grid_reads::reads_of(load_float<T>(work.grid.dtype, at + i * work.grid.item_bytes),
                                          work.size[2 - i], work.settings);
    }
  }
  // Calls use(number of the read, item of the plane or -1, index of the read along each dimension).
  template <class Use>
  __device__ void for_each(const GridWork& work, Use use) const {
    std::int64_t number = 0;
    for (std::size_t z = 0; z < along[0].count; ++z) {
      for (std::size_t y = 0; y < along[1].count; ++y) {
        for (std::size_t x = 0; x < along[2].count; ++x) {
          const std::int64_t a = along[0].at[z], b = along[1].at[y], c = along[2].at[x];
          use(number++, a < 0 || b < 0 || c < 0 ? -1 : (a * work.size[1] + b) * work.size[2] + c, z, y, x);
        }
      }
    }
  }
  __device__ T weight(std::size_t z, std::size_t y, std::size_t x) const {
    return along[0].weight[z] * along[1].weight[y] * along[2].weight[x];
  }
};

template <class T>
__global__ void __launch_bounds__(kLineThreads) grid_samples_kernel(const __grid_constant__ GridWork work) {
  const std::int64_t groups = (work.channels + kChannelsAThread - 1) / kChannelsAThread;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.samples * groups * work.places; i += step) {
    const std::int64_t above = i / work.places, place = i - above * work.places;
    const std::int64_t sample = work.first_sample + above / groups, first = above % groups * kChannelsAThread;
    const std::int64_t end = first + kChannelsAThread < work.channels ? first + kChannelsAThread : work.channels;
    const PlaceReads<T> reads(work, sample, place);
    for (std::int64_t channel = first; channel < end; ++channel) {
      const std::int64_t plane = sample * work.channels + channel;
      const std::byte* const image = work.image.data + plane * work.plane() * work.image.item_bytes;
      T sum = 0;
      reads.for_each(work, [&](std::int64_t, std::int64_t item, std::size_t z, std::size_t y, std::size_t x) {
        if (item < 0) return;
        sum += reads.weight(z, y, x) * load_float<T>(work.image.dtype, image + item * work.image.item_bytes);
      });
      store_item(work.out.dtype, work.out.data + (plane * work.places + place) * work.out.item_bytes, sum);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) grid_gradient_kernel(const __grid_constant__ GridWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  const std::int64_t a_place = grid_reads_a_place(work.settings, work.dims);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.samples * work.places; i += step) {
    const std::int64_t of = i / work.places, place = i - of * work.places, sample = work.first_sample + of;
    const PlaceReads<T> reads(work, sample, place);
    T slopes[3] = {};
    reads.for_each(work, [&](std::int64_t number, std::int64_t item, std::size_t z, std::size_t y, std::size_t x) {
      work.items[i * a_place + number] = item < 0 ? 0xFFFFFFFFU : static_cast<std::uint32_t>(item);
      reinterpret_cast<T*>(work.weights)[i * a_place + number] = reads.weight(z, y, x);
      if (item < 0) return;
      T product = 0;
      for (std::int64_t channel = 0; channel < work.channels; ++channel) {
        const std::int64_t plane = sample * work.channels + channel;
        product +=
            load_float<T>(work.grad.dtype, work.grad.data + (plane * work.places + place) * work.grad.item_bytes) *
            load_float<T>(work.image.dtype, work.image.data + (plane * work.plane() + item) * work.image.item_bytes);
      }
      const T by_z = reads.along[0].weight[z], by_y = reads.along[1].weight[y], by_x = reads.along[2].weight[x];
      slopes[0] += product * by_z * by_y * reads.along[2].slope[x];
      slopes[1] += product * by_z * reads.along[1].slope[y] * by_x;
      slopes[2] += product * reads.along[0].slope[z] * by_y * by_x;
    });
    for (int k = 0; k < work.dims; ++k) {
      store_item(work.grid_grad.dtype,
                 work.grid_grad.data + ((sample * work.places + place) * work.dims + k) * work.grid_grad.item_bytes,
                 slopes[k]);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) image_gradient_kernel(const __grid_constant__ GridWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  const std::int64_t plane = work.plane(), count = work.reads();
  const std::int64_t a_place = grid_reads_a_place(work.settings, work.dims);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.samples * work.channels * plane; i += step) {
    const std::int64_t above = i / plane, item = i - above * plane, of = above / work.channels;
    const std::uint32_t* const items =
        reinterpret_cast<const std::uint32_t*>(work.sorted.keys) + of * work.sorted.stride;
    const std::uint32_t* const reads = work.sorted.places + of * work.sorted.stride;
    const T* const weights = reinterpret_cast<const T*>(work.weights) + of * count;
    const std::int64_t own = work.first_sample * work.channels + above;
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (items[middle] < item)
        low = middle + 1;
      else
        high = middle;
    }
    T sum = 0;
    for (; low < count && items[low] == item; ++low) {
      const std::int64_t place = reads[low] / a_place;
      sum += weights[reads[low]] *
             load_float<T>(work.grad.dtype, work.grad.data + (own * work.places + place) * work.grad.item_bytes);
    }
    store_item(work.image_grad.dtype, work.image_grad.data + (own * plane + item) * work.image_grad.item_bytes, sum);
  }
}

template <class Kernel>
void launch_grid(Kernel in_float, Kernel in_double, const GridWork& work, std::int64_t threads, StreamHandle stream) {
  if (threads == 0) return;
  launch_kernel(work.in_double ? in_double : in_float, blocks_for(threads, kLineThreads), kLineThreads, stream, work);
}

}  // namespace

void launch_grid_samples(const GridWork& work, StreamHandle stream) {
  const std::int64_t groups = (work.channels + kChannelsAThread - 1) / kChannelsAThread;
  launch_grid(grid_samples_kernel<float>, grid_samples_kernel<double>, work, work.samples * groups * work.places,
              stream);
}
void launch_grid_gradient(const GridWork& work, StreamHandle stream) {
  launch_grid(grid_gradient_kernel<float>, grid_gradient_kernel<double>, work, work.samples * work.places, stream);
}
void launch_image_gradient(const GridWork& work, StreamHandle stream) {
  launch_grid(image_gradient_kernel<float>, image_gradient_kernel<double>, work,
              work.samples * work.channels * work.plane(), stream);
}

}  // namespace nns::ops
