#include "core/ops/dense_norms.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// layer_norm of any rows: a block a row; the sums over rows for the gradients of weight and bias in two steps of fixed
// order. What can be kept in registers goes to dense_norms.cu.
namespace nns::ops {
namespace {

template <class T>
__device__ __forceinline__ T number(const DeviceNumbers& of, std::int64_t bytes, std::int64_t i) {
  return load_item<T>(of.dtype, of.data + i * bytes);
}
// A weight or bias that may not be there.
template <class T>
__device__ __forceinline__ T number_or(const DeviceNumbers& of, std::int64_t i, T otherwise) {
  if (of.data == nullptr) return otherwise;
  return load_item<T>(of.dtype, of.data + i * of.item_bytes);
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    layer_norm_kernel(const __grid_constant__ LayerNormWork work, std::int64_t bytes) {
  __shared__ double room[kLineThreads / 32];
  for (std::int64_t row = blockIdx.x; row < work.rows; row += gridDim.x) {
    const std::int64_t first = row * work.length;
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      sum += static_cast<double>(number<T>(work.in, bytes, first + i));
    }
    const double middle = across_block(sum, room, Plus()) / static_cast<double>(work.length);
    double squares = 0;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const double off = static_cast<double>(number<T>(work.in, bytes, first + i)) - middle;
      squares += off * off;
    }
    squares = across_block(squares, room, Plus());
    const T mean = static_cast<T>(middle);
    const T rstd = static_cast<T>(1 / sqrt(squares / static_cast<double>(work.length) + work.eps));
    if (threadIdx.x == 0) {
      const auto kept = work.mean.item_bytes;
      store_item(work.mean.dtype, work.mean.data + row * kept, mean);
      store_item(work.rstd.dtype, work.rstd.data + row * kept, rstd);
    }
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const T normal = (number<T>(work.in, bytes, first + i) - mean) * rstd;
      store_item(work.out.dtype, work.out.data + (first + i) * bytes,
                 normal * number_or<T>(work.weight, i, T(1)) + number_or<T>(work.bias, i, T(0)));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads)
    input_gradient(const __grid_constant__ LayerNormBackwardWork work, std::int64_t bytes) {
  __shared__ double room[kLineThreads / 32];
  const auto kept = work.mean.item_bytes;
  for (std::int64_t row = blockIdx.x; row < work.rows; row += gridDim.x) {
    const std::int64_t first = row * work.length;
    const T mean = load_item<T>(work.mean.dtype, work.mean.data + row * kept);
    const T rstd = load_item<T>(work.rstd.dtype, work.rstd.data + row * kept);
    double sum = 0, sum_normal = 0;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const T normal = (number<T>(work.in, bytes, first + i) - mean) * rstd;
      const T weighted = number<T>(work.grad, bytes, first + i) * number_or<T>(work.weight, i, T(1));
      sum += static_cast<double>(weighted);
      sum_normal += static_cast<double>(weighted * normal);
    }
    const auto length = static_cast<double>(work.length);
    const T a = static_cast<T>(across_block(sum, room, Plus()) / length);
    const T b = static_cast<T>(across_block(sum_normal, room, Plus()) / length);
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const T normal = (number<T>(work.in, bytes, first + i) - mean) * rstd;
      const T weighted = number<T>(work.grad, bytes, first + i) * number_or<T>(work.weight, i, T(1));
      store_item(work.in_grad.dtype, work.in_grad.data + (first + i) * bytes, rstd * (weighted - a - normal * b));
    }
  }
}

// Columns in x; in y blocks that share the rows, each with eight threads a column.
constexpr int kColumns = 32, kRowThreads = 8;

// The sums of a column's threads, for the first of them.
__device__ __forceinline__ void add_down(double& weight, double& bias) {
  __shared__ double of_weight[kRowThreads][kColumns], of_bias[kRowThreads][kColumns];
  of_weight[threadIdx.y][threadIdx.x] = weight;
  of_bias[threadIdx.y][threadIdx.x] = bias;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int y = 1; y < kRowThreads; ++y) {
    weight += of_weight[y][threadIdx.x];
    bias += of_bias[y][threadIdx.x];
  }
}

