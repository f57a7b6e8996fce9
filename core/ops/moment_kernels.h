// Moments of runs of floats in the vectors of one processor. moments.cpp includes this once for each kind of processor,
// hence no guard; only the functions there call it.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "core/ops/moments.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Lanes = hn::Vec<Floats>;

// Floats that are added up before they go to a double: few enough for the rounding of 64 lanes.
constexpr std::int64_t kRun = 2048;

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

// A float that is not finite has all bits of the exponent: one more carries into the sign's place.
bool are_finite(const float* values, std::int64_t count) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const bits = reinterpret_cast<const std::uint32_t*>(values);
  const auto magnitude = hn::Set(d, 0x7FFFFFFFU), one = hn::Set(d, 0x00800000U);
  auto a = hn::Zero(d), b = a;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = hn::Or(a, hn::Add(hn::And(hn::LoadU(d, bits + i), magnitude), one));
    b = hn::Or(b, hn::Add(hn::And(hn::LoadU(d, bits + i + lanes), magnitude), one));
  }
  std::uint32_t all = 0;
  for (; i < count; ++i) all |= (bits[i] & 0x7FFFFFFFU) + 0x00800000U;
  const auto sign = hn::Set(d, 0x80000000U);
  return (all & 0x80000000U) == 0 && hn::AllFalse(d, hn::Eq(hn::And(hn::Or(a, b), sign), sign));
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
  const Floats d;
  const hn::RebindToSigned<Floats> marks;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Lanes none = hn::Zero(d);
  Lanes sum_a = none, sum_b = none, square_a = none, square_b = none;
  Lanes low = source.at(begin), high = low;
  auto zeros = hn::Zero(marks);
  std::int64_t i = begin;
  for (; i + 2 * lanes <= end; i += 2 * lanes) {
    const Lanes a = source.at(i), b = source.at(i + lanes);
    sum_a = hn::Add(sum_a, a);
    sum_b = hn::Add(sum_b, b);
    square_a = hn::MulAdd(a, a, square_a);
    square_b = hn::MulAdd(b, b, square_b);
    low = hn::Min(low, hn::Min(a, b));
    high = hn::Max(high, hn::Max(a, b));
    // A mask is -1 where it holds.
    zeros = hn::Add(zeros, hn::Add(hn::BitCast(marks, hn::VecFromMask(d, hn::Eq(a, none))),
                                   hn::BitCast(marks, hn::VecFromMask(d, hn::Eq(b, none)))));
  }
  const double square = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(square_a, square_b))));
  if (!std::isfinite(square)) [[unlikely]]
    return add_singly(moments, source, begin, end);
  moments.sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(sum_a, sum_b))));
  moments.square += square;
  moments.low = std::min(moments.low, static_cast<double>(hn::GetLane(hn::MinOfLanes(d, low))));
  moments.high = std::max(moments.high, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, high))));
  moments.zeros += static_cast<std::uint64_t>(-static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(marks, zeros))));
  add_singly(moments, source, i, end);
}

template <class Source>
void add_all(Moments& moments, const Source& source, std::int64_t count) {
  const auto pair = 2 * static_cast<std::int64_t>(hn::Lanes(Floats()));
  moments.count += static_cast<std::uint64_t>(count);
  for (std::int64_t begin = 0; begin < count; begin += kRun) {
    const std::int64_t end = std::min(count, begin + kRun);
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
void add_differences(Moments& moments, const float* a, const float* b, std::int64_t count) {
  add_all(moments, OfDifferences{a, b}, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
