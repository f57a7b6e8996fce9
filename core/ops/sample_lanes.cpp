#define HWY_TARGET_INCLUDE "core/ops/sample_lane_kernels.h"
#include "core/ops/sample_lanes.h"

#include <hwy/foreach_target.h>

#include "core/ops/sample_lane_kernels.h"

namespace nns::ops {
HWY_EXPORT(sample_lanes_here);
HWY_EXPORT(sample_channels_here);
HWY_EXPORT(spread_samples_here);
HWY_EXPORT(gather_samples_here);
HWY_EXPORT(convolve_samples_here);
HWY_EXPORT(add_sample_products_here);
HWY_EXPORT(add_lanes_here);

std::int64_t sample_lanes() { return HWY_DYNAMIC_DISPATCH(sample_lanes_here)(); }
std::int64_t sample_channels(std::int64_t left) { return HWY_DYNAMIC_DISPATCH(sample_channels_here)(left); }
void spread_samples(const SampleRows& rows, const float* from, float* lanes) {
  HWY_DYNAMIC_DISPATCH(spread_samples_here)(rows, from, lanes);
}
void gather_samples(const SampleRows& rows, const float* lanes, float* to) {
  HWY_DYNAMIC_DISPATCH(gather_samples_here)(rows, lanes, to);
}
void convolve_samples(const SampleConvolution& convolution) {
  HWY_DYNAMIC_DISPATCH(convolve_samples_here)(convolution);
}
void add_sample_products(const SampleProducts& products) { HWY_DYNAMIC_DISPATCH(add_sample_products_here)(products); }
void add_lanes(const float* from, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(add_lanes_here)(from, count, to);
}

}  // namespace nns::ops
