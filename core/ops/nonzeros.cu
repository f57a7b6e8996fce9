#include "core/ops/indexing_work.h"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/sort_items.cuh"

// The places of items that are not 0: each block counts its part, adds up what the parts in front of it have, and
// numbers its own from there.
namespace nns::ops {
namespace {

constexpr int kFlagWarps = kLineThreads / 32;

__device__ __forceinline__ bool is_not_zero(const NonzeroWork& work, std::int64_t item) {
  std::int64_t at[1];
  work.plan.offsets(item, at);
  return (item_bits(work.in + at[0], work.item_bytes) & work.bits) != 0;
}

__global__ void __launch_bounds__(kLineThreads) count_nonzeros(const __grid_constant__ NonzeroWork work) {
  __shared__ std::int64_t room[kFlagWarps];
  const std::int64_t begin = blockIdx.x * work.part_items;
  const std::int64_t end = begin + work.part_items < work.plan.count ? begin + work.part_items : work.plan.count;
  std::int64_t count = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kLineThreads) count += is_not_zero(work, i) ? 1 : 0;
  count = across_block(count, room, Plus());
  if (threadIdx.x == 0) work.counts[blockIdx.x] = count;
}

__device__ __forceinline__ std::int64_t sum_of_counts(const NonzeroWork& work, std::int64_t parts, std::int64_t* room) {
  std::int64_t sum = 0;
  for (std::int64_t i = threadIdx.x; i < parts; i += kLineThreads) sum += work.counts[i];
  return across_block(sum, room, Plus());
}

__global__ void __launch_bounds__(kLineThreads) count_all(const __grid_constant__ NonzeroWork work) {
  __shared__ std::int64_t room[kFlagWarps];
  const std::int64_t sum = sum_of_counts(work, work.parts, room);
  if (threadIdx.x == 0) work.counts[work.parts] = sum;
}

__global__ void __launch_bounds__(kLineThreads) give_nonzeros(const __grid_constant__ NonzeroWork work) {
  __shared__ std::int64_t room[kFlagWarps];
  __shared__ int found[kFlagWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t begin = blockIdx.x * work.part_items;
  const std::int64_t end = begin + work.part_items < work.plan.count ? begin + work.part_items : work.plan.count;
  std::int64_t before = sum_of_counts(work, blockIdx.x, room);
  for (std::int64_t first = begin; first < end; first += kLineThreads) {
    const std::int64_t i = first + threadIdx.x;
    const bool is_found = i < end && is_not_zero(work, i);
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, is_found);
    if (lane == 0) found[warp] = __popc(votes);
    __syncthreads();
    std::int64_t number = before + __popc(votes & ((1U << static_cast<unsigned>(lane)) - 1));
    for (int other = 0; other < kFlagWarps; ++other) {
      if (other < warp) number += found[other];
      before += found[other];
    }
    std::int64_t rest = i;
    for (int dim = work.dims - 1; is_found && dim >= 0; --dim) {
      const std::int64_t above = rest / work.sizes[dim];
      work.out[number * work.dims + dim] = rest - above * work.sizes[dim];
      rest = above;
    }
    __syncthreads();
  }
}

}  // namespace

void launch_nonzero_counts(const NonzeroWork& work, StreamHandle stream) {
  launch_kernel(count_nonzeros, static_cast<std::uint32_t>(work.parts), kLineThreads, stream, work);
  launch_kernel(count_all, 1, kLineThreads, stream, work);
}

void launch_nonzero(const NonzeroWork& work, StreamHandle stream) {
  launch_kernel(give_nonzeros, static_cast<std::uint32_t>(work.parts), kLineThreads, stream, work);
}

}  // namespace nns::ops
