// Multiplications with additions that depend on nothing but registers: what the processor can do at most.
// limit_bench.cpp includes this once for each kind of processor, hence no guard.
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace nns::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Gives the number of floating point operations done.
double fma_loop(std::int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  using Lanes = hn::Vec<decltype(d)>;
  // Twelve chains hide the latency and leave registers for the factors.
  constexpr int kChains = 12;
  Lanes sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  const Lanes factor = hn::Set(d, *sink);
  const Lanes addend = hn::Set(d, 1e-7F);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = hn::MulAdd(sums[i], factor, addend);
  }
  Lanes all = sums[0];
  for (int i = 1; i < kChains; ++i) all = hn::Add(all, sums[i]);
  *sink = hn::GetLane(hn::SumOfLanes(d, all)) * 0 + 0.999F;
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::bench
HWY_AFTER_NAMESPACE();
