#pragma once

#include <cstdint>

#include "core/ops/convolution_kernels.h"

// The innermost loops of convolutions that compute as many samples at once as a vector has lanes. Not for callers of
// ops.
namespace nns::ops {

/// Samples that are computed at once. Item i of sample s lies at [i * sample_lanes() + s].
std::int64_t sample_lanes();

/// Rows of a plane of some samples.
struct SampleRows {
  /// At most sample_lanes(); lanes without a sample are 0.
  std::int64_t samples = 0;
  std::int64_t sample_stride = 0;
  std::int64_t rows = 1;
  std::int64_t width = 0;
  std::int64_t row_stride = 0;
  /// Of the rows in lanes. Units: items of one sample.
  std::int64_t lane_row_stride = 0;
};
void spread_samples(const SampleRows& rows, const float* from, float* lanes);
void gather_samples(const SampleRows& rows, const float* lanes, float* to);

/// How many of `left` channels of the result one pass computes.
std::int64_t sample_channels(std::int64_t left);

/// Rows of some channels of the result of one group.
struct SampleConvolution {
  /// Channels of rows: from the first item that a window reads to the last, outside of the image zeros.
  const float* items = nullptr;
  /// Units: numbers.
  std::int64_t channel_stride = 0, row_stride = 0;
  std::int64_t channels = 0;
  WindowDim height, width;
  /// For each channel, row and column of the kernel `block` weights, those of the channels of the result.
  const float* weights = nullptr;
  const float* start = nullptr;
  /// As sample_channels() gave it.
  std::int64_t block = 0;
  std::int64_t first_row = 0, rows = 0;
  /// In lanes; row first_row of the first channel. Units of the stride: numbers.
  float* out = nullptr;
  std::int64_t out_channel_stride = 0;
};
void convolve_samples(const SampleConvolution& convolution);

/// The gradient of the weight of one group, from the same samples.
struct SampleProducts {
  const float* items = nullptr;
  std::int64_t channel_stride = 0, row_stride = 0;
  std::int64_t channels = 0;
  WindowDim height, width;
  /// In lanes, channel after channel.
  const float* grads = nullptr;
  std::int64_t out_channels = 0;
  /// sums[out_channel][channel][tap] += in lanes.
  float* sums = nullptr;
};
void add_sample_products(const SampleProducts& products);

/// to[i] += the sum of the lanes of from[i], for `count` items.
void add_lanes(const float* from, std::int64_t count, float* to);

}  // namespace nns::ops
