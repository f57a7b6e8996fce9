// The loops of convolution_rows.h in the vectors of one processor. convolution_rows.cpp includes this once for each
// kind of processor, hence no guard.
#include <hwy/highway.h>

#include <algorithm>

#include "core/ops/convolution_rows.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: rows are rounded up to as many.
using RowFloats = hn::CappedTag<float, 16>;
using RowLanes = hn::Vec<RowFloats>;

HWY_INLINE std::int64_t row_lanes() { return static_cast<std::int64_t>(hn::Lanes(RowFloats())); }

HWY_INLINE void store_places(RowLanes sum, float* to, std::int64_t count) {
  const RowFloats d;
  if (count >= row_lanes()) {
    hn::StoreU(sum, d, to);
    return;
  }
  HWY_ALIGN float part[16];
  hn::Store(sum, d, part);
  for (std::int64_t i = 0; i < count; ++i) to[i] = part[i];
}

// A vector of places from `first` on and, with two of them, another `items_apart` items and `out_apart` results further
// on, for all channels of the block. `counts`: places of each that are wanted.
template <int kVectors>
HWY_INLINE void convolve_places(const ConvolvedRow& row, const float* first, float* out, std::int64_t items_apart,
                                std::int64_t out_apart, const std::int64_t* counts) {
  const RowFloats d;
  constexpr auto kChannels = static_cast<int>(kDirectChannels);
  RowLanes sums[static_cast<std::size_t>(kChannels)][static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 8
  for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[c][v] = hn::Set(d, row.start[c]);
  }
  const float* weights = row.weights;
  for (std::int64_t channel = 0; channel < row.channels; ++channel) {
    const float* const items = first + channel * row.channel_stride;
    for (std::int64_t tap = 0; tap < row.tap_count; ++tap, weights += kDirectChannels) {
      RowLanes line[static_cast<std::size_t>(kVectors)];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) line[v] = hn::LoadU(d, items + row.taps[tap] + v * items_apart);
#pragma GCC unroll 8
      for (int c = 0; c < kChannels; ++c) {
        const RowLanes weight = hn::Set(d, weights[c]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[c][v] = hn::MulAdd(weight, line[v], sums[c][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kChannels; ++c) {
    if (c < row.out_channels) {
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) store_places(sums[c][v], out + c * row.out_stride + v * out_apart, counts[v]);
    }
  }
}

void convolve_rows_vectors(const ConvolvedRow& row) {
  const std::int64_t lanes = row_lanes();
  std::int64_t y = 0;
  // Narrow rows: two of them at once.
  for (; row.places <= lanes && y + 2 <= row.rows; y += 2) {
    const std::int64_t counts[] = {row.places, row.places};
    convolve_places<2>(row, row.items + y * row.row_stride, row.out + y * row.out_row_stride, row.row_stride,
                       row.out_row_stride, counts);
  }
  for (; y < row.rows; ++y) {
    const float* const items = row.items + y * row.row_stride;
    float* const out = row.out + y * row.out_row_stride;
    std::int64_t x = 0;
    for (; x + lanes < row.places; x += 2 * lanes) {
      const std::int64_t counts[] = {row.places - x, row.places - x - lanes};
      convolve_places<2>(row, items + x, out + x, lanes, lanes, counts);
    }
    const std::int64_t counts[] = {row.places - x};
    if (x < row.places) convolve_places<1>(row, items + x, out + x, 0, 0, counts);
  }
}

void add_gradient_rows_vectors(const GradientRows& rows) {
  const RowFloats d;
  const std::int64_t lanes = row_lanes();
  constexpr auto kTaps = static_cast<int>(GradientRows::kTaps);
  constexpr auto kChannels = static_cast<int>(GradientRows::kChannels);
  // What is not there is read from the last tap or channel, and forgotten.
  std::int64_t taps[GradientRows::kTaps], channels[GradientRows::kChannels];
  for (std::int64_t t = 0; t < kTaps; ++t) taps[t] = rows.taps[std::min(t, rows.tap_count - 1)];
  for (std::int64_t c = 0; c < kChannels; ++c)
    channels[c] = std::min(c, rows.channel_count - 1) * rows.grad_channel_stride;
  RowLanes sums[static_cast<std::size_t>(kChannels)][static_cast<std::size_t>(kTaps)];
#pragma GCC unroll 4
  for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) sums[c][t] = hn::Zero(d);
  }
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* const items = rows.items + row * rows.item_step;
    const float* const grads = rows.grads + row * rows.places;
    for (std::int64_t x = 0; x < rows.places; x += lanes) {
      RowLanes line[GradientRows::kTaps];
#pragma GCC unroll 4
      for (int t = 0; t < kTaps; ++t) line[t] = hn::LoadU(d, items + taps[t] + x);
#pragma GCC unroll 4
      for (int c = 0; c < kChannels; ++c) {
        const RowLanes grad = hn::LoadU(d, grads + channels[c] + x);
#pragma GCC unroll 4
        for (int t = 0; t < kTaps; ++t) sums[c][t] = hn::MulAdd(grad, line[t], sums[c][t]);
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < kChannels; ++c) {
    if (c >= rows.channel_count) return;
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) {
      if (t < rows.tap_count) rows.sums[c][t] += hn::GetLane(hn::SumOfLanes(d, sums[c][t]));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
