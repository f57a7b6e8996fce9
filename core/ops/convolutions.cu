#include "core/ops/boxes.cuh"
#include "core/ops/convolution_work.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// The formulas are those of convolution_kernels.cpp. Every item is written by one thread, which adds in a fixed order.
namespace nns::ops {
namespace {

struct Boxes {
  Box in, out, taps;
  explicit Boxes(const ConvolutionShape& shape) {
    const auto& [z, y, x] = shape.dims;
    in = box_of(z.in, y.in, x.in);
    out = box_of(z.out, y.out, x.out);
    taps = box_of(z.kernel, y.kernel, x.kernel);
  }
};

// Where a tap of the window at `at` lies in its plane, or -1 outside of it.
__device__ __forceinline__ std::int64_t place_in_plane(const ConvolutionShape& shape, const std::int64_t (&at)[3],
                                                       const std::int64_t (&tap)[3]) {
  std::int64_t place = 0;
  bool is_inside = true;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t here = shape.dims[i].place(at[i], tap[i]);
    is_inside = is_inside && here >= 0 && here < shape.dims[i].in;
    place = place * shape.dims[i].in + here;
  }
  return is_inside ? place : -1;
}
// The place of the window whose tap lies at `here`, or -1 where there is none.
__device__ __forceinline__ std::int64_t window_of(const ConvolutionShape& shape, const std::int64_t (&here)[3],
                                                  const std::int64_t (&tap)[3]) {
  std::int64_t place = 0;
  bool is_there = true;
  for (int i = 0; i < 3; ++i) {
    const WindowDim& dim = shape.dims[i];
    const std::int64_t distance = here[i] + dim.padding - tap[i] * dim.dilation;
    const std::int64_t at = distance / dim.stride;
    is_there = is_there && distance >= 0 && at * dim.stride == distance && at < dim.out;
    place = place * dim.out + at;
  }
  return is_there ? place : -1;
}

struct ColumnDivisors {
  Divisor places, channels, groups;
};

template <class Item>
__global__ void __launch_bounds__(kLineThreads)
    to_columns(const __grid_constant__ ColumnWork work, Boxes boxes, ColumnDivisors by, std::uint32_t count) {
  const ConvolutionShape& shape = work.shape;
  const std::uint32_t step = gridDim.x * kLineThreads;
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split place = split(by.places, i);
    const Split tap = split(boxes.taps.plane, place.above);
    const Split channel = split(by.channels, tap.above);
    const Split group = split(by.groups, channel.above);
    std::int64_t at[3], of_tap[3];
    boxes.out.places(static_cast<std::uint32_t>(work.first_place) + place.rest, at);
    boxes.taps.places(tap.rest, of_tap);
    const std::int64_t here = place_in_plane(shape, at, of_tap);
    const std::int64_t plane = (work.first_sample + group.above) * shape.groups * shape.in_channels +
                               group.rest * shape.in_channels + work.first_channel + channel.rest;
    Item item{};
    if (here >= 0) item = item_at<Item>(work.in.data + (plane * shape.in_plane() + here) * sizeof(Item));
    const std::int64_t row = channel.rest * static_cast<std::int64_t>(boxes.taps.plane.divisor) + tap.rest;
    put_item(work.columns + (group.above * work.sample_stride + group.rest * work.group_stride + row * work.row_stride +
                             place.rest) *
                                sizeof(Item),
             item);
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    from_columns(const __grid_constant__ ColumnWork work, Boxes boxes, ColumnDivisors by, std::uint32_t count) {
  const ConvolutionShape& shape = work.shape;
  const std::int64_t bytes = work.in.item_bytes;
  const std::uint32_t taps = boxes.taps.plane.divisor;
  const std::uint32_t step = gridDim.x * kLineThreads;
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(boxes.in.plane, i);
    const Split channel = split(by.channels, item.above);
    const Split group = split(by.groups, channel.above);
    const std::int64_t own = group.rest * shape.in_channels + work.first_channel + channel.rest;
    std::int64_t here[3];
    boxes.in.places(item.rest, here);
    const std::byte* const first = work.columns + (group.above * work.sample_stride + group.rest * work.group_stride +
                                                   channel.rest * taps * work.row_stride) *
                                                      bytes;
    T sum = work.bias ? load_float<T>(work.bias.dtype, work.bias.data + own * bytes) : T(0);
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      std::int64_t of_tap[3];
      boxes.taps.places(tap, of_tap);
      const std::int64_t at = window_of(shape, here, of_tap);
      if (at >= 0) sum += load_float<T>(work.in.dtype, first + (tap * work.row_stride + at) * bytes);
    }
    const std::int64_t plane = (work.first_sample + group.above) * shape.groups * shape.in_channels + own;
    store_item(work.in.dtype, work.in.data + (plane * shape.in_plane() + item.rest) * bytes, sum);
  }
}

