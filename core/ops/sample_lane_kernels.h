// The loops of sample_lanes.h in the vectors of one processor. sample_lanes.cpp includes this once for each kind of
// processor, hence no guard.
#include <hwy/highway.h>

#include <algorithm>

#include "core/ops/sample_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using SampleFloats = hn::CappedTag<float, 16>;
using SampleVector = hn::Vec<SampleFloats>;

HWY_INLINE std::int64_t lanes_of_samples() { return static_cast<std::int64_t>(hn::Lanes(SampleFloats())); }
inline std::int64_t sample_lanes_here() { return lanes_of_samples(); }

// Whether a product with a sum is one instruction: then sums may fill all registers but a few.
constexpr bool kSamplesFuse = HWY_TARGET <= HWY_AVX2;

// Channels of the result that one pass computes: with as many places their sums fill the registers.
constexpr std::int64_t kMostSampleChannels = HWY_TARGET == HWY_AVX3 ? 8 : kSamplesFuse ? 6 : 4;
inline std::int64_t sample_channels_here(std::int64_t left) {
  for (const std::int64_t block : {8, 6, 4, 2}) {
    if (block <= left && block <= kMostSampleChannels) return block;
  }
  return 1;
}

// ---------------------------------------------------------------- into lanes and back

// Four items of each of as many lines as `d` has lanes: block b of what this gives is from line 4 b on.
template <class D>
HWY_INLINE hn::Vec<D> load_fours(D d, const float* from, std::int64_t line_stride) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto lines = static_cast<std::int64_t>(hn::Lanes(half));
    return hn::Combine(d, load_fours(half, from + lines * line_stride, line_stride),
                       load_fours(half, from, line_stride));
  }
}
template <class D>
HWY_INLINE void store_fours(D d, hn::Vec<D> fours, float* to, std::int64_t line_stride) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    hn::StoreU(fours, d, to);
  } else {
    const hn::Half<D> half;
    const auto lines = static_cast<std::int64_t>(hn::Lanes(half));
    store_fours(half, hn::LowerHalf(half, fours), to, line_stride);
    store_fours(half, hn::UpperHalf(half, fours), to + lines * line_stride, line_stride);
  }
}
// Exchanges rows and columns of the squares of four by four that lie in the blocks of four vectors.
HWY_INLINE void turn_squares(SampleVector (&rows)[4]) {
  const SampleFloats d;
  const hn::Repartition<std::uint64_t, SampleFloats> pairs;
  const auto low_01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto high_01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto low_23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high_23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  rows[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low_01, low_23));
  rows[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low_01, low_23));
  rows[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high_01, high_23));
  rows[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high_01, high_23));
}

inline void spread_samples_here(const SampleRows& rows, const float* from, float* lanes) {
  const SampleFloats d;
  const std::int64_t count = lanes_of_samples();
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* const source = from + row * rows.row_stride;
    float* const target = lanes + row * rows.lane_row_stride * count;
    if (rows.samples == count && rows.width >= 4) {
      // The last four items begin so far back that they end with the row.
      for (std::int64_t x = 0; x < rows.width; x += 4) {
        const std::int64_t at = std::min(x, rows.width - 4);
        SampleVector fours[4];
        for (std::int64_t k = 0; k < 4; ++k)
          fours[k] = load_fours(d, source + k * rows.sample_stride + at, rows.sample_stride);
        turn_squares(fours);
        for (std::int64_t k = 0; k < 4; ++k) hn::Store(fours[k], d, target + (at + k) * count);
      }
      continue;
    }
    for (std::int64_t x = 0; x < rows.width; ++x) {
      for (std::int64_t lane = 0; lane < count; ++lane)
        target[x * count + lane] = lane < rows.samples ? source[lane * rows.sample_stride + x] : 0.0F;
    }
  }
}

inline void gather_samples_here(const SampleRows& rows, const float* lanes, float* to) {
  const SampleFloats d;
  const std::int64_t count = lanes_of_samples();
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* const source = lanes + row * rows.lane_row_stride * count;
    float* const target = to + row * rows.row_stride;
    if (rows.samples == count && rows.width >= 4) {
      for (std::int64_t x = 0; x < rows.width; x += 4) {
        const std::int64_t at = std::min(x, rows.width - 4);
        SampleVector fours[4];
        for (std::int64_t k = 0; k < 4; ++k) fours[k] = hn::Load(d, source + (at + k) * count);
        turn_squares(fours);
        for (std::int64_t k = 0; k < 4; ++k)
          store_fours(d, fours[k], target + k * rows.sample_stride + at, rows.sample_stride);
      }
      continue;
    }
    for (std::int64_t lane = 0; lane < rows.samples; ++lane) {
      for (std::int64_t x = 0; x < rows.width; ++x) target[lane * rows.sample_stride + x] = source[x * count + lane];
    }
  }
}

