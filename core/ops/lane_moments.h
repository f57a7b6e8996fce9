// Moments in the vectors of one processor, for kernels that have numbers at hand anyway. They include it once for each
// kind of processor, hence no guard.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/float_lanes.h"
#include "core/ops/moments.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Floats that are added up before they go to a double: few enough for the rounding of 64 lanes.
constexpr std::int64_t kMomentsRun = 2048;

// The moments of a run, lane by lane.
struct LaneMoments {
  Lanes sum, square, low, high;
  hn::VFromD<hn::RebindToSigned<Floats>> zeros;

  // GCC compiles a constructor that it makes itself for the processor of the rest of the program.
  HWY_INLINE LaneMoments()
      : sum(hn::Zero(Floats())),
        square(sum),
        low(hn::Set(Floats(), std::numeric_limits<float>::infinity())),
        high(hn::Neg(low)),
        zeros(hn::Zero(hn::RebindToSigned<Floats>())) {}
  HWY_INLINE void add(Lanes values) {
    const Floats d;
    sum = hn::Add(sum, values);
    square = hn::MulAdd(values, values, square);
    low = hn::Min(low, values);
    high = hn::Max(high, values);
    // A mask is -1 where it holds.
    zeros = hn::Add(zeros, hn::BitCast(hn::RebindToSigned<Floats>(), hn::VecFromMask(d, hn::Eq(values, hn::Zero(d)))));
  }
  HWY_INLINE void join(const LaneMoments& more) {
    sum = hn::Add(sum, more.sum);
    square = hn::Add(square, more.square);
    low = hn::Min(low, more.low);
    high = hn::Max(high, more.high);
    zeros = hn::Add(zeros, more.zeros);
  }
  /// Whether all that was added is finite: only then it is told.
  HWY_INLINE bool tell(Moments& moments) const {
    const Floats d;
    const double squares = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, square)));
    if (!std::isfinite(squares)) [[unlikely]]
      return false;
    moments.sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
    moments.square += squares;
    moments.low = std::min(moments.low, static_cast<double>(hn::GetLane(hn::MinOfLanes(d, low))));
    moments.high = std::max(moments.high, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, high))));
    const auto counted = hn::GetLane(hn::SumOfLanes(hn::RebindToSigned<Floats>(), zeros));
    moments.zeros += static_cast<std::uint64_t>(-static_cast<std::int64_t>(counted));
    return true;
  }
};

// Finite or not: a float that is not has all bits of the exponent, and one more carries into the sign's place.
struct FiniteLanes {
  using Bits = hn::RebindToUnsigned<Floats>;
  hn::VFromD<Bits> carried;

  HWY_INLINE FiniteLanes() : carried(hn::Zero(Bits())) {}
  HWY_INLINE void add(Lanes values) {
    const auto size = hn::BitCast(Bits(), hn::Abs(values));
    carried = hn::Or(carried, hn::Add(size, hn::Set(Bits(), 0x00800000U)));
  }
  HWY_INLINE bool all() const {
    const auto sign = hn::Set(Bits(), 0x80000000U);
    return hn::AllFalse(Bits(), hn::Eq(hn::And(carried, sign), sign));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
