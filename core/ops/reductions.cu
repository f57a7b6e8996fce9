#include <limits>

#include "core/ops/launch.cuh"
#include "core/ops/line_pieces.cuh"
#include "core/ops/reduction_parts.cuh"

// Reductions: threads take items in turn, a block puts its threads' parts together in a fixed order, and a second
// kernel those of several blocks. The same on every run.
namespace nns::ops {
namespace {

constexpr int kThreads = 256;

// Which result a thread works for, and which of its workers it is, over all blocks that share the result.
struct Place {
  std::uint32_t own, worker;
  std::int64_t lane, step;
  __device__ explicit Place(const ReductionLanes& lanes)
      : own(lanes.results_are_neighbours ? threadIdx.x % lanes.results : threadIdx.x / lanes.workers),
        worker(lanes.results_are_neighbours ? threadIdx.x / lanes.results : threadIdx.x % lanes.workers),
        lane(static_cast<std::int64_t>(blockIdx.y) * lanes.workers + worker),
        step(static_cast<std::int64_t>(lanes.workers) * lanes.parts) {}
};

template <class Part>
__device__ __forceinline__ Part* part_at(const ReductionWork& work, std::int64_t result, std::uint32_t part) {
  return reinterpret_cast<Part*>(work.parts) + part * work.result_count + result;
}
template <class Part>
__device__ __forceinline__ void put_part(const ReductionWork& work, std::int64_t result, const Part& whole) {
  if (work.lanes.parts == 1)
    whole.put(work, result);
  else
    *part_at<Part>(work, result, blockIdx.y) = whole;
}

// Puts together what the workers of each result know, and writes it. All threads of a block take part; `shared` has
// room for a part of each.
template <class Part>
__device__ __forceinline__ void put_together(const ReductionWork& work, const Place& place, std::int64_t result,
                                             Part part, Part* shared) {
  const ReductionLanes& lanes = work.lanes;
  std::uint32_t rest = lanes.workers, apart = lanes.results;
  if (!lanes.results_are_neighbours) {
    const int together = lanes.workers < 32 ? static_cast<int>(lanes.workers) : 32;
    for (int step = together / 2; step > 0; step /= 2) part.merge(part_of_lane(part, step));
    rest = lanes.workers / together;
    apart = 1;
  }
  if (rest > 1) {
    __syncthreads();
    if (lanes.results_are_neighbours || threadIdx.x % 32 == 0) {
      shared[lanes.results_are_neighbours ? threadIdx.x : threadIdx.x / 32] = part;
    }
    __syncthreads();
  }
  if (place.worker != 0 || result >= work.result_count) return;
  const std::uint32_t first = lanes.results_are_neighbours ? place.own : place.own * rest;
  for (std::uint32_t k = 1; k < rest; ++k) part.merge(shared[first + k * apart]);
  put_part(work, result, part);
}

template <class T, class Part>
__global__ void __launch_bounds__(kThreads) reduction_kernel(const __grid_constant__ ReductionWork work) {
  static_assert(sizeof(Part) <= kReductionPartBytes);
  __shared__ __align__(16) unsigned char room[kThreads * sizeof(Part)];
  const Place place(work.lanes);
  const std::int64_t groups = (work.kept.count + work.lanes.results - 1) / work.lanes.results;
  for (std::int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const std::int64_t result = group * work.lanes.results + place.own;
    Part part;
    part.begin(work);
    if (result < work.kept.count) {
      std::int64_t at[1];
      work.kept.offsets(result, at);
      const std::byte* const first = work.in + at[0];
      std::int64_t item = place.lane;
      // Four loads under way at once.
      for (; item + 3 * place.step < work.gone.count; item += 4 * place.step) {
        T x[4];
        for (int k = 0; k < 4; ++k) {
          std::int64_t offset[1];
          work.gone.offsets(item + k * place.step, offset);
          x[k] = load_item<T>(work.in_dtype, first + offset[0]);
        }
        for (int k = 0; k < 4; ++k) part.add(x[k], item + k * place.step);
      }
      for (; item < work.gone.count; item += place.step) {
        std::int64_t offset[1];
        work.gone.offsets(item, offset);
        part.add(load_item<T>(work.in_dtype, first + offset[0]), item);
      }
    }
    put_together(work, place, result, part, reinterpret_cast<Part*>(room));
  }
}

// Of items that lie side by side.
template <class Items, class Part>
__global__ void __launch_bounds__(kThreads, 4) line_kernel(const __grid_constant__ ReductionWork work) {
  constexpr int kIn = Items::kInPiece;
  __shared__ __align__(16) unsigned char room[kThreads * sizeof(Part)];
  const Place place(work.lanes);
  const std::int64_t groups = (work.kept.count + work.lanes.results - 1) / work.lanes.results;
  for (std::int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const std::int64_t result = group * work.lanes.results + place.own;
    Part part;
    part.begin(work);
    if (result < work.kept.count) {
      std::int64_t at[1];
      work.kept.offsets(result, at);
      const std::byte* const first = work.in + at[0];
      const std::int64_t length = work.gone.count;
      const std::int64_t head = items_before_piece(first, Items::kBytes, length);
      const std::int64_t pieces = (length - head) / kIn, last = head + pieces * kIn;
      const auto add_from = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin + place.lane; item < end; item += place.step) {
          part.add(Items::load(first + item * Items::kBytes), item);
        }
      };
      add_from(0, head);
      for_pieces(
          place.lane, place.step, pieces,
          [&](std::int64_t piece) { return piece_at(first + (head + piece * kIn) * Items::kBytes); },
          [&](std::int64_t piece, const uint4& read) {
            float x[kIn];
            Items::decode(read, x);
            if constexpr (requires { part.add_piece(x, piece); })
              part.add_piece(x, head + piece * kIn);
            else
              for (int k = 0; k < kIn; ++k) part.add(x[k], head + piece * kIn + k);
          });
      add_from(last, length);
    }
    put_together(work, place, result, part, reinterpret_cast<Part*>(room));
  }
}