template <class T>
__global__ void __launch_bounds__(kColumns* kRowThreads)
    parameter_parts(const __grid_constant__ LayerNormBackwardWork work, std::int64_t bytes) {
  const auto kept = work.mean.item_bytes;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  double weight = 0, bias = 0;
  if (column < work.length) {
    for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kRowThreads + threadIdx.y; row < work.rows;
         row += static_cast<std::int64_t>(gridDim.y) * kRowThreads) {
      const T mean = load_item<T>(work.mean.dtype, work.mean.data + row * kept);
      const T rstd = load_item<T>(work.rstd.dtype, work.rstd.data + row * kept);
      const T grad = number<T>(work.grad, bytes, row * work.length + column);
      weight += static_cast<double>(grad * ((number<T>(work.in, bytes, row * work.length + column) - mean) * rstd));
      bias += static_cast<double>(grad);
    }
  }
  add_down(weight, bias);
  if (threadIdx.y != 0 || column >= work.length) return;
  work.parts[(2 * blockIdx.y) * work.length + column] = weight;
  work.parts[(2 * blockIdx.y + 1) * work.length + column] = bias;
}

// 32 columns a block; eight threads share the parts of each.
__global__ void __launch_bounds__(kColumns* kRowThreads)
    parameter_gradients(const __grid_constant__ LayerNormBackwardWork work, std::uint32_t parts) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  double weight = 0, bias = 0;
  if (column < work.length) {
    for (std::uint32_t part = threadIdx.y; part < parts; part += kRowThreads) {
      weight += work.parts[(2 * part) * work.length + column];
      bias += work.parts[(2 * part + 1) * work.length + column];
    }
  }
  add_down(weight, bias);
  if (threadIdx.y != 0 || column >= work.length) return;
  store_item(work.weight_grad.dtype, work.weight_grad.data + column * work.weight_grad.item_bytes, weight);
  if (work.bias_grad) {
    store_item(work.bias_grad.dtype, work.bias_grad.data + column * work.bias_grad.item_bytes, bias);
  }
}

// Returns how many parts there are.
template <class T>
std::uint32_t launch_parts(const LayerNormBackwardWork& work, StreamHandle stream) {
  const auto bytes = work.in.item_bytes;
  if (work.rows > 0) launch_kernel(input_gradient<T>, blocks_for(work.rows, 1), kLineThreads, stream, work, bytes);
  const std::int64_t wanted = (work.rows + 4 * kRowThreads - 1) / (4 * kRowThreads);
  const auto parts = static_cast<std::uint32_t>(wanted < 1 ? 1 : wanted > work.part_count ? work.part_count : wanted);
  launch_kernel(parameter_parts<T>, dim3(blocks_for(work.length, kColumns), parts), dim3(kColumns, kRowThreads), stream,
                work, bytes);
  return parts;
}

}  // namespace

void launch_layer_norm(const LayerNormWork& work, StreamHandle stream) {
  if (work.rows == 0) return;
  if (takes_dense_norm(work)) return launch_dense_norm(work, stream);
  const auto bytes = work.in.item_bytes;
  if (work.in_double)
    launch_kernel(layer_norm_kernel<double>, blocks_for(work.rows, 1), kLineThreads, stream, work, bytes);
  else
    launch_kernel(layer_norm_kernel<float>, blocks_for(work.rows, 1), kLineThreads, stream, work, bytes);
}

void launch_layer_norm_backward(const LayerNormBackwardWork& work, StreamHandle stream) {
  std::uint32_t parts = work.part_count;
  if (takes_dense_norm(work))
    launch_dense_norm_backward(work, stream);
  else
    parts = work.in_double ? launch_parts<double>(work, stream) : launch_parts<float>(work, stream);
  launch_kernel(parameter_gradients, blocks_for(work.length, kColumns), dim3(kColumns, kRowThreads), stream, work,
                parts);
}

}  // namespace nns::ops
