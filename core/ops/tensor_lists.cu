#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/list_kernels.h"
#include "core/ops/several_formulas.h"

// Norms and clipping of many tensors at once. Sums are made in a fixed order: the same on every run.
namespace nns::ops {
namespace {

struct NormOfParts {
  double p;
  __device__ double size_of(double x) const {
    const double size = fabs(x);
    if (p == 2) return size * size;
    if (p == 1 || isinf(p)) return size;
    return pow(size, p);
  }
  __device__ double operator()(double a, double b) const { return isinf(p) ? Larger()(a, b) : a + b; }
  __device__ double norm_of(double whole) const {
    if (p == 2) return sqrt(whole);
    return p == 1 || isinf(p) ? whole : pow(whole, 1 / p);
  }
};

// Calls use(address, items that lie there in a row) for the share of a thread: four at once where they are aligned.
template <class One, class Four>
__device__ __forceinline__ void for_each_item(const ListWork& work, One one, Four four) {
  const ListWork::Items& of = work.of[work.tensor_of(blockIdx.x)];
  const std::int64_t bytes = of.item_bytes;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x - of.first_block) * ListWork::kItems;
  const std::int64_t end = begin + ListWork::kItems < of.count ? begin + ListWork::kItems : of.count;
  std::int64_t done = begin;
  if (reinterpret_cast<std::uintptr_t>(of.data) % static_cast<std::uintptr_t>(4 * bytes) == 0) {
    done += (end - begin) / 4 * 4;
    for (std::int64_t i = begin + 4 * threadIdx.x; i < done; i += 4 * kLineThreads) four(of, of.data + i * bytes);
  }
  for (std::int64_t i = done + threadIdx.x; i < end; i += kLineThreads) one(of, of.data + i * bytes);
}

template <class T, class Change>
__device__ __forceinline__ void change_items(const ListWork& work, Change change) {
  for_each_item(
      work,
      [&](const ListWork::Items& of, std::byte* at) { store_item(of.dtype, at, change(load_item<T>(of.dtype, at))); },
      [&](const ListWork::Items& of, std::byte* at) {
        T x[4];
        load_four(of.dtype, of.item_bytes, at, x);
        for (int k = 0; k < 4; ++k) x[k] = change(x[k]);
        store_four(of.dtype, of.item_bytes, at, x);
      });
}

__global__ void __launch_bounds__(kLineThreads)
    norm_parts_kernel(const __grid_constant__ ListWork work, NormOfParts norm, double* parts) {
  __shared__ double room[kLineThreads / 32];
  double sum = 0;
  for_each_item(
      work,
      [&](const ListWork::Items& of, const std::byte* at) {
        sum = norm(sum, norm.size_of(load_item<double>(of.dtype, at)));
      },
      [&](const ListWork::Items& of, const std::byte* at) {
        double x[4];
        load_four(of.dtype, of.item_bytes, at, x);
        for (int k = 0; k < 4; ++k) sum = norm(sum, norm.size_of(x[k]));
      });
  sum = across_block(sum, room, norm);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// One block.
__global__ void __launch_bounds__(kLineThreads)
    norm_kernel(const double* parts, std::int64_t count, NormOfParts norm, std::byte* out, DType dtype) {
  __shared__ double room[kLineThreads / 32];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += kLineThreads) sum = norm(sum, parts[i]);
  sum = across_block(sum, room, norm);
  if (threadIdx.x == 0) store_item(dtype, out, norm.norm_of(sum));
}

__global__ void __launch_bounds__(kLineThreads)
    scale_kernel(const __grid_constant__ ListWork work, const std::byte* factor, DType dtype) {
  if (work.of[work.tensor_of(blockIdx.x)].dtype == DType::Float64) {
    const double by = load_item<double>(dtype, factor);
    return change_items<double>(work, [&](double x) { return x * by; });
  }
  const float by = load_item<float>(dtype, factor);
  change_items<float>(work, [&](float x) { return x * by; });
}

__global__ void __launch_bounds__(kLineThreads)
    clamp_kernel(const __grid_constant__ ListWork work, double low, double high) {
  change_items<double>(work, [&](double x) { return formula::Clamp::at(x, low, high); });
}

}  // namespace

void launch_norm_parts(const ListWork& work, double p, double* parts, StreamHandle stream) {
  launch_kernel(norm_parts_kernel, work.blocks, kLineThreads, stream, work, NormOfParts{p}, parts);
}
void launch_norm_of_parts(const double* parts, std::int64_t count, double p, std::byte* out, DType dtype,
                          StreamHandle stream) {
  launch_kernel(norm_kernel, 1, kLineThreads, stream, parts, count, NormOfParts{p}, out, dtype);
}
void launch_scale(const ListWork& work, const std::byte* factor, DType dtype, StreamHandle stream) {
  launch_kernel(scale_kernel, work.blocks, kLineThreads, stream, work, factor, dtype);
}
void launch_clamp(const ListWork& work, double low, double high, StreamHandle stream) {
  launch_kernel(clamp_kernel, work.blocks, kLineThreads, stream, work, low, high);
}

}  // namespace nns::ops