// Sums whose results lie side by side: `kept` is a plan of pieces. 32 of them a block, eight threads for each.
template <class Items>
__global__ void __launch_bounds__(kThreads, 4) column_sums(const __grid_constant__ ReductionWork work) {
  constexpr int kIn = Items::kInPiece, kWorkers = kThreads / 32;
  __shared__ double room[kWorkers][32 * kIn];
  const int own = static_cast<int>(threadIdx.x) % 32, worker = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t step = static_cast<std::int64_t>(kWorkers) * work.lanes.parts;
  for (std::int64_t first = 32 * static_cast<std::int64_t>(blockIdx.x); first < work.kept.count;
       first += 32 * static_cast<std::int64_t>(gridDim.x)) {
    double sums[kIn] = {};
    if (first + own < work.kept.count) {
      std::int64_t at[1];
      work.kept.offsets(first + own, at);
      const std::byte* const column = work.in + at[0];
      const std::int64_t stride = work.gone.dim[0].strides[0];
      const auto read = [&](std::int64_t item) { return piece_at(column + item * stride); };
      std::int64_t item = static_cast<std::int64_t>(blockIdx.y) * kWorkers + worker;
      for (; item + 3 * step < work.gone.count; item += 4 * step) {
        uint4 four[4];
        for (int q = 0; q < 4; ++q) four[q] = read(item + q * step);
        float x[4][kIn];
        for (int q = 0; q < 4; ++q) Items::decode(four[q], x[q]);
        for (int k = 0; k < kIn; ++k) {
          // As SumPart has it.
          using Sum = std::conditional_t<Items::kBytes == 2, float, double>;
          const Sum a = static_cast<Sum>(x[0][k]) + static_cast<Sum>(x[1][k]);
          const Sum b = static_cast<Sum>(x[2][k]) + static_cast<Sum>(x[3][k]);
          sums[k] += static_cast<double>(a + b);
        }
      }
      for (; item < work.gone.count; item += step) {
        float x[kIn];
        Items::decode(read(item), x);
        for (int k = 0; k < kIn; ++k) sums[k] += static_cast<double>(x[k]);
      }
    }
    __syncthreads();
    for (int k = 0; k < kIn; ++k) room[worker][k * 32 + own] = sums[k];
    __syncthreads();
    const int column = static_cast<int>(threadIdx.x);
    const std::int64_t result = first * kIn + column;
    if (column >= 32 * kIn || result >= work.result_count) continue;
    SumPart<float> whole;
    for (int k = 0; k < kWorkers; ++k) whole.sum += room[k][column % kIn * 32 + column / kIn];
    put_part(work, result, whole);
  }
}

// 32 results a block where there are many, else one.
template <class Part>
__global__ void __launch_bounds__(kThreads)
    parts_kernel(const __grid_constant__ ReductionWork work, std::uint32_t results) {
  __shared__ __align__(16) unsigned char room[kThreads * sizeof(Part)];
  Part* const shared = reinterpret_cast<Part*>(room);
  const std::uint32_t own = threadIdx.x % results, worker = threadIdx.x / results, workers = kThreads / results;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * results; first < work.result_count;
       first += static_cast<std::int64_t>(gridDim.x) * results) {
    const std::int64_t result = first + own;
    Part whole;
    whole.begin(work);
    for (std::uint32_t k = worker; k < work.lanes.parts && result < work.result_count; k += workers) {
      whole.merge(*part_at<Part>(work, result, k));
    }
    __syncthreads();
    shared[threadIdx.x] = whole;
    __syncthreads();
    for (std::uint32_t half = workers / 2; half > 0; half /= 2) {
      if (worker < half) shared[threadIdx.x].merge(shared[threadIdx.x + half * results]);
      __syncthreads();
    }
    if (worker == 0 && result < work.result_count) shared[own].put(work, result);
  }
}

