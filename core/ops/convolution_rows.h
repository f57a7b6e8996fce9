#pragma once

#include <cstdint>

// The innermost loops of direct convolutions on floats, in the widest vectors of the processor. Not for callers of ops.
namespace nns::ops {

/// Channels of the result that one pass computes, and items to which rows are rounded up.
inline constexpr std::int64_t kDirectChannels = 8;
inline constexpr std::int64_t kDirectPlaces = 16;

/// Rows of some channels of the result.
struct ConvolvedRow {
  /// The item that the first window reads at tap 0 of the first channel; rows are readable up to kDirectPlaces.
  const float* items = nullptr;
  std::int64_t channel_stride = 0;
  std::int64_t channels = 0;
  /// How much further the items of each tap lie.
  const std::int64_t* taps = nullptr;
  std::int64_t tap_count = 0;
  /// For each channel and tap kDirectChannels weights, those of the channels of the result.
  const float* weights = nullptr;
  /// What each channel of the result begins with (kDirectChannels of them).
  const float* start = nullptr;
  float* out = nullptr;
  std::int64_t out_stride = 0;
  std::int64_t out_channels = 0;
  std::int64_t places = 0;
  /// How many such rows, and how far the next one's items and results lie behind.
  std::int64_t rows = 1;
  std::int64_t row_stride = 0;
  std::int64_t out_row_stride = 0;
};
void convolve_rows(const ConvolvedRow& row);

/// Products of rows of the image with rows of gradients, for some taps and some channels of the result.
struct GradientRows {
  static constexpr std::int64_t kTaps = 4, kChannels = 4;
  const float* items = nullptr;
  std::int64_t item_step = 0;
  const std::int64_t* taps = nullptr;
  std::int64_t tap_count = 0;
  /// Rows behind each other, `places` long (a multiple of kDirectPlaces).
  const float* grads = nullptr;
  std::int64_t grad_channel_stride = 0;
  std::int64_t channel_count = 0;
  std::int64_t rows = 0;
  std::int64_t places = 0;
  /// sums[channel][tap] += the sum over all places of all rows.
  float (*sums)[kTaps] = nullptr;
};
void add_gradient_rows(const GradientRows& rows);

}  // namespace nns::ops
