#include "core/ops/complaints.cuh"
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
      complain(work.complaint, DeviceComplaint::EmbeddingIndex);
    }
    put_item(work.out + i * sizeof(Piece), piece);
  }
}

constexpr std::int64_t kColumnsAWarp = 128;

// A warp has so many columns of a row of the table, whose indices lie together.
template <class T, class Key>
__global__ void __launch_bounds__(kLineThreads) backward_kernel(const __grid_constant__ EmbeddingBackwardWork work) {
  const auto bytes = work.grad.item_bytes;
  const std::int64_t groups = (work.width + kColumnsAWarp - 1) / kColumnsAWarp;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * (kLineThreads / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Key* const keys = reinterpret_cast<const Key*>(work.sorted.keys);
  const auto first_from = [&](Key key) {
    std::int64_t low = 0, high = work.count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  for (std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * (kLineThreads / 32) + threadIdx.x / 32;
       warp < work.table_rows * groups; warp += step) {
    const std::int64_t row = warp / groups, columns = (warp - row * groups) * kColumnsAWarp;
    const Key key = static_cast<Key>(work.keys.key(static_cast<std::uint64_t>(row) & work.keys.ones()));
    const bool is_padding = row == work.padding;
    const std::int64_t first = is_padding ? work.count : first_from(key);
    T share = T(1);
    if (work.by_frequency && first < work.count && keys[first] == key) {
      share = T(1) / static_cast<T>(first_from(key + 1) - first);
    }
    T sums[4] = {};
    for (std::int64_t i = first; i < work.count && keys[i] == key; ++i) {
      const std::int64_t at = work.sorted.places[i] * work.width;
      for (int k = 0; k < 4; ++k) {
        const std::int64_t column = columns + k * 32 + lane;
        if (column < work.width) {
          sums[k] += load_item<T>(work.grad.dtype, work.grad.data + (at + column) * bytes) * share;
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

// A thread a column of a bag.
template <class T>
__global__ void __launch_bounds__(kLineThreads) bag_kernel(const __grid_constant__ EmbeddingBagWork work) {
  using Mode = EmbeddingBagWork::Mode;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  const auto complain_of_index = [&] { complain(work.complaint, DeviceComplaint::EmbeddingIndex); };
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; i < work.bags * work.width;
       i += step) {
    const std::int64_t bag = i / work.width, column = i - bag * work.width;
    std::int64_t begin = index_at(work.offsets, work.offset_dtype, bag);
    std::int64_t end = bag + 1 < work.offset_count ? index_at(work.offsets, work.offset_dtype, bag + 1) : work.count;
    if (begin < 0 || end > work.count || (bag == 0 && begin != 0)) {
      complain_of_index();
      begin = begin < 0 ? 0 : begin;
      end = end > work.count ? work.count : end;
    }
    T made = 0;
    std::int64_t size = 0, row_of = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      if (column == 0) work.bag_of[k] = bag;
      const std::int64_t row = index_at(work.indices, work.index_dtype, k);
      if (row < 0 || row >= work.table_rows) {
        complain_of_index();
        continue;
      }
      if (row == work.padding) continue;
      const T item =
          load_item<T>(work.table.dtype, work.table.data + (row * work.width + column) * work.table.item_bytes);
      if (work.mode == Mode::Max) {
        if (size == 0 || item > made) {
          made = item;
          row_of = row;
        }
      } else {
        made += work.scale ? item * load_item<T>(work.scale.dtype, work.scale.data + k * work.scale.item_bytes) : item;
      }
      ++size;
    }
    if (work.mode == Mode::Mean && size > 0) made /= static_cast<T>(size);
    store_item(work.out.dtype, work.out.data + i * work.out.item_bytes, made);
    if (work.mode == Mode::Max) work.rows[i] = row_of;
    if (column == 0) work.sizes[bag] = size;
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
  const std::int64_t groups = (work.width + kColumnsAWarp - 1) / kColumnsAWarp;
  const std::uint32_t blocks = blocks_for(work.table_rows * groups, kLineThreads / 32);
  const auto launch = [&]<class Key>(Key) {
    launch_kernel(work.in_double ? backward_kernel<double, Key> : backward_kernel<float, Key>, blocks, kLineThreads,
                  stream, work);
  };
  work.keys.bits > 32 ? launch(std::uint64_t{0}) : launch(std::uint32_t{0});
}

void launch_embedding_bag(const EmbeddingBagWork& work, StreamHandle stream) {
  if (work.bags * work.width == 0) return;
  launch_kernel(work.in_double ? bag_kernel<double> : bag_kernel<float>,
                blocks_for(work.bags * work.width, kLineThreads), kLineThreads, stream, work);
}

}  // namespace nns::ops
