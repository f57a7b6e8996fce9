#pragma once

#include "core/ops/convolution_kernels.h"
#include "core/ops/cuda_kernels.h"

// Convolutions on a GPU: the items of all windows as columns of a matrix, whose product with the weight is the result;
// where groups are so small that such a matrix would hold more than is computed, directly. Not for callers of ops.
namespace nns::ops {

/// The items of windows as a matrix: row (channel, tap), column (place of the window).
struct ColumnWork {
  ConvolutionShape shape;
  /// The part of `shape` that is in the matrix. Of channels: of each group.
  std::int64_t first_sample = 0, samples = 0;
  std::int64_t first_place = 0, places = 0;
  std::int64_t first_channel = 0, channels = 0;
  /// The side that windows move over: (batch, groups * in_channels, in...).
  DeviceNumbers in;
  std::byte* columns = nullptr;
  /// Where the items of the matrix lie. Units: items.
  std::int64_t sample_stride = 0, group_stride = 0, row_stride = 0;
  /// Of launch_from_columns(): one number a channel, or none.
  DeviceNumbers bias;
  bool in_double = false;

  constexpr std::int64_t rows() const { return samples * shape.groups * channels * shape.taps(); }
};
/// Must hold: rows() * places < 2^31.
void launch_to_columns(const ColumnWork& work, StreamHandle stream);
/// in = for each item the sum of what lies for it in the matrix, plus the bias. Must hold: all places are there; less
/// than 2^31 items in the part.
void launch_from_columns(const ColumnWork& work, StreamHandle stream);

/// A part of a convolution so large that its columns fit into `most` bytes, but at least one sample's channel.
struct ColumnPart {
  std::int64_t samples = 1;
  /// Places and channels: all of them where there are several samples.
  std::int64_t places = 1, channels = 1;
};
/// Parts of places: those of all channels at once.
constexpr ColumnPart part_of_places(const ConvolutionShape& shape, std::int64_t item_bytes, std::int64_t most) {
  ColumnPart part{1, shape.out_plane(), shape.in_channels};
  const std::int64_t place = shape.groups * shape.in_channels * shape.taps() * item_bytes;
  const std::int64_t fitting = place == 0 ? part.places : most / place;
  if (fitting < part.places) {
    // Rows of the matrix stay aligned.
    part.places = fitting < 64 ? (fitting < 1 ? 1 : fitting) : fitting / 64 * 64;
    return part;
  }
  part.samples = part.places == 0 ? shape.batch : fitting / part.places;
  if (part.samples > shape.batch) part.samples = shape.batch;
  return part;
}
/// Parts of channels: those of all places at once. `most_items`: of a part of `in`.
constexpr ColumnPart part_of_channels(const ConvolutionShape& shape, std::int64_t item_bytes, std::int64_t most,
                                      std::int64_t most_items) {
  ColumnPart part{1, shape.out_plane(), shape.in_channels};
  const std::int64_t channel = shape.groups * shape.taps() * shape.out_plane() * item_bytes;
  const std::int64_t items = shape.groups * shape.in_plane();
  std::int64_t fitting = channel == 0 ? shape.batch * shape.in_channels : most / channel;
  if (items > 0 && most_items / items < fitting) fitting = most_items / items;
  if (fitting < part.channels) {
    part.channels = fitting < 1 ? 1 : fitting;
    return part;
  }
  part.samples = part.channels == 0 ? shape.batch : fitting / part.channels;
  if (part.samples > shape.batch) part.samples = shape.batch;
  return part;
}

/// A convolution without columns. Must hold: less than 2^31 items in each tensor.
struct DirectConvolutionWork {
  ConvolutionShape shape;
  DeviceNumbers in, weight, out, bias;
  bool in_double = false;
};
void launch_correlate(const DirectConvolutionWork& work, StreamHandle stream);
void launch_correlate_adjoint(const DirectConvolutionWork& work, StreamHandle stream);
void launch_correlate_weight(const DirectConvolutionWork& work, StreamHandle stream);
/// Whether groups are too small for products of matrices.
constexpr bool is_direct(const ConvolutionShape& shape) {
  return shape.groups > 1 && shape.in_channels * shape.out_channels <= 16;
}

/// out[sample, channel, place] += bias[channel]. Must hold: less than 2^31 items.
struct ChannelBiasWork {
  /// `out` in order without gaps: (samples, channels, plane).
  DeviceNumbers out, bias;
  std::int64_t samples = 0, channels = 0, plane = 0;
  bool in_double = false;
};
void launch_channel_bias(const ChannelBiasWork& work, StreamHandle stream);

/// out[i] = the sum over `parts` of parts[k * count + i], in order.
struct PartSumWork {
  DeviceNumbers parts, out;
  std::int64_t count = 0, number = 0;
  bool in_double = false;
};
void launch_part_sum(const PartSumWork& work, StreamHandle stream);

}  // namespace nns::ops
