#include "core/ops/channel_work.h"
#include "core/ops/dense_norms.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// group_norm and RMS norm of any rows: a block a row. The formulas are those of layer_norms.cpp.
namespace nns::ops {
namespace {

template <class T>
__device__ __forceinline__ T item_number(const DeviceNumbers& of, std::int64_t i) {
  return load_item<T>(of.dtype, of.data + i * of.item_bytes);
}

// The channel of item `i` of a row.
struct RowChannel {
  std::int64_t first, inner;
  __device__ RowChannel(const RowNormWork& work, std::int64_t row)
      : first(row % work.groups * work.channels), inner(work.inner) {}
  __device__ std::int64_t of(std::int64_t i) const { return first + (inner == 1 ? i : i / inner); }
};

template <class T>
__global__ void __launch_bounds__(kLineThreads) row_norm_kernel(const __grid_constant__ RowNormWork work) {
  __shared__ double room[kLineThreads / 32];
  const std::int64_t length = work.channels * work.inner;
  for (std::int64_t row = blockIdx.x; row < work.rows; row += gridDim.x) {
    const std::int64_t first = row * length;
    double middle = 0;
    if (work.mean) {
      double sum = 0;
      for (std::int64_t i = threadIdx.x; i < length; i += kLineThreads) sum += item_number<double>(work.in, first + i);
      middle = across_block(sum, room, Plus()) / static_cast<double>(length);
    }
    double squares = 0;
    for (std::int64_t i = threadIdx.x; i < length; i += kLineThreads) {
      const double off = item_number<double>(work.in, first + i) - middle;
      squares += off * off;
    }
    squares = across_block(squares, room, Plus());
    const T mean = static_cast<T>(middle);
    const T rstd = static_cast<T>(1 / sqrt(squares / static_cast<double>(length) + work.eps));
    if (threadIdx.x == 0) {
      if (work.mean) store_item(work.mean.dtype, work.mean.data + row * work.mean.item_bytes, mean);
      store_item(work.rstd.dtype, work.rstd.data + row * work.rstd.item_bytes, rstd);
    }
    const RowChannel channel(work, row);
    for (std::int64_t i = threadIdx.x; i < length; i += kLineThreads) {
      const std::int64_t own = channel.of(i);
      T x = (item_number<T>(work.in, first + i) - mean) * rstd;
      if (work.weight) x *= item_number<T>(work.weight, own);
      if (work.bias) x += item_number<T>(work.bias, own);
      store_item(work.out.dtype, work.out.data + (first + i) * work.out.item_bytes, x);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    row_norm_backward_kernel(const __grid_constant__ RowNormWork work, DeviceNumbers grad) {
  __shared__ double room[kLineThreads / 32];
  const std::int64_t length = work.channels * work.inner;
  for (std::int64_t row = blockIdx.x; row < work.rows; row += gridDim.x) {
    const std::int64_t first = row * length;
    const T mean = work.mean ? item_number<T>(work.mean, row) : T(0);
    const T rstd = item_number<T>(work.rstd, row);
    const RowChannel channel(work, row);
    const auto weighted = [&](std::int64_t i) {
      const T g = item_number<T>(grad, first + i);
      return work.weight ? g * item_number<T>(work.weight, channel.of(i)) : g;
    };
    double sum = 0, sum_normal = 0;
    for (std::int64_t i = threadIdx.x; i < length; i += kLineThreads) {
      const T g = weighted(i);
      sum += static_cast<double>(g);
      sum_normal += static_cast<double>(g * ((item_number<T>(work.in, first + i) - mean) * rstd));
    }
    const auto count = static_cast<double>(length);
    const T a = work.mean ? static_cast<T>(across_block(sum, room, Plus()) / count) : T(0);
    const T b = static_cast<T>(across_block(sum_normal, room, Plus()) / count);
    for (std::int64_t i = threadIdx.x; i < length; i += kLineThreads) {
      const T normal = (item_number<T>(work.in, first + i) - mean) * rstd;
      store_item(work.out.dtype, work.out.data + (first + i) * work.out.item_bytes,
                 rstd * (weighted(i) - a - normal * b));
    }
  }
}

}  // namespace

void launch_row_norm(const RowNormWork& work, StreamHandle stream) {
  if (work.rows == 0) return;
  if (work.groups == 1 && work.inner == 1) {
    const LayerNormWork dense{work.rows, work.channels, work.in,   work.weight, work.bias,
                              work.out,  work.mean,     work.rstd, work.eps,    work.in_double};
    if (takes_dense_norm(dense)) return launch_dense_norm(dense, stream);
  }
  launch_kernel(work.in_double ? row_norm_kernel<double> : row_norm_kernel<float>, blocks_for(work.rows, 1),
                kLineThreads, stream, work);
}

void launch_row_norm_backward(const RowNormWork& work, const DeviceNumbers& grad, StreamHandle stream) {
  if (work.rows == 0) return;
  launch_kernel(work.in_double ? row_norm_backward_kernel<double> : row_norm_backward_kernel<float>,
                blocks_for(work.rows, 1), kLineThreads, stream, work, grad);
}

}  // namespace nns::ops
