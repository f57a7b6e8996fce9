#pragma once

#include "core/ops/cuda_kernels.h"

// Normalizations of (batch, channels, inner) on a GPU: batch norm, group norm and RMS norm. Not for callers of ops.
namespace nns::ops {

struct ChannelShape {
  std::int64_t batch = 0, channels = 0, inner = 1;
  constexpr std::int64_t of_channel() const { return batch * inner; }
  constexpr std::int64_t count() const { return batch * channels * inner; }
};

/// Two sums of each channel, over batch and inner, in parts whose number depends on the shape alone.
/// Of items alone: of x - (the channel's first x), and of its square. With gradients: of g, and of g * (x - mean) *
/// rstd.
struct ChannelSumsWork {
  ChannelShape shape;
  DeviceNumbers in, grad;
  /// With gradients. Item number (sample * groups + channel / (channels / groups)); of 0 groups: channel.
  DeviceNumbers mean, rstd;
  std::int64_t groups = 0;
  /// Room for 2 * channels * parts numbers.
  double* sums = nullptr;
  std::uint32_t parts = 1;
  bool in_double = false;
};
/// How channels are shared: one block for 32 of them where their items lie side by side, else for one; and parts.
struct ChannelBlocks {
  bool is_across = false;
  std::uint32_t blocks = 1;
  std::uint32_t parts = 1;
};
constexpr ChannelBlocks channel_blocks(const ChannelShape& shape) {
  ChannelBlocks made;
  made.is_across = shape.inner < 16;
  made.blocks = blocks_for(shape.channels, made.is_across ? 32 : 1);
  // Some 1,000 blocks, each thread with 16 items at least.
  const std::int64_t items = shape.of_channel() / (made.is_across ? 8 * 16 : 256 * 16);
  std::int64_t parts = 1024 / static_cast<std::int64_t>(made.blocks);
  if (parts > items) parts = items;
  made.parts = parts < 1 ? 1 : static_cast<std::uint32_t>(parts);
  return made;
}
void launch_channel_sums(const ChannelSumsWork& work, StreamHandle stream);

// ---------------------------------------------------------------- batch norm

/// Statistics that move towards what was seen.
struct RunningStatistic {
  DeviceNumbers numbers;
  /// Units: bytes.
  std::int64_t stride = 0;
};
struct BatchNormWork {
  ChannelShape shape;
  DeviceNumbers in, weight, bias, out, mean, invstd;
  RunningStatistic running_mean, running_var;
  bool is_training = true;
  double momentum = 0, eps = 0;
  /// Of training.
  const double* sums = nullptr;
  std::uint32_t parts = 1;
  /// Room for 2 * channels numbers: what every item needs.
  double* factors = nullptr;
  bool in_double = false;
};
void launch_batch_norm(const BatchNormWork& work, StreamHandle stream);

struct BatchNormBackwardWork {
  ChannelShape shape;
  DeviceNumbers grad, in, weight, mean, invstd, in_grad, weight_grad, bias_grad;
  bool is_training = true;
  const double* sums = nullptr;
  std::uint32_t parts = 1;
  /// Room for 2 * channels numbers.
  double* factors = nullptr;
  bool in_double = false;
};
/// `invstd` is there already in evaluation, too.
void launch_batch_norm_backward(const BatchNormBackwardWork& work, StreamHandle stream);
/// invstd = 1 / sqrt(var + eps), of running statistics.
void launch_channel_invstd(const DeviceNumbers& var, const DeviceNumbers& invstd, std::int64_t channels, double eps,
                           bool in_double, StreamHandle stream);

// ---------------------------------------------------------------- group norm, RMS norm

/// Rows of `channels` * `inner` items, each normalized by itself. Row r has channels from (r % groups) * channels on.
struct RowNormWork {
  std::int64_t rows = 0, groups = 1, channels = 0, inner = 1;
  /// `mean` none: it is taken for 0, as RMS norm does.
  DeviceNumbers in, weight, bias, out, mean, rstd;
  double eps = 0;
  bool in_double = false;
};
void launch_row_norm(const RowNormWork& work, StreamHandle stream);
/// The gradient of the input: `in` and `grad` to `out`.
void launch_row_norm_backward(const RowNormWork& work, const DeviceNumbers& grad, StreamHandle stream);
/// The gradients of weight and bias (may be none) of what launch_channel_sums() gave.
void launch_channel_gradients(const double* sums, std::uint32_t parts, std::int64_t channels,
                              const DeviceNumbers& weight_grad, const DeviceNumbers& bias_grad, StreamHandle stream);

}  // namespace nns::ops
