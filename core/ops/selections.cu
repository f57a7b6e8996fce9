#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/sort_items.cuh"

// The item of one rank of each line without sorting it: its key is found eight bits at a time, from how many items have
// which bits. Counts are whole numbers, so that the order in which blocks add them changes nothing.
namespace nns::ops {
namespace {

constexpr int kBins = 256;
constexpr int kBinsALane = kBins / 32;
constexpr int kWarps = kLineThreads / 32;

// The items of a line that a block looks at.
struct LinePart {
  std::int64_t line, part, begin, end;
  __device__ LinePart(const SelectWork& work, std::int64_t number)
      : line(number / work.parts), part(number - line * work.parts), begin(part * work.part_items) {
    end = begin + work.part_items < work.lines.length ? begin + work.part_items : work.lines.length;
  }
};

__global__ void __launch_bounds__(kLineThreads)
    begin_select(const __grid_constant__ SelectWork work, bool counts_numbers) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x;
       i < work.lines.line_count * kBins; i += step) {
    work.histogram[i] = 0;
    if (i % kBins != 0) continue;
    work.states[i / kBins] = {0, 0, counts_numbers ? 0 : static_cast<unsigned long long>(work.lines.length)};
  }
}

__global__ void __launch_bounds__(kLineThreads) count_numbers(const __grid_constant__ SelectWork work) {
  __shared__ unsigned long long room[kWarps];
  const std::int64_t blocks = work.lines.line_count * work.parts;
  const std::uint64_t nan = work.lines.keys.of_nan();
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const LinePart own(work, block);
    const SortedLine line(work.lines, own.line);
    unsigned long long numbers = 0;
    for (std::int64_t i = own.begin + threadIdx.x; i < own.end; i += kLineThreads) {
      numbers += line.key(work.lines, i) != nan ? 1 : 0;
    }
    numbers = across_block(numbers, room, Plus());
    if (threadIdx.x == 0) atomicAdd(&work.states[own.line].numbers, numbers);
    __syncthreads();
  }
}

// How many items of each line that begin as the key goes on with which eight bits.
__global__ void __launch_bounds__(kLineThreads)
    count_bits(const __grid_constant__ SelectWork work, std::uint32_t shift, bool is_first) {
  __shared__ unsigned bins[kBins];
  const std::int64_t blocks = work.lines.line_count * work.parts;
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const LinePart own(work, block);
    const SortedLine line(work.lines, own.line);
    const std::uint64_t known = work.states[own.line].key;
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (std::int64_t i = own.begin + threadIdx.x; i < own.end; i += kLineThreads) {
      const std::uint64_t key = line.key(work.lines, i) >> shift;
      if (is_first || key >> 8U == known) atomicAdd(&bins[key & 0xFFU], 1U);
    }
    __syncthreads();
    const unsigned found = bins[threadIdx.x];
    if (found != 0) atomicAdd(&work.histogram[own.line * kBins + threadIdx.x], found);
    __syncthreads();
  }
}

// A warp a line: the eight bits among whose items the rank is.
__global__ void __launch_bounds__(kLineThreads) choose_bits(const __grid_constant__ SelectWork work, bool is_first) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
       line < work.lines.line_count; line += step) {
    SelectWork::State& state = work.states[line];
    const std::uint64_t known = state.key;
    const std::int64_t rank =
        is_first ? work.rank.of(work.lines.length, static_cast<std::int64_t>(state.numbers)) : state.rank;
    unsigned* const bins = work.histogram + line * kBins + lane * kBinsALane;
    std::int64_t own[kBinsALane], sum = 0;
    for (int i = 0; i < kBinsALane; ++i) {
      own[i] = bins[i];
      sum += own[i];
      bins[i] = 0;
    }
    std::int64_t before = sum;
    for (int reach = 1; reach < 32; reach *= 2) {
      const std::int64_t behind = __shfl_up_sync(0xFFFFFFFFU, before, static_cast<unsigned>(reach));
      if (lane >= reach) before += behind;
    }
    before -= sum;
    const bool is_here = before <= rank && rank < before + sum;
    for (int i = 0; is_here && i < kBinsALane; ++i) {
      if (before <= rank && rank < before + own[i]) {
        state.key = known << 8U | static_cast<std::uint64_t>(lane * kBinsALane + i);
        state.rank = rank - before;
      }
      before += own[i];
    }
    __syncwarp();
  }
}