template <class T, class Part>
void launch(const ReductionWork& work, StreamHandle stream) {
  const dim3 grid(blocks_for(work.kept.count, work.lanes.results), work.lanes.parts);
  bool is_queued = false;
  if constexpr (std::is_same_v<T, float>) {
    if (work.route == ReductionRoute::Lines) {
      is_queued = with_items(work.in_dtype, [&]<class Items>(Items) {
        launch_kernel(line_kernel<Items, Part>, grid, kThreads, stream, work);
      });
    }
    if constexpr (std::is_same_v<Part, SumPart<float>>) {
      if (work.route == ReductionRoute::Columns) {
        is_queued = with_items(work.in_dtype, [&]<class Items>(Items) {
          launch_kernel(column_sums<Items>, grid, kThreads, stream, work);
        });
      }
    }
  }
  if (!is_queued) launch_kernel(reduction_kernel<T, Part>, grid, kThreads, stream, work);
  if (work.lanes.parts == 1) return;
  const std::uint32_t results = work.result_count >= 64 ? 32 : 1;
  launch_kernel(parts_kernel<Part>, blocks_for(work.result_count, results), kThreads, stream, work, results);
}

template <template <class> class Part>
void launch_numbers(const ReductionWork& work, StreamHandle stream) {
  switch (work.compute) {
    case Compute::Float:
      return launch<float, Part<float>>(work, stream);
    case Compute::Double:
      return launch<double, Part<double>>(work, stream);
    default:
      return launch<std::int64_t, Part<std::int64_t>>(work, stream);
  }
}
template <template <class> class Part>
void launch_fractions(const ReductionWork& work, StreamHandle stream) {
  if (work.compute == Compute::Double) return launch<double, Part<double>>(work, stream);
  launch<float, Part<float>>(work, stream);
}
template <class T>
using LargestPart = ExtremePart<T, true>;
template <class T>
using SmallestPart = ExtremePart<T, false>;

std::int64_t inner_stride(const WalkPlan<1>& plan) {
  if (plan.dims == 0) return std::numeric_limits<std::int64_t>::max();
  return plan.dim[0].strides[0] < 0 ? -plan.dim[0].strides[0] : plan.dim[0].strides[0];
}
// Whether sums side by side can be made of pieces.
bool has_piece_columns(const ReductionWork& work) {
  const WalkPlan<1>& kept = work.kept;
  bool aligned = is_piece_aligned(work.in) && kept.dim[0].strides[0] == work.in_bytes &&
                 kept.dim[0].size * work.in_bytes % kPieceBytes == 0 && work.gone.dims == 1 &&
                 work.gone.dim[0].strides[0] % kPieceBytes == 0;
  for (std::int32_t k = 1; k < kept.dims; ++k) aligned = aligned && kept.dim[k].strides[0] % kPieceBytes == 0;
  return aligned;
}

}  // namespace

void plan_reduction(ReductionWork& work, std::int64_t processors) {
  work.result_count = work.kept.count;
  const bool results_are_close = inner_stride(work.kept) < inner_stride(work.gone);
  const bool has_pieces = work.compute == Compute::Float && with_items(work.in_dtype, [](auto) {});
  const std::int64_t in_piece = kPieceBytes / work.in_bytes;
  if (has_pieces && !results_are_close && work.gone.dims == 1 && work.gone.dim[0].strides[0] == work.in_bytes &&
      work.gone.count >= 4 * in_piece) {
    work.route = ReductionRoute::Lines;
    work.lanes = line_lanes(work.kept.count, work.gone.count / in_piece, processors);
  } else if (has_pieces && results_are_close && work.kind == ReductionKind::Sum && has_piece_columns(work)) {
    work.route = ReductionRoute::Columns;
    work.kept.join_items(in_piece);
    work.lanes = reduction_lanes(work.kept.count, work.gone.count, true, processors);
  } else {
    work.lanes = reduction_lanes(work.kept.count, work.gone.count, results_are_close, processors);
  }
}

void launch_reduction(const ReductionWork& work, StreamHandle stream) {
  switch (work.kind) {
    case ReductionKind::Sum:
      return launch_numbers<SumPart>(work, stream);
    case ReductionKind::Product:
      return launch_numbers<ProductPart>(work, stream);
    case ReductionKind::Largest:
      return launch_numbers<LargestPart>(work, stream);
    case ReductionKind::Smallest:
      return launch_numbers<SmallestPart>(work, stream);
    case ReductionKind::Norm:
      return launch_fractions<NormPart>(work, stream);
    case ReductionKind::Any:
      return launch<bool, TruthPart<ReductionKind::Any>>(work, stream);
    case ReductionKind::All:
      return launch<bool, TruthPart<ReductionKind::All>>(work, stream);
    case ReductionKind::Count:
      return launch<bool, TruthPart<ReductionKind::Count>>(work, stream);
    case ReductionKind::Variance:
      return launch_fractions<VariancePart>(work, stream);
    case ReductionKind::LogSumExp:
      return launch_fractions<LogSumExpPart>(work, stream);
  }
}

}  // namespace nns::ops
