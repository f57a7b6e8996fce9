#include "core/ops/cuda_kernels.h"
#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"

// Reductions: threads take items in turn, a block puts its threads' parts together in a fixed order, and a second
// kernel those of several blocks. The same on every run.
namespace nns::ops {
namespace {

constexpr int kThreads = 256;

// Each is what a thread knows of the items that it saw: add(x, place) takes one more, merge(other) what another thread
// knows, put(work, result) writes the result. The formulas are those of reductions.cpp and extremes.cpp.
template <class T>
struct SumPart {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  Wide sum = 0;
  __device__ void begin(const ReductionWork&) {}
  __device__ void add(T x, std::int64_t) { sum += static_cast<Wide>(x); }
  __device__ void merge(const SumPart& other) { sum += other.sum; }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    std::byte* const at = work.out + result * work.out_bytes;
    if constexpr (std::is_same_v<T, std::int64_t>)
      store_item(work.out_dtype, at, sum);
    else
      store_item(work.out_dtype, at, static_cast<Wide>(sum * work.setting));
  }
};
template <class T>
struct ProductPart {
  T product = 1;
  __device__ void begin(const ReductionWork&) {}
  __device__ void add(T x, std::int64_t) { product *= x; }
  __device__ void merge(const ProductPart& other) { product *= other.product; }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    store_item(work.out_dtype, work.out + result * work.out_bytes, product);
  }
};
template <class T, bool largest>
struct ExtremePart {
  T best{};
  std::int64_t at = -1;
  __device__ void begin(const ReductionWork&) {}
  // Not a number comes before all, the first place before later ones.
  __device__ static bool is_nan(T x) { return x != x; }
  __device__ bool gives_way_to(T x, std::int64_t place) const {
    if (at < 0) return true;
    if (is_nan(best) || is_nan(x)) return is_nan(x) && (!is_nan(best) || place < at);
    if (x == best) return place < at;
    return largest ? x > best : x < best;
  }
  __device__ void add(T x, std::int64_t place) {
    if (!gives_way_to(x, place)) return;
    best = x;
    at = place;
  }
  __device__ void merge(const ExtremePart& other) {
    if (other.at >= 0) add(other.best, other.at);
  }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    if (work.out != nullptr) store_item(work.out_dtype, work.out + result * work.out_bytes, best);
    if (work.places != nullptr) work.places[result] = at;
  }
};
template <class T>
struct NormPart {
  double p = 2, sum = 0;
  bool began = false;
  __device__ void begin(const ReductionWork& work) { p = work.setting; }
  __device__ void extreme(double size) {
    if (!began || size != size || (p > 0 ? size > sum : size < sum)) sum = sum != sum && began ? sum : size;
    began = true;
  }
  __device__ void add(T x, std::int64_t) {
    const double size = fabs(static_cast<double>(x));
    if (p == 2)
      sum += size * size;
    else if (p == 1)
      sum += size;
    else if (p == 0)
      sum += size != 0 ? 1 : 0;
    else if (isinf(p))
      extreme(size);
    else
      sum += pow(size, p);
  }
  __device__ void merge(const NormPart& other) {
    if (!isinf(p))
      sum += other.sum;
    else if (other.began)
      extreme(other.sum);
  }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    const double norm = p == 1 || p == 0 || isinf(p) ? sum : p == 2 ? sqrt(sum) : pow(sum, 1 / p);
    store_item(work.out_dtype, work.out + result * work.out_bytes, norm);
  }
};
template <ReductionKind kind>
struct TruthPart {
  std::int64_t found = 0, seen = 0;
  __device__ void begin(const ReductionWork&) {}
  __device__ void add(bool x, std::int64_t) {
    found += x ? 1 : 0;
    ++seen;
  }
  __device__ void merge(const TruthPart& other) {
    found += other.found;
    seen += other.seen;
  }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    const std::int64_t number = kind == ReductionKind::Count ? found
                                : kind == ReductionKind::Any ? (found > 0 ? 1 : 0)
                                                             : (found == seen ? 1 : 0);
    store_item(work.out_dtype, work.out + result * work.out_bytes, number);
  }
};
// Welford's mean and squared deviation; parts as Chan, Golub and LeVeque put them together.
template <class T>
struct VariancePart {
  double count = 0, mean = 0, squares = 0;
  __device__ void begin(const ReductionWork&) {}
  __device__ void add(T number, std::int64_t) {
    const double x = static_cast<double>(number);
    count += 1;
    const double distance = x - mean;
    mean += distance / count;
    squares += distance * (x - mean);
  }
  __device__ void merge(const VariancePart& other) {
    if (other.count == 0) return;
    const double all = count + other.count;
    const double distance = other.mean - mean;
    mean += distance * (other.count / all);
    squares += other.squares + distance * distance * (count * other.count / all);
    count = all;
  }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    const double divisor = fmax(0.0, count - work.setting);
    const double variance = count == 0 ? nan("") : squares / divisor;
    store_item(work.out_dtype, work.out + result * work.out_bytes, work.is_root ? sqrt(variance) : variance);
  }
};
template <class T>
struct LogSumExpPart {
  double largest = -INFINITY, sum = 0;
  __device__ void begin(const ReductionWork&) {}
  __device__ void take(double x, double weight) {
    if (x > largest) {
      sum = isinf(largest) ? weight : sum * exp(largest - x) + weight;
      largest = x;
    } else if (isinf(x) && x == largest) {
      sum += weight;
    } else {
      sum += weight * exp(x - largest);
    }
  }
  __device__ void add(T x, std::int64_t) { take(static_cast<double>(x), 1); }
  __device__ void merge(const LogSumExpPart& other) {
    if (other.sum != 0) take(other.largest, other.sum);
  }
  __device__ void put(const ReductionWork& work, std::int64_t result) const {
    const double made = isinf(largest) && sum == sum ? largest : largest + log(sum);
    store_item(work.out_dtype, work.out + result * work.out_bytes, made);
  }
};

