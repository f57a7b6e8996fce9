// Floats in the vectors of one processor, for kernels. They include it once for each kind of processor, hence no guard.
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Lanes = hn::Vec<Floats>;
using Mask = hn::Mask<Floats>;

HWY_INLINE std::int64_t lane_count() { return static_cast<std::int64_t>(hn::Lanes(Floats())); }
HWY_INLINE Lanes set(float x) { return hn::Set(Floats(), x); }

// Whether the processor loads and stores parts of vectors without touching what lies behind.
constexpr bool kHasParts = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

// The `count` items at `x` that do not fill a vector, with `rest` behind them.
HWY_INLINE Lanes load_part(const float* x, std::int64_t count, float rest = 0) {
  const Floats d;
  if constexpr (kHasParts) {
    const Mask there = hn::FirstN(d, static_cast<std::size_t>(count));
    return hn::IfThenElse(there, hn::MaskedLoad(there, d, x), set(rest));
  } else {
    HWY_ALIGN float part[HWY_MAX_BYTES / sizeof(float)];
    const std::int64_t lanes = lane_count();
    for (std::int64_t i = 0; i < lanes; ++i) part[i] = i < count ? x[i] : rest;
    return hn::Load(d, part);
  }
}
HWY_INLINE void store_part(Lanes value, float* to, std::int64_t count) {
  const Floats d;
  if constexpr (kHasParts) {
    hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(count)), d, to);
  } else {
    HWY_ALIGN float part[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(value, d, part);
    for (std::int64_t i = 0; i < count; ++i) to[i] = part[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
