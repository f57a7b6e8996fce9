#include "core/ops/complaints.cuh"
#include "core/ops/device_items.cuh"
#include "core/ops/indexing_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"

// A thread an item.
namespace nns::ops {
namespace {

__device__ __forceinline__ std::int64_t first_item() {
  return static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t all_threads() { return static_cast<std::int64_t>(gridDim.x) * kLineThreads; }

// The place that an index names, or -1 and a complaint.
__device__ __forceinline__ std::int64_t named_place(const IndexWork& work, int k, const std::byte* at) {
  const DeviceIndex& index = work.index[k];
  std::int64_t named = index.is_long ? static_cast<std::int64_t>(item_at<long long>(at)) : item_at<int>(at);
  if (work.takes_negative && named < 0) named += index.size;
  if (named >= 0 && named < index.size) return named;
  complain(work.complaint, DeviceComplaint::Index);
  return -1;
}

template <class Item, bool puts>
__global__ void __launch_bounds__(kLineThreads) move_items(const __grid_constant__ IndexWork work) {
  for (std::int64_t i = first_item(); i < work.plan.count; i += all_threads()) {
    std::int64_t offsets[kMostIndices + 2];
    work.plan.offsets(i, offsets);
    std::int64_t there = offsets[0];
    bool is_there = true;
    for (int k = 0; k < work.indices; ++k) {
      const std::int64_t named = named_place(work, k, work.index[k].data + offsets[k + 2]);
      is_there = is_there && named >= 0;
      there += named * work.index[k].stride;
    }
    if constexpr (puts) {
      if (is_there) put_item(work.indexed + there, item_at<Item>(work.beside + offsets[1]));
    } else {
      put_item(work.beside + offsets[1], is_there ? item_at<Item>(work.indexed + there) : Item{});
    }
  }
}

__global__ void __launch_bounds__(kLineThreads)
    place_numbers(const __grid_constant__ IndexWork work, std::int64_t* numbers) {
  for (std::int64_t i = first_item(); i < work.plan.count; i += all_threads()) {
    std::int64_t offsets[kMostIndices + 2];
    work.plan.offsets(i, offsets);
    std::int64_t number = 0;
    bool is_there = true;
    for (int k = 0; k < work.indices; ++k) {
      const std::int64_t named = named_place(work, k, work.index[k].data + offsets[k + 2]);
      is_there = is_there && named >= 0;
      number = number * work.index[k].size + named;
    }
    numbers[i] = is_there ? number : -1;
  }
}

template <class Item>
__global__ void __launch_bounds__(kLineThreads) triangle_kernel(const __grid_constant__ TriangleWork work) {
  for (std::int64_t i = first_item(); i < work.plan.count; i += all_threads()) {
    std::int64_t offsets[2];
    work.plan.offsets(i, offsets);
    const std::int64_t line = i / work.columns, column = i - line * work.columns, row = line % work.rows;
    const bool stays = work.keeps_lower ? column - row <= work.diagonal : column - row >= work.diagonal;
    put_item(work.out + offsets[1], stays ? item_at<Item>(work.in + offsets[0]) : Item{});
  }
}

// Calls use(an item of so many bytes).
template <class Use>
void with_item(std::int64_t bytes, Use use) {
  if (bytes == 1) return use(static_cast<unsigned char>(0));
  if (bytes == 2) return use(static_cast<unsigned short>(0));
  if (bytes == 4) return use(0U);
  if (bytes == 8) return use(0ULL);
  use(uint4{});
}

}  // namespace

void launch_take(const IndexWork& work, StreamHandle stream) {
  if (work.plan.count == 0) return;
  with_item(work.item_bytes, [&]<class Item>(Item) {
    launch_kernel(move_items<Item, false>, blocks_for(work.plan.count, kLineThreads), kLineThreads, stream, work);
  });
}

void launch_put(const IndexWork& work, StreamHandle stream) {
  if (work.plan.count == 0) return;
  with_item(work.item_bytes, [&]<class Item>(Item) {
    launch_kernel(move_items<Item, true>, blocks_for(work.plan.count, kLineThreads), kLineThreads, stream, work);
  });
}

void launch_place_numbers(const IndexWork& work, std::int64_t* numbers, StreamHandle stream) {
  if (work.plan.count == 0) return;
  launch_kernel(place_numbers, blocks_for(work.plan.count, kLineThreads), kLineThreads, stream, work, numbers);
}

void launch_triangle(const TriangleWork& work, StreamHandle stream) {
  if (work.plan.count == 0) return;
  with_item(work.item_bytes, [&]<class Item>(Item) {
    launch_kernel(triangle_kernel<Item>, blocks_for(work.plan.count, kLineThreads), kLineThreads, stream, work);
  });
}

}  // namespace nns::ops