template <class T, class Part>
__global__ void __launch_bounds__(kThreads) reduction_kernel(const __grid_constant__ ReductionWork work) {
  static_assert(sizeof(Part) <= kReductionPartBytes);
  __shared__ __align__(16) unsigned char room[kThreads * sizeof(Part)];
  Part* const shared = reinterpret_cast<Part*>(room);
  const ReductionLanes& lanes = work.lanes;
  const std::uint32_t own = lanes.results_are_neighbours ? threadIdx.x % lanes.results : threadIdx.x / lanes.workers;
  const std::uint32_t worker = lanes.results_are_neighbours ? threadIdx.x / lanes.results : threadIdx.x % lanes.workers;
  const std::int64_t groups = (work.kept.count + lanes.results - 1) / lanes.results;
  for (std::int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const std::int64_t result = group * lanes.results + own;
    Part part;
    part.begin(work);
    if (result < work.kept.count) {
      std::int64_t at[1];
      work.kept.offsets(result, at);
      const std::byte* const first = work.in + at[0];
      const std::int64_t step = static_cast<std::int64_t>(lanes.workers) * lanes.parts;
      std::int64_t item = static_cast<std::int64_t>(blockIdx.y) * lanes.workers + worker;
      // Four loads under way at once.
      for (; item + 3 * step < work.gone.count; item += 4 * step) {
        T x[4];
        for (int k = 0; k < 4; ++k) {
          std::int64_t offset[1];
          work.gone.offsets(item + k * step, offset);
          x[k] = load_item<T>(work.in_dtype, first + offset[0]);
        }
        for (int k = 0; k < 4; ++k) part.add(x[k], item + k * step);
      }
      for (; item < work.gone.count; item += step) {
        std::int64_t offset[1];
        work.gone.offsets(item, offset);
        part.add(load_item<T>(work.in_dtype, first + offset[0]), item);
      }
    }
    shared[own * lanes.workers + worker] = part;
    __syncthreads();
    for (std::uint32_t half = lanes.workers / 2; half > 0; half /= 2) {
      if (worker < half) shared[own * lanes.workers + worker].merge(shared[own * lanes.workers + worker + half]);
      __syncthreads();
    }
    if (worker == 0 && result < work.kept.count) {
      const Part& whole = shared[own * lanes.workers];
      if (lanes.parts == 1) {
        whole.put(work, result);
      } else {
        *reinterpret_cast<Part*>(work.parts + (result * lanes.parts + blockIdx.y) * kReductionPartBytes) = whole;
      }
    }
    __syncthreads();
  }
}

template <class Part>
__global__ void __launch_bounds__(kThreads) parts_kernel(const __grid_constant__ ReductionWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t result = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; result < work.kept.count;
       result += step) {
    const std::byte* const parts = work.parts + result * work.lanes.parts * kReductionPartBytes;
    Part whole = *reinterpret_cast<const Part*>(parts);
    for (std::uint32_t k = 1; k < work.lanes.parts; ++k) {
      whole.merge(*reinterpret_cast<const Part*>(parts + k * kReductionPartBytes));
    }
    whole.put(work, result);
  }
}

template <class T, class Part>
void launch(const ReductionWork& work, StreamHandle stream) {
  const dim3 grid(blocks_for(work.kept.count, work.lanes.results), work.lanes.parts);
  launch_kernel(reduction_kernel<T, Part>, grid, kThreads, stream, work);
  if (work.lanes.parts == 1) return;
  launch_kernel(parts_kernel<Part>, blocks_for(work.kept.count, kThreads), kThreads, stream, work);
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

}  // namespace

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
