// The loops of pool_rows.h in the vectors of one processor. pool_rows.cpp includes this once for each kind of
// processor, hence no guard.
#include <hwy/highway.h>

#include <algorithm>

#include "core/ops/pool_rows.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many windows as `d` has lanes; the first begins at `top`, which is item `place` of the plane.
template <class D>
HWY_INLINE void max_of_windows(D d, const float* top, std::int64_t width, std::int64_t place, float* out,
                               std::int64_t* places) {
  const hn::RebindToSigned<D> numbers;
  const auto lanes = hn::Lanes(d);
  const auto a = hn::LoadU(d, top), b = hn::LoadU(d, top + lanes);
  const auto c = hn::LoadU(d, top + width), e = hn::LoadU(d, top + width + lanes);
  auto largest = hn::ConcatEven(d, b, a);
  const auto first = hn::Iota(numbers, 0);
  auto found = hn::Add(hn::Add(first, first), hn::Set(numbers, static_cast<std::int32_t>(place)));
  const auto start = found;
  const auto compare = [&](auto items, std::int64_t further) {
    const auto is_larger = hn::Or(hn::Gt(items, largest), hn::Not(hn::Eq(items, items)));
    largest = hn::IfThenElse(is_larger, items, largest);
    found = hn::IfThenElse(hn::RebindMask(numbers, is_larger),
                           hn::Add(start, hn::Set(numbers, static_cast<std::int32_t>(further))), found);
  };
  compare(hn::ConcatOdd(d, b, a), 1);
  compare(hn::ConcatEven(d, e, c), width);
  compare(hn::ConcatOdd(d, e, c), width + 1);
  hn::StoreU(largest, d, out);
  // Places have 64 bits.
  HWY_ALIGN std::int32_t narrow[HWY_MAX_BYTES / sizeof(std::int32_t)];
  hn::Store(found, numbers, narrow);
  for (std::size_t i = 0; i < lanes; ++i) places[i] = narrow[i];
}

template <class D>
HWY_INLINE void max_of_rows(D d, const PooledPlane& plane) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const std::int64_t place = 2 * row * plane.in_width;
    for (std::int64_t x = 0; x < plane.columns; x += lanes) {
      // The last windows begin so far back that they end with the row.
      const std::int64_t at = std::min(x, plane.columns - lanes);
      max_of_windows(d, plane.in + place + 2 * at, plane.in_width, place + 2 * at, plane.out + row * plane.columns + at,
                     plane.places + row * plane.columns + at);
    }
  }
}

inline void max_of_two_by_two_here(const PooledPlane& plane) {
  const hn::CappedTag<float, 8> eight;
  const hn::CappedTag<float, 4> four;
  if (plane.columns >= static_cast<std::int64_t>(hn::Lanes(eight))) return max_of_rows(eight, plane);
  if (plane.columns >= static_cast<std::int64_t>(hn::Lanes(four))) return max_of_rows(four, plane);
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    for (std::int64_t x = 0; x < plane.columns; ++x) {
      const std::int64_t place = 2 * (row * plane.in_width + x);
      std::int64_t found = place;
      for (const std::int64_t other : {place + 1, place + plane.in_width, place + plane.in_width + 1}) {
        if (plane.in[other] > plane.in[found] || plane.in[other] != plane.in[other]) found = other;
      }
      plane.out[row * plane.columns + x] = plane.in[found];
      plane.places[row * plane.columns + x] = found;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
