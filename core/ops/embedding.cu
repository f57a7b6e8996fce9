#include "core/ops/cuda_kernels.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

namespace nns::ops {
namespace {

__device__ __forceinline__ std::int64_t index_at(const std::byte* indices, DType dtype, std::int64_t i) {
  return dtype == DType::Int64 ? item_at<long long>(indices + i * 8) : item_at<int>(indices + i * 4);
}

// `Piece` bytes at a time; a row has a whole number of them.
template <class Piece>
__global__ void __launch_bounds__(kLineThreads) embedding_kernel(const __grid_constant__ EmbeddingWork work) {
  const std::int64_t pieces = work.row_bytes / static_cast<std::int64_t>(sizeof(Piece));
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; i < work.count * pieces;
       i += step) {
    const std::int64_t row = i / pieces;
    const std::int64_t index = index_at(work.indices, work.index_dtype, row);
    Piece piece{};
    if (index >= 0 && index < work.table_rows) {
      piece = item_at<Piece>(work.table + index * work.row_bytes + (i - row * pieces) * sizeof(Piece));
    } else {
      atomicCAS_system(work.complaint, 0, static_cast<int>(DeviceComplaint::EmbeddingIndex));
    }
    put_item(work.out + i * sizeof(Piece), piece);
  }
}

// A warp a row of the table looks through all indices; its lanes share the columns.
template <class T>
__global__ void __launch_bounds__(kLineThreads) backward_kernel(const __grid_constant__ EmbeddingBackwardWork work) {
  const auto bytes = work.grad.item_bytes;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= work.table_rows) return;
  const auto matches = [&](std::int64_t first) {
    const std::int64_t i = first + lane;
    return __ballot_sync(0xFFFFFFFFU,
                         i < work.count && row != work.padding && index_at(work.indices, work.index_dtype, i) == row);
  };
  std::int64_t found = 0;
  if (work.by_frequency) {
    for (std::int64_t first = 0; first < work.count; first += 32) found += __popc(matches(first));
  }
  const T share = work.by_frequency && found > 0 ? T(1) / static_cast<T>(found) : T(1);
  for (std::int64_t columns = 0; columns < work.width; columns += 128) {
    T sums[4] = {};
    for (std::int64_t first = 0; first < work.count; first += 32) {
      for (unsigned hits = matches(first); hits != 0; hits &= hits - 1) {
        const std::int64_t at = (first + __ffs(static_cast<int>(hits)) - 1) * work.width;
        for (int k = 0; k < 4; ++k) {
          const std::int64_t column = columns + k * 32 + lane;
          if (column < work.width) {
            sums[k] += load_item<T>(work.grad.dtype, work.grad.data + (at + column) * bytes) * share;
          }
        }
      }
    }
    for (int k = 0; k < 4; ++k) {
      const std::int64_t column = columns + k * 32 + lane;
      if (column < work.width) {
        store_item(work.sums.dtype, work.sums.data + (row * work.width + column) * bytes, sums[k]);
      }
    }
  }
}

}  // namespace

void launch_embedding(const EmbeddingWork& work, StreamHandle stream) {
  const auto launch = [&]<class Piece>(Piece) {
    const std::int64_t pieces = work.count * (work.row_bytes / static_cast<std::int64_t>(sizeof(Piece)));
    launch_kernel(embedding_kernel<Piece>, blocks_for(pieces, kLineThreads), kLineThreads, stream, work);
  };
  const std::uintptr_t joint = reinterpret_cast<std::uintptr_t>(work.table) |
                               reinterpret_cast<std::uintptr_t>(work.out) | static_cast<std::uintptr_t>(work.row_bytes);
  if (joint % 16 == 0) return launch(uint4());
  if (joint % 4 == 0) return launch(unsigned());
  if (joint % 2 == 0) return launch(static_cast<unsigned short>(0));
  launch(static_cast<unsigned char>(0));
}

void launch_embedding_backward(const EmbeddingBackwardWork& work, StreamHandle stream) {
  const std::uint32_t blocks = blocks_for(work.table_rows * 32, kLineThreads);
  if (work.in_double)
    launch_kernel(backward_kernel<double>, blocks, kLineThreads, stream, work);
  else
    launch_kernel(backward_kernel<float>, blocks, kLineThreads, stream, work);
}

}  // namespace nns::ops
