// Moments of runs of floats in the vectors of one processor. moments.cpp includes this once for each kind of processor,
// hence no guard; only the functions there call it.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/ops/lane_moments.h"
#include "core/ops/moments.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct OfValues {
  const float* x;
  HWY_INLINE Lanes at(std::int64_t i) const { return hn::LoadU(Floats(), x + i); }
  float one(std::int64_t i) const { return x[i]; }
};
struct OfDifferences {
  const float *x, *y;
  HWY_INLINE Lanes at(std::int64_t i) const { return hn::Sub(hn::LoadU(Floats(), x + i), hn::LoadU(Floats(), y + i)); }
  float one(std::int64_t i) const { return x[i] - y[i]; }
};

bool are_finite(const float* values, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  FiniteLanes a, b;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a.add(hn::LoadU(Floats(), values + i));
    b.add(hn::LoadU(Floats(), values + i + lanes));
  }
  return a.all() && b.all() && std::all_of(values + i, values + count, [](float one) { return std::isfinite(one); });
}

// Each by itself, for what does not fill a vector and where something is not finite.
template <class Source>
void add_singly(Moments& moments, const Source& source, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const double value = static_cast<double>(source.one(i));
    if (std::isnan(value)) {
      ++moments.nan;
    } else if (std::isinf(value)) {
      ++moments.infinite;
    } else {
      moments.sum += value;
      moments.square += value * value;
      moments.low = std::min(moments.low, value);
      moments.high = std::max(moments.high, value);
      moments.zeros += static_cast<std::uint64_t>(value == 0);
    }
  }
}

template <class Source>
HWY_INLINE void add_run(Moments& moments, const Source& source, std::int64_t begin, std::int64_t end) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  LaneMoments a, b;
  std::int64_t i = begin;
  for (; i + 2 * lanes <= end; i += 2 * lanes) {
    a.add(source.at(i));
    b.add(source.at(i + lanes));
  }
  a.join(b);
  add_singly(moments, source, a.tell(moments) ? i : begin, end);
}

template <class Source>
void add_all(Moments& moments, const Source& source, std::int64_t count) {
  const auto pair = 2 * static_cast<std::int64_t>(hn::Lanes(Floats()));
  moments.count += static_cast<std::uint64_t>(count);
  for (std::int64_t begin = 0; begin < count; begin += kMomentsRun) {
    const std::int64_t end = std::min(count, begin + kMomentsRun);
    if (end - begin < pair) {
      add_singly(moments, source, begin, end);
    } else {
      add_run(moments, source, begin, end);
    }
  }
}

void add_values(Moments& moments, const float* values, std::int64_t count) {
  add_all(moments, OfValues{values}, count);
}
void add_rows(Moments& moments, const float* first, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  if (columns >= kMomentsRun || columns < lanes) {
    for (std::int64_t row = 0; row < rows; ++row) add_values(moments, first + row * stride, columns);
    return;
  }
  constexpr std::int64_t kRowsAhead = 4;
  const std::int64_t whole = columns / lanes * lanes;
  const std::int64_t rows_of_run = kMomentsRun / columns;
  for (std::int64_t begin = 0; begin < rows; begin += rows_of_run) {
    const std::int64_t end = std::min(rows, begin + rows_of_run);
    LaneMoments found;
    for (std::int64_t row = begin; row < end; ++row) {
      // Rows that lie apart are no stream that the processor fetches by itself.
      for (std::int64_t i = 0; i < whole; i += 16) hwy::Prefetch(first + (row + kRowsAhead) * stride + i);
      for (std::int64_t i = 0; i < whole; i += lanes) found.add(hn::LoadU(Floats(), first + row * stride + i));
    }
    moments.count += static_cast<std::uint64_t>((end - begin) * columns);
    const std::int64_t told = found.tell(moments) ? whole : 0;
    for (std::int64_t row = begin; row < end; ++row) add_singly(moments, OfValues{first + row * stride}, told, columns);
  }
}
void add_differences(Moments& moments, const float* a, const float* b, std::int64_t count) {
  add_all(moments, OfDifferences{a, b}, count);
}

// Counts `runs` runs of 64 values that lie `stride` apart into bins from `low` on. Must hold: all of them are finite,
// none is far below or above the bins.
void count_bins(const float* values, std::int64_t runs, std::int64_t stride, float low, float scale,
                std::vector<std::uint32_t>& counts) {
  constexpr std::int64_t kRunLength = 64, kRunsAhead = 4;
  // Neighbours often fall into the same bin, and one count would wait for the other: hence several tables.
  constexpr std::size_t kTables = 4;
  const Floats d;
  const hn::RebindToSigned<Floats> places;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::size_t bins = counts.size();
  const auto last = hn::Set(places, static_cast<std::int32_t>(bins) - 1), first = hn::Zero(places);
  std::vector<std::uint32_t> tables(kTables * bins, 0);
  HWY_ALIGN std::int32_t at[static_cast<std::size_t>(kRunLength)];
  for (std::int64_t run = 0; run < runs; ++run) {
    const float* const from = values + run * stride;
    if (run + kRunsAhead < runs) {
      for (std::int64_t i = 0; i < kRunLength; i += 16) hwy::Prefetch(from + kRunsAhead * stride + i);
    }
    for (std::int64_t i = 0; i < kRunLength; i += lanes) {
      const Lanes place = hn::Mul(hn::Sub(hn::LoadU(d, from + i), hn::Set(d, low)), hn::Set(d, scale));
      hn::Store(hn::Max(first, hn::Min(last, hn::ConvertTo(places, place))), places, at + i);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(kRunLength); i += kTables) {
      for (std::size_t table = 0; table < kTables; ++table)
        ++tables[table * bins + static_cast<std::size_t>(at[i + table])];
    }
  }
  for (std::size_t i = 0; i < tables.size(); ++i) counts[i % bins] += tables[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