// ---------------------------------------------------------------- direct

template <class T>
__global__ void __launch_bounds__(kLineThreads) correlate_kernel(const __grid_constant__ DirectConvolutionWork work,
                                                                 Boxes boxes, Divisor channels, std::uint32_t count) {
  const ConvolutionShape& shape = work.shape;
  const std::int64_t bytes = work.in.item_bytes;
  const std::uint32_t taps = boxes.taps.plane.divisor;
  const std::uint32_t step = gridDim.x * kLineThreads;
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(boxes.out.plane, i);
    const Split sample = split(channels, item.above);
    const std::int64_t group = sample.rest / static_cast<std::uint32_t>(shape.out_channels);
    std::int64_t at[3];
    boxes.out.places(item.rest, at);
    T sum = work.bias ? load_float<T>(work.bias.dtype, work.bias.data + sample.rest * bytes) : T(0);
    for (std::int64_t c = 0; c < shape.in_channels; ++c) {
      const std::int64_t plane = (sample.above * shape.groups + group) * shape.in_channels + c;
      const std::int64_t weight = (sample.rest * shape.in_channels + c) * taps;
      for (std::uint32_t tap = 0; tap < taps; ++tap) {
        std::int64_t of_tap[3];
        boxes.taps.places(tap, of_tap);
        const std::int64_t here = place_in_plane(shape, at, of_tap);
        if (here < 0) continue;
        sum += load_float<T>(work.in.dtype, work.in.data + (plane * shape.in_plane() + here) * bytes) *
               load_float<T>(work.weight.dtype, work.weight.data + (weight + tap) * bytes);
      }
    }
    store_item(work.out.dtype, work.out.data + static_cast<std::int64_t>(i) * bytes, sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) adjoint_kernel(const __grid_constant__ DirectConvolutionWork work,
                                                               Boxes boxes, Divisor channels, std::uint32_t count) {
  const ConvolutionShape& shape = work.shape;
  const std::int64_t bytes = work.in.item_bytes;
  const std::uint32_t taps = boxes.taps.plane.divisor;
  const std::uint32_t step = gridDim.x * kLineThreads;
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const Split item = split(boxes.in.plane, i);
    const Split sample = split(channels, item.above);
    const std::int64_t group = sample.rest / static_cast<std::uint32_t>(shape.in_channels);
    const std::int64_t c = sample.rest - group * shape.in_channels;
    std::int64_t here[3];
    boxes.in.places(item.rest, here);
    T sum = work.bias ? load_float<T>(work.bias.dtype, work.bias.data + sample.rest * bytes) : T(0);
    for (std::int64_t o = 0; o < shape.out_channels; ++o) {
      const std::int64_t own = group * shape.out_channels + o;
      const std::int64_t plane = sample.above * shape.groups * shape.out_channels + own;
      for (std::uint32_t tap = 0; tap < taps; ++tap) {
        std::int64_t of_tap[3];
        boxes.taps.places(tap, of_tap);
        const std::int64_t at = window_of(shape, here, of_tap);
        if (at < 0) continue;
        sum +=
            load_float<T>(work.out.dtype, work.out.data + (plane * shape.out_plane() + at) * bytes) *
            load_float<T>(work.weight.dtype, work.weight.data + ((own * shape.in_channels + c) * taps + tap) * bytes);
      }
    }
    store_item(work.in.dtype, work.in.data + static_cast<std::int64_t>(i) * bytes, sum);
  }
}

