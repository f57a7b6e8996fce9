#include "core/ops/boxes.cuh"
#include "core/ops/channel_work.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// batch_norm, and the sums over channels that group_norm and RMS norm need as well. The formulas are those of
// batch_norm.cpp; sums are made in double and in a fixed order.
namespace nns::ops {
namespace {

template <class T>
__device__ __forceinline__ T number_at(const DeviceNumbers& of, std::int64_t i) {
  return load_item<T>(of.dtype, of.data + i * of.item_bytes);
}
template <class T>
__device__ __forceinline__ T number_or(const DeviceNumbers& of, std::int64_t i, T otherwise) {
  return of.data == nullptr ? otherwise : number_at<T>(of, i);
}

struct TwoSums {
  double a = 0, b = 0;
};

// What one item adds to the sums of its channel.
template <class T>
struct ItemOfChannel {
  const ChannelSumsWork& work;
  std::int64_t channel;
  double shift = 0;
  __device__ ItemOfChannel(const ChannelSumsWork& of, std::int64_t own) : work(of), channel(own) {
    if (!of.grad && of.shape.count() > 0) shift = static_cast<double>(number_at<T>(of.in, own * of.shape.inner));
  }
  // Item `k` over batch and inner.
  __device__ void add_to(TwoSums& sums, std::int64_t k) const {
    const std::int64_t sample = k / work.shape.inner;
    const std::int64_t i =
        (sample * work.shape.channels + channel) * work.shape.inner + (k - sample * work.shape.inner);
    const T x = number_at<T>(work.in, i);
    if (!work.grad) {
      const double off = static_cast<double>(x) - shift;
      sums.a += off;
      sums.b += off * off;
      return;
    }
    const std::int64_t place =
        work.groups == 0 ? channel : sample * work.groups + channel / (work.shape.channels / work.groups);
    const T g = number_at<T>(work.grad, i);
    const T normal = (x - number_or<T>(work.mean, place, T(0))) * number_at<T>(work.rstd, place);
    sums.a += static_cast<double>(g);
    sums.b += static_cast<double>(g * normal);
  }
};

__device__ __forceinline__ void put_sums(const ChannelSumsWork& work, std::int64_t channel, const TwoSums& sums) {
  double* const to = work.sums + (blockIdx.y * work.shape.channels + channel) * 2;
  to[0] = sums.a;
  to[1] = sums.b;
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) channel_sums(const __grid_constant__ ChannelSumsWork work) {
  __shared__ double room[kLineThreads / 32];
  for (std::int64_t channel = blockIdx.x; channel < work.shape.channels; channel += gridDim.x) {
    const ItemOfChannel<T> item(work, channel);
    TwoSums sums;
    for (std::int64_t k = static_cast<std::int64_t>(blockIdx.y) * kLineThreads + threadIdx.x;
         k < work.shape.of_channel(); k += static_cast<std::int64_t>(gridDim.y) * kLineThreads) {
      item.add_to(sums, k);
    }
    sums.a = across_block(sums.a, room, Plus());
    sums.b = across_block(sums.b, room, Plus());
    if (threadIdx.x == 0) put_sums(work, channel, sums);
  }
}

// 32 channels side by side; eight threads share the items of each.
constexpr int kChannels = 32, kSharers = kLineThreads / kChannels;
template <class T>
__global__ void __launch_bounds__(kLineThreads) channel_sums_across(const __grid_constant__ ChannelSumsWork work) {
  __shared__ double room[2][kSharers][kChannels];
  const int own = static_cast<int>(threadIdx.x) % kChannels, sharer = static_cast<int>(threadIdx.x) / kChannels;
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * kChannels + own;
  TwoSums sums;
  if (channel < work.shape.channels) {
    const ItemOfChannel<T> item(work, channel);
    for (std::int64_t k = static_cast<std::int64_t>(blockIdx.y) * kSharers + sharer; k < work.shape.of_channel();
         k += static_cast<std::int64_t>(gridDim.y) * kSharers) {
      item.add_to(sums, k);
    }
  }
  room[0][sharer][own] = sums.a;
  room[1][sharer][own] = sums.b;
  __syncthreads();
  if (sharer != 0 || channel >= work.shape.channels) return;
  for (int other = 1; other < kSharers; ++other) {
    sums.a += room[0][other][own];
    sums.b += room[1][other][own];
  }
  put_sums(work, channel, sums);
}

__device__ __forceinline__ TwoSums whole_sums(const double* sums, std::uint32_t parts, std::int64_t channels,
                                              std::int64_t channel) {
  TwoSums whole;
  for (std::uint32_t part = 0; part < parts; ++part) {
    whole.a += sums[(part * channels + channel) * 2];
    whole.b += sums[(part * channels + channel) * 2 + 1];
  }
  return whole;
}

__device__ __forceinline__ std::int64_t first_channel() {
  return static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
}
__device__ __forceinline__ void move_towards(const RunningStatistic& running, std::int64_t channel, double seen,
                                             double momentum) {
  if (!running.numbers) return;
  std::byte* const at = running.numbers.data + channel * running.stride;
  const double before = load_item<double>(running.numbers.dtype, at);
  store_item(running.numbers.dtype, at, (1 - momentum) * before + momentum * seen);
}

// Of each channel: what is subtracted from its items, and what they are multiplied by.
template <class T>
__global__ void __launch_bounds__(kLineThreads) batch_norm_channels(const __grid_constant__ BatchNormWork work) {
  const std::int64_t channel = first_channel();
  if (channel >= work.shape.channels) return;
  double mean = 0, invstd = 0;
  if (work.is_training) {
    const auto count = static_cast<double>(work.shape.of_channel());
    const TwoSums sums = whole_sums(work.sums, work.parts, work.shape.channels, channel);
    const double shift = static_cast<double>(number_at<T>(work.in, channel * work.shape.inner));
    const double off = sums.a / count;
    mean = shift + off;
    const double rest = sums.b - off * sums.a;
    const double squares = rest < 0 ? 0 : rest;
    invstd = 1 / sqrt(squares / count + work.eps);
    store_item(work.mean.dtype, work.mean.data + channel * work.mean.item_bytes, mean);
    store_item(work.invstd.dtype, work.invstd.data + channel * work.invstd.item_bytes, invstd);
    // The variance that is kept is the unbiased one.
    move_towards(work.running_mean, channel, mean, work.momentum);
    move_towards(work.running_var, channel, squares / (count - 1), work.momentum);
  } else {
    const auto statistic = [&](const RunningStatistic& of) {
      return load_item<double>(of.numbers.dtype, of.numbers.data + channel * of.stride);
    };
    mean = statistic(work.running_mean);
    invstd = 1 / sqrt(statistic(work.running_var) + work.eps);
  }
  work.factors[2 * channel] = mean;
  work.factors[2 * channel + 1] =
      static_cast<double>(static_cast<T>(invstd) * number_or<T>(work.weight, channel, T(1)));
}

// The channel of an item.
struct ChannelOfItem {
  ChannelShape shape;
  Divisor inner, channels;
  explicit ChannelOfItem(const ChannelShape& of)
      : shape(of), inner(divisor_of(of.inner)), channels(divisor_of(of.channels)) {}
  __device__ std::int64_t operator()(std::int64_t i) const {
    if (i >= (std::int64_t{1} << 31U)) return i / shape.inner % shape.channels;
    return split(channels, inner.quotient(static_cast<std::uint32_t>(i))).rest;
  }
};

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    batch_norm_items(const __grid_constant__ BatchNormWork work, ChannelOfItem channel_of) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = first_channel(); i < work.shape.count(); i += step) {
    const std::int64_t channel = channel_of(i);
    const T middle = static_cast<T>(work.factors[2 * channel]), scale = static_cast<T>(work.factors[2 * channel + 1]);
    store_item(work.out.dtype, work.out.data + i * work.out.item_bytes,
               (number_at<T>(work.in, i) - middle) * scale + number_or<T>(work.bias, channel, T(0)));
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    batch_norm_backward_channels(const __grid_constant__ BatchNormBackwardWork work) {
  const std::int64_t channel = first_channel();
  if (channel >= work.shape.channels) return;
  const TwoSums sums = whole_sums(work.sums, work.parts, work.shape.channels, channel);
  store_item(work.weight_grad.dtype, work.weight_grad.data + channel * work.weight_grad.item_bytes, sums.b);
  store_item(work.bias_grad.dtype, work.bias_grad.data + channel * work.bias_grad.item_bytes, sums.a);
  const auto count = static_cast<double>(work.shape.of_channel());
  work.factors[2 * channel] = work.is_training ? sums.a / count : 0;
  work.factors[2 * channel + 1] = work.is_training ? sums.b / count : 0;
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    batch_norm_backward_items(const __grid_constant__ BatchNormBackwardWork work, ChannelOfItem channel_of) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = first_channel(); i < work.shape.count(); i += step) {
    const std::int64_t channel = channel_of(i);
    const T a = static_cast<T>(work.factors[2 * channel]), b = static_cast<T>(work.factors[2 * channel + 1]);
    const T invstd = number_at<T>(work.invstd, channel), scale = invstd * number_or<T>(work.weight, channel, T(1));
    const T normal = (number_at<T>(work.in, i) - number_at<T>(work.mean, channel)) * invstd;
    store_item(work.in_grad.dtype, work.in_grad.data + i * work.in_grad.item_bytes,
               scale * (number_at<T>(work.grad, i) - a - normal * b));
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    invstd_kernel(DeviceNumbers var, DeviceNumbers invstd, std::int64_t channels, double eps) {
  const std::int64_t channel = first_channel();
  if (channel >= channels) return;
  store_item(invstd.dtype, invstd.data + channel * invstd.item_bytes,
             static_cast<T>(1 / sqrt(number_at<double>(var, channel) + eps)));
}

__global__ void __launch_bounds__(kLineThreads)
    channel_gradients(const double* sums, std::uint32_t parts, std::int64_t channels, DeviceNumbers weight_grad,
                      DeviceNumbers bias_grad) {
  const std::int64_t channel = first_channel();
  if (channel >= channels) return;
  const TwoSums whole = whole_sums(sums, parts, channels, channel);
  store_item(weight_grad.dtype, weight_grad.data + channel * weight_grad.item_bytes, whole.b);
  if (bias_grad) store_item(bias_grad.dtype, bias_grad.data + channel * bias_grad.item_bytes, whole.a);
}

template <class Kernel, class... Arguments>
void launch_items(Kernel kernel, std::int64_t count, StreamHandle stream, const Arguments&... arguments) {
  if (count > 0) launch_kernel(kernel, blocks_for(count, kLineThreads), kLineThreads, stream, arguments...);
}

template <class T>
void launch_sums(const ChannelSumsWork& work, StreamHandle stream) {
  const ChannelBlocks blocks = channel_blocks(work.shape);
  launch_kernel(blocks.is_across ? channel_sums_across<T> : channel_sums<T>, dim3(blocks.blocks, work.parts),
                kLineThreads, stream, work);
}
template <class T>
void launch_forward(const BatchNormWork& work, StreamHandle stream) {
  launch_items(batch_norm_channels<T>, work.shape.channels, stream, work);
  launch_items(batch_norm_items<T>, work.shape.count(), stream, work, ChannelOfItem(work.shape));
}
template <class T>
void launch_backward(const BatchNormBackwardWork& work, StreamHandle stream) {
  launch_items(batch_norm_backward_channels<T>, work.shape.channels, stream, work);
  launch_items(batch_norm_backward_items<T>, work.shape.count(), stream, work, ChannelOfItem(work.shape));
}

}  // namespace

void launch_channel_sums(const ChannelSumsWork& work, StreamHandle stream) {
  if (work.shape.channels == 0) return;
  work.in_double ? launch_sums<double>(work, stream) : launch_sums<float>(work, stream);
}
void launch_batch_norm(const BatchNormWork& work, StreamHandle stream) {
  work.in_double ? launch_forward<double>(work, stream) : launch_forward<float>(work, stream);
}
void launch_batch_norm_backward(const BatchNormBackwardWork& work, StreamHandle stream) {
  work.in_double ? launch_backward<double>(work, stream) : launch_backward<float>(work, stream);
}
void launch_channel_invstd(const DeviceNumbers& var, const DeviceNumbers& invstd, std::int64_t channels, double eps,
                           bool in_double, StreamHandle stream) {
  if (channels == 0) return;
  launch_kernel(in_double ? invstd_kernel<double> : invstd_kernel<float>, blocks_for(channels, kLineThreads),
                kLineThreads, stream, var, invstd, channels, eps);
}
void launch_channel_gradients(const double* sums, std::uint32_t parts, std::int64_t channels,
                              const DeviceNumbers& weight_grad, const DeviceNumbers& bias_grad, StreamHandle stream) {
  if (channels == 0) return;
  launch_kernel(channel_gradients, blocks_for(channels, kLineThreads), kLineThreads, stream, sums, parts, channels,
                weight_grad, bias_grad);
}

}  // namespace nns::ops