// ---------------------------------------------------------------- convolution

// The taps [first, last) of a window that lie inside for any of the places [from, to).
struct TapRange {
  std::int64_t first, last;
};
HWY_INLINE TapRange taps_inside(const WindowDim& dim, std::int64_t from, std::int64_t to) {
  TapRange range{0, dim.kernel};
  while (range.first < range.last && dim.place(to - 1, range.first) < 0) ++range.first;
  while (range.first < range.last && dim.place(from, range.last - 1) >= dim.in) --range.last;
  return range;
}

// kPlaces neighbouring places of a row, for kChannels channels of the result.
template <int kChannels, int kPlaces>
HWY_INLINE void convolve_sample_places(const SampleConvolution& c, std::int64_t y, TapRange rows, std::int64_t x) {
  const SampleFloats d;
  const std::int64_t lanes = lanes_of_samples();
  const WindowDim &height = c.height, &width = c.width;
  const TapRange columns = taps_inside(width, x, x + kPlaces);
  SampleVector sums[static_cast<std::size_t>(kChannels)][static_cast<std::size_t>(kPlaces)];
#pragma GCC unroll 8
  for (int k = 0; k < kChannels; ++k) {
#pragma GCC unroll 8
    for (int p = 0; p < kPlaces; ++p) sums[k][p] = hn::Set(d, c.start[k]);
  }
  const std::int64_t place_step = width.stride * lanes, tap_step = width.dilation * lanes;
  for (std::int64_t channel = 0; channel < c.channels; ++channel) {
    for (std::int64_t row = rows.first; row < rows.last; ++row) {
      const float* items = c.items + channel * c.channel_stride + height.place(y, row) * c.row_stride + x * place_step +
                           columns.first * tap_step;
      const float* weights = c.weights + ((channel * height.kernel + row) * width.kernel + columns.first) * kChannels;
      for (std::int64_t column = columns.first; column < columns.last; ++column) {
        SampleVector line[static_cast<std::size_t>(kPlaces)];
#pragma GCC unroll 8
        for (int p = 0; p < kPlaces; ++p) line[p] = hn::Load(d, items + p * place_step);
#pragma GCC unroll 8
        for (int k = 0; k < kChannels; ++k) {
          const SampleVector weight = hn::Set(d, weights[k]);
#pragma GCC unroll 8
          for (int p = 0; p < kPlaces; ++p) sums[k][p] = hn::MulAdd(weight, line[p], sums[k][p]);
        }
        items += tap_step;
        weights += kChannels;
      }
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < kChannels; ++k) {
#pragma GCC unroll 8
    for (int p = 0; p < kPlaces; ++p) {
      hn::Store(sums[k][p], d, c.out + k * c.out_channel_stride + ((y - c.first_row) * width.out + x + p) * lanes);
    }
  }
}

template <int kChannels>
HWY_INLINE void convolve_sample_block(const SampleConvolution& c) {
  // Eight sums hide how long one takes; those of six channels at two places are as many as sixteen registers hold.
  constexpr bool kHas32 = HWY_TARGET == HWY_AVX3;
  constexpr int kPlaces = kChannels == 8                   ? 3
                          : kHas32                         ? 4
                          : kSamplesFuse && kChannels == 6 ? 2
                          : kSamplesFuse && kChannels <= 2 ? 8 / kChannels
                                                           : 3;
  for (std::int64_t y = c.first_row; y < c.first_row + c.rows; ++y) {
    const TapRange rows = taps_inside(c.height, y, y + 1);
    std::int64_t x = 0;
    for (; x + kPlaces <= c.width.out; x += kPlaces) convolve_sample_places<kChannels, kPlaces>(c, y, rows, x);
    for (; x + 4 <= c.width.out && kPlaces > 4; x += 4) convolve_sample_places<kChannels, 4>(c, y, rows, x);
    for (; x + 2 <= c.width.out; x += 2) convolve_sample_places<kChannels, 2>(c, y, rows, x);
    if (x < c.width.out) convolve_sample_places<kChannels, 1>(c, y, rows, x);
  }
}

inline void convolve_samples_here(const SampleConvolution& convolution) {
  if constexpr (kMostSampleChannels >= 8) {
    if (convolution.block == 8) return convolve_sample_block<8>(convolution);
  }
  if constexpr (kMostSampleChannels >= 6) {
    if (convolution.block == 6) return convolve_sample_block<6>(convolution);
  }
  if (convolution.block == 4) return convolve_sample_block<4>(convolution);
  if (convolution.block == 2) return convolve_sample_block<2>(convolution);
  convolve_sample_block<1>(convolution);
}

// ---------------------------------------------------------------- the gradient of the weight

// kTaps neighbouring taps of one row of the kernel, for kChannels channels of the result.
template <int kChannels, int kTaps>
HWY_INLINE void add_products_of_taps(const SampleProducts& s, std::int64_t out, std::int64_t channel, std::int64_t row,
                                     std::int64_t column) {
  const SampleFloats d;
  const std::int64_t lanes = lanes_of_samples();
  const WindowDim &height = s.height, &width = s.width;
  const std::int64_t inner = s.channels * height.kernel * width.kernel;
  const std::int64_t plane = height.out * width.out * lanes;
  float* const sums_at = s.sums + (out * inner + (channel * height.kernel + row) * width.kernel + column) * lanes;
  SampleVector sums[static_cast<std::size_t>(kChannels)][static_cast<std::size_t>(kTaps)];
#pragma GCC unroll 8
  for (int k = 0; k < kChannels; ++k) {
#pragma GCC unroll 5
    for (int t = 0; t < kTaps; ++t) sums[k][t] = hn::Load(d, sums_at + (k * inner + t) * lanes);
  }
  const std::int64_t place_step = width.stride * lanes, tap_step = width.dilation * lanes;
  for (std::int64_t y = 0; y < height.out; ++y) {
    const std::int64_t place = height.place(y, row);
    if (place < 0 || place >= height.in) continue;
    const float* items = s.items + channel * s.channel_stride + place * s.row_stride + column * tap_step;
    const float* grads = s.grads + out * plane + y * width.out * lanes;
    for (std::int64_t x = 0; x < width.out; ++x) {
      SampleVector line[static_cast<std::size_t>(kTaps)];
#pragma GCC unroll 5
      for (int t = 0; t < kTaps; ++t) line[t] = hn::Load(d, items + t * tap_step);
#pragma GCC unroll 8
      for (int k = 0; k < kChannels; ++k) {
        const SampleVector grad = hn::Load(d, grads + k * plane);
#pragma GCC unroll 5
        for (int t = 0; t < kTaps; ++t) sums[k][t] = hn::MulAdd(grad, line[t], sums[k][t]);
      }
      items += place_step;
      grads += lanes;
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < kChannels; ++k) {
#pragma GCC unroll 5
    for (int t = 0; t < kTaps; ++t) hn::Store(sums[k][t], d, sums_at + (k * inner + t) * lanes);
  }
}

template <int kTaps>
constexpr int channels_with_taps() {
  if constexpr (HWY_TARGET == HWY_AVX3) return 4;
  if constexpr (!kSamplesFuse) return kTaps == 3 ? 3 : 4;
  return kTaps == 5 ? 2 : kTaps == 1 ? 8 : 4;
}

template <int kChannels, int kTaps>
HWY_INLINE void add_products_of_channels(const SampleProducts& s, std::int64_t out, std::int64_t column) {
  for (std::int64_t channel = 0; channel < s.channels; ++channel) {
    for (std::int64_t row = 0; row < s.height.kernel; ++row)
      add_products_of_taps<kChannels, kTaps>(s, out, channel, row, column);
  }
}

// kTaps neighbouring columns of the kernel, for all channels.
template <int kTaps>
HWY_INLINE void add_products_of_columns(const SampleProducts& s, std::int64_t column) {
  constexpr int kChannels = channels_with_taps<kTaps>();
  std::int64_t out = 0;
  for (; out + kChannels <= s.out_channels; out += kChannels)
    add_products_of_channels<kChannels, kTaps>(s, out, column);
  if constexpr (kChannels > 4) {
    for (; out + 4 <= s.out_channels; out += 4) add_products_of_channels<4, kTaps>(s, out, column);
  }
  for (; out + 2 <= s.out_channels; out += 2) add_products_of_channels<2, kTaps>(s, out, column);
  if (out < s.out_channels) add_products_of_channels<1, kTaps>(s, out, column);
}

inline void add_sample_products_here(const SampleProducts& products) {
  constexpr std::int64_t kMost = kSamplesFuse ? 5 : 3;
  for (std::int64_t column = 0; column < products.width.kernel;) {
    // One column alone is the slowest: better two and two, or three and three.
    const std::int64_t left = products.width.kernel - column;
    std::int64_t taps = std::min(left, kMost);
    if (left == kMost + 1) taps = kMost == 5 ? 3 : 2;
    if (taps == 4) taps = 2;
    if (kMost == 5 && taps == 5) {
      add_products_of_columns<kMost>(products, column);
    } else if (taps == 3) {
      add_products_of_columns<3>(products, column);
    } else if (taps == 2) {
      add_products_of_columns<2>(products, column);
    } else {
      add_products_of_columns<1>(products, column);
    }
    column += taps;
  }
}

inline void add_lanes_here(const float* from, std::int64_t count, float* to) {
  const SampleFloats d;
  for (std::int64_t i = 0; i < count; ++i)
    to[i] += hn::GetLane(hn::SumOfLanes(d, hn::Load(d, from + i * lanes_of_samples())));
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