__global__ void __launch_bounds__(kLineThreads) count_selected(const __grid_constant__ SelectWork work) {
  __shared__ std::int64_t room[kWarps];
  const std::int64_t blocks = work.lines.line_count * work.parts;
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const LinePart own(work, block);
    const SortedLine line(work.lines, own.line);
    const std::uint64_t key = work.states[own.line].key;
    std::int64_t before = 0, equal = 0;
    for (std::int64_t i = own.begin + threadIdx.x; i < own.end; i += kLineThreads) {
      const std::uint64_t its = line.key(work.lines, i);
      before += its < key ? 1 : 0;
      equal += its == key ? 1 : 0;
    }
    before = across_block(before, room, Plus());
    equal = across_block(equal, room, Plus());
    if (threadIdx.x == 0) {
      work.counts[2 * block] = before;
      work.counts[2 * block + 1] = equal;
    }
    __syncthreads();
  }
}

// Of equal items the first ones count.
__global__ void __launch_bounds__(kLineThreads) give_selected(const __grid_constant__ SelectWork work) {
  __shared__ std::int64_t room[kWarps];
  __shared__ int found[2][kWarps];
  const std::int64_t blocks = work.lines.line_count * work.parts;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const unsigned earlier_lanes = (1U << static_cast<unsigned>(lane)) - 1;
  const bool gives_all = work.to.places != nullptr;
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const LinePart own(work, block);
    const SortedLine line(work.lines, own.line);
    const SelectWork::State state = work.states[own.line];
    // Those of the parts in front.
    std::int64_t before = 0, equal = 0;
    for (std::int64_t part = threadIdx.x; part < own.part; part += kLineThreads) {
      before += work.counts[2 * (block - own.part + part)];
      equal += work.counts[2 * (block - own.part + part) + 1];
    }
    before = across_block(before, room, Plus());
    equal = across_block(equal, room, Plus());
    const bool has_equal = equal <= state.rank && work.counts[2 * block + 1] > 0;
    const bool has_earlier = gives_all && work.counts[2 * block] > 0;
    if (!has_equal && !has_earlier) continue;
    // The rank as it was given.
    const std::int64_t all_before = work.rank.given - state.rank;
    for (std::int64_t begin = own.begin; begin < own.end; begin += kLineThreads) {
      const std::int64_t i = begin + threadIdx.x;
      const std::uint64_t key = i < own.end ? line.key(work.lines, i) : 0;
      const bool is_before = i < own.end && key < state.key, is_equal = i < own.end && key == state.key;
      const unsigned votes_before = __ballot_sync(0xFFFFFFFFU, is_before);
      const unsigned votes_equal = __ballot_sync(0xFFFFFFFFU, is_equal);
      if (lane == 0) {
        found[0][warp] = __popc(votes_before);
        found[1][warp] = __popc(votes_equal);
      }
      __syncthreads();
      std::int64_t number = before + __popc(votes_before & earlier_lanes);
      std::int64_t tie = equal + __popc(votes_equal & earlier_lanes);
      for (int other = 0; other < kWarps; ++other) {
        if (other < warp) {
          number += found[0][other];
          tie += found[1][other];
        }
        before += found[0][other];
        equal += found[1][other];
      }
      if (!gives_all) {
        if (is_equal && tie == state.rank) line.give(work.lines, 0, i);
      } else if (is_before || (is_equal && tie <= state.rank)) {
        const std::int64_t at = own.line * work.to.stride + (is_before ? number : all_before + tie);
        if (work.lines.keys.bits > 32)
          reinterpret_cast<std::uint64_t*>(work.to.keys)[at] = key;
        else
          reinterpret_cast<std::uint32_t*>(work.to.keys)[at] = static_cast<std::uint32_t>(key);
        work.to.places[at] = static_cast<std::uint32_t>(i);
      }
      __syncthreads();
    }
  }
}

}  // namespace

void launch_select(const SelectWork& work, StreamHandle stream) {
  const std::int64_t lines = work.lines.line_count;
  if (lines * work.lines.length == 0) return;
  const bool counts_numbers = work.lines.keys.is_floating() && work.rank.kind != SortRank::Kind::Given;
  launch_kernel(begin_select, blocks_for(lines * kBins, kLineThreads), kLineThreads, stream, work, counts_numbers);
  const std::uint32_t blocks = blocks_for(lines * work.parts, 1);
  if (counts_numbers) launch_kernel(count_numbers, blocks, kLineThreads, stream, work);
  for (std::uint32_t shift = work.lines.keys.bits; shift > 0;) {
    const bool is_first = shift == work.lines.keys.bits;
    shift -= 8;
    launch_kernel(count_bits, blocks, kLineThreads, stream, work, shift, is_first);
    launch_kernel(choose_bits, blocks_for(lines, kWarps), kLineThreads, stream, work, is_first);
  }
}

void launch_selected(const SelectWork& work, StreamHandle stream) {
  if (work.lines.line_count * work.lines.length == 0) return;
  const std::uint32_t blocks = blocks_for(work.lines.line_count * work.parts, 1);
  launch_kernel(count_selected, blocks, kLineThreads, stream, work);
  launch_kernel(give_selected, blocks, kLineThreads, stream, work);
}

}  // namespace nns::ops