// A block an item of the weight.
template <class T>
__global__ void __launch_bounds__(kLineThreads) weight_kernel(const __grid_constant__ DirectConvolutionWork work,
                                                              Boxes boxes, std::uint32_t weights, std::uint32_t count) {
  __shared__ double room[kLineThreads / 32];
  const ConvolutionShape& shape = work.shape;
  const std::int64_t bytes = work.in.item_bytes;
  for (std::uint32_t i = blockIdx.x; i < weights; i += gridDim.x) {
    const Split tap = split(boxes.taps.plane, i);
    const std::int64_t own = tap.above / static_cast<std::uint32_t>(shape.in_channels);
    const std::int64_t channel = own / shape.out_channels * shape.in_channels + (tap.above - own * shape.in_channels);
    std::int64_t of_tap[3];
    boxes.taps.places(tap.rest, of_tap);
    double sum = 0;
    for (std::uint32_t k = threadIdx.x; k < count; k += kLineThreads) {
      const Split place = split(boxes.out.plane, k);
      std::int64_t at[3];
      boxes.out.places(place.rest, at);
      const std::int64_t here = place_in_plane(shape, at, of_tap);
      if (here < 0) continue;
      const std::int64_t in = (place.above * shape.groups * shape.in_channels + channel) * shape.in_plane() + here;
      const std::int64_t out = (place.above * shape.groups * shape.out_channels + own) * shape.out_plane() + place.rest;
      sum += static_cast<double>(load_float<T>(work.in.dtype, work.in.data + in * bytes)) *
             static_cast<double>(load_float<T>(work.out.dtype, work.out.data + out * bytes));
    }
    sum = across_block(sum, room, Plus());
    if (threadIdx.x == 0) {
      store_item(work.weight.dtype, work.weight.data + static_cast<std::int64_t>(i) * bytes, static_cast<T>(sum));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) part_sum_kernel(const __grid_constant__ PartSumWork work) {
  const std::int64_t bytes = work.out.item_bytes, step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; i < work.count; i += step) {
    T sum = 0;
    for (std::int64_t part = 0; part < work.number; ++part) {
      sum += load_float<T>(work.parts.dtype, work.parts.data + (part * work.count + i) * bytes);
    }
    store_item(work.out.dtype, work.out.data + i * bytes, sum);
  }
}

// Items are added in fours where four of a channel lie together: `width` is 4 or 1, `count` how many such there are.
template <class T, int width>
__global__ void __launch_bounds__(kLineThreads)
    channel_bias_kernel(const __grid_constant__ ChannelBiasWork work, Divisor plane, Divisor channels,
                        std::uint32_t count) {
  const std::int64_t bytes = work.out.item_bytes;
  const std::uint32_t step = gridDim.x * kLineThreads;
  for (std::uint32_t i = blockIdx.x * kLineThreads + threadIdx.x; i < count; i += step) {
    const std::uint32_t channel = split(channels, plane.quotient(i)).rest;
    const T bias = load_float<T>(work.bias.dtype, work.bias.data + channel * bytes);
    std::byte* const at = work.out.data + static_cast<std::int64_t>(i) * width * bytes;
    if constexpr (width == 4) {
      T numbers[4];
      load_four(work.out.dtype, bytes, at, numbers);
      for (T& number : numbers) number += bias;
      store_four(work.out.dtype, bytes, at, numbers);
    } else {
      store_item(work.out.dtype, at, load_float<T>(work.out.dtype, at) + bias);
    }
  }
}

ColumnDivisors divisors_of(const ColumnWork& work) {
  return {divisor_of(work.places), divisor_of(work.channels), divisor_of(work.shape.groups)};
}

template <class Kernel, class... Arguments>
void launch_items(Kernel kernel, std::int64_t count, StreamHandle stream, const Arguments&... arguments) {
  if (count > 0) launch_kernel(kernel, blocks_for(count, kLineThreads), kLineThreads, stream, arguments...);
}

}  // namespace

