// Sums in the vectors of one processor. reduction.cpp includes this once for each kind of processor, hence no guard.
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace nns::parallel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline void sum_floats(const float* left, const float* right, float* out, std::size_t count) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto a = hn::Add(hn::LoadU(tag, left + i), hn::LoadU(tag, right + i));
    const auto b = hn::Add(hn::LoadU(tag, left + i + lanes), hn::LoadU(tag, right + i + lanes));
    const auto c = hn::Add(hn::LoadU(tag, left + i + 2 * lanes), hn::LoadU(tag, right + i + 2 * lanes));
    const auto d = hn::Add(hn::LoadU(tag, left + i + 3 * lanes), hn::LoadU(tag, right + i + 3 * lanes));
    hn::StoreU(a, tag, out + i);
    hn::StoreU(b, tag, out + i + lanes);
    hn::StoreU(c, tag, out + i + 2 * lanes);
    hn::StoreU(d, tag, out + i + 3 * lanes);
  }
  for (; i < count; ++i) out[i] = left[i] + right[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::parallel
HWY_AFTER_NAMESPACE();
