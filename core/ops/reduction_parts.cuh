#pragma once

#include "core/ops/cuda_kernels.h"
#include "core/ops/device_items.cuh"

// What threads know of the items that they saw. Not for callers of ops.
namespace nns::ops {

// add(x, place) takes one more item, merge(other) what another thread knows, put(work, result) writes the result; where
// there is add_piece(x, place), it takes several that lie in a row. The formulas are those of reductions.cpp and
// extremes.cpp.
template <class T>
struct SumPart {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  Wide sum = 0;
  __device__ void begin(const ReductionWork&) {}
  __device__ void add(T x, std::int64_t) { sum += static_cast<Wide>(x); }
  // The sum of eight 16-bit floats is close enough in float: it has twice their digits.
  template <int count>
  __device__ void add_piece(const T (&x)[count], std::int64_t) {
    using Sum = std::conditional_t<count == 8, T, Wide>;
    Sum of_these[count];
    for (int k = 0; k < count; ++k) of_these[k] = static_cast<Sum>(x[k]);
    for (int half = count / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) of_these[k] += of_these[k + half];
    }
    sum += static_cast<Wide>(of_these[0]);
  }
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

/// What the thread knows whose lane differs in the bits of `step`. All threads of a warp take part.
template <class Part>
__device__ __forceinline__ Part part_of_lane(const Part& own, int step) {
  static_assert(sizeof(Part) % sizeof(unsigned) == 0);
  unsigned words[sizeof(Part) / sizeof(unsigned)];
  memcpy(words, &own, sizeof(Part));
  for (unsigned& word : words) word = __shfl_xor_sync(0xFFFFFFFFU, word, step);
  Part other;
  memcpy(&other, words, sizeof(Part));
  return other;
}

}  // namespace nns::ops