void launch_to_columns(const ColumnWork& work, StreamHandle stream) {
  const std::int64_t count = work.rows() * work.places;
  const auto launch = [&]<class Item>(Item) {
    launch_items(to_columns<Item>, count, stream, work, Boxes(work.shape), divisors_of(work),
                 static_cast<std::uint32_t>(count));
  };
  if (work.in.item_bytes == 2) return launch(static_cast<unsigned short>(0));
  if (work.in.item_bytes == 4) return launch(0U);
  launch(0ULL);
}

void launch_from_columns(const ColumnWork& work, StreamHandle stream) {
  const std::int64_t count = work.samples * work.shape.groups * work.channels * work.shape.in_plane();
  launch_items(work.in_double ? from_columns<double> : from_columns<float>, count, stream, work, Boxes(work.shape),
               divisors_of(work), static_cast<std::uint32_t>(count));
}

void launch_correlate(const DirectConvolutionWork& work, StreamHandle stream) {
  const std::int64_t channels = work.shape.groups * work.shape.out_channels;
  const std::int64_t count = work.shape.batch * channels * work.shape.out_plane();
  launch_items(work.in_double ? correlate_kernel<double> : correlate_kernel<float>, count, stream, work,
               Boxes(work.shape), divisor_of(channels), static_cast<std::uint32_t>(count));
}

void launch_correlate_adjoint(const DirectConvolutionWork& work, StreamHandle stream) {
  const std::int64_t channels = work.shape.groups * work.shape.in_channels;
  const std::int64_t count = work.shape.batch * channels * work.shape.in_plane();
  launch_items(work.in_double ? adjoint_kernel<double> : adjoint_kernel<float>, count, stream, work, Boxes(work.shape),
               divisor_of(channels), static_cast<std::uint32_t>(count));
}

void launch_correlate_weight(const DirectConvolutionWork& work, StreamHandle stream) {
  const ConvolutionShape& shape = work.shape;
  const std::int64_t weights = shape.groups * shape.out_channels * shape.in_channels * shape.taps();
  if (weights == 0) return;
  launch_kernel(work.in_double ? weight_kernel<double> : weight_kernel<float>, blocks_for(weights, 1), kLineThreads,
                stream, work, Boxes(shape), static_cast<std::uint32_t>(weights),
                static_cast<std::uint32_t>(shape.batch * shape.out_plane()));
}

void launch_channel_bias(const ChannelBiasWork& work, StreamHandle stream) {
  const auto launch = [&]<class T>(T) {
    const bool in_fours =
        work.plane % 4 == 0 &&
        reinterpret_cast<std::uintptr_t>(work.out.data) % static_cast<std::uintptr_t>(4 * work.out.item_bytes) == 0;
    const std::int64_t plane = in_fours ? work.plane / 4 : work.plane, count = work.samples * work.channels * plane;
    launch_items(in_fours ? channel_bias_kernel<T, 4> : channel_bias_kernel<T, 1>, count, stream, work,
                 divisor_of(plane), divisor_of(work.channels), static_cast<std::uint32_t>(count));
  };
  if (work.in_double) return launch(0.0);
  launch(0.0F);
}

void launch_part_sum(const PartSumWork& work, StreamHandle stream) {
  launch_items(work.in_double ? part_sum_kernel<double> : part_sum_kernel<float>, work.count, stream, work);
}

}  // namespace nns::ops
