#pragma once

#include <algorithm>
#include <vector>

#include "core/ops/convolution_kernels.h"
#include "core/ops/convolution_rows.h"
#include "core/ops/element_kernels.h"

// Convolutions straight from a padded image, without the matrix of all windows: for few channels and wide rows.
// Not for callers of ops.
namespace nns::ops {

/// Channels of the result and places along a row that one tile computes at once.
template <class T>
struct Tile {
  static constexpr std::int64_t kChannels = std::is_same_v<T, float> ? kDirectChannels : 4;
  static constexpr std::int64_t kPlaces = std::is_same_v<T, float> ? kDirectPlaces : 4;
};

/// The sums of one tile, which stay in registers.
template <class T, std::int64_t channels>
struct TileSums {
  T at[static_cast<std::size_t>(channels)][static_cast<std::size_t>(Tile<T>::kPlaces)];
};

constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

/// The channels of one group of one sample with their padding, so that no window looks outside. The items of a row that
/// windows `stride` apart read at one tap lie side by side: a row is stored as `stride` rows, each with every stride-th
/// item.
template <class T>
class PaddedImage {
 public:
  explicit PaddedImage(const ConvolutionShape& shape) : dims_(shape.dims), channels_(shape.in_channels) {
    const WindowDim& width = dims_[2];
    places_ = rounded_up(width.out, Tile<T>::kPlaces);
    phase_ = places_ + (width.kernel - 1) * width.dilation / width.stride;
    row_ = phase_ * width.stride;
    rows_ = height(1);
    channel_ = height(0) * rows_ * row_;
    items_.assign(static_cast<std::size_t>(channels_ * channel_), T());
    for (std::int64_t z = 0; z < dims_[0].kernel; ++z) {
      for (std::int64_t y = 0; y < dims_[1].kernel; ++y) {
        for (std::int64_t x = 0; x < width.kernel; ++x) {
          const std::int64_t along = x * width.dilation;
          taps_.push_back((z * dims_[0].dilation * rows_ + y * dims_[1].dilation) * row_ +
                          along % width.stride * phase_ + along / width.stride);
        }
      }
    }
  }

  /// Takes the channels of another sample.
  void load(const T* in) {
    const WindowDim& width = dims_[2];
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      for (std::int64_t z = 0; z < height(0); ++z) {
        const std::int64_t from_z = z - dims_[0].padding;
        if (from_z < 0 || from_z >= dims_[0].in) continue;
        for (std::int64_t y = 0; y < rows_; ++y) {
          const std::int64_t from_y = y - dims_[1].padding;
          if (from_y < 0 || from_y >= dims_[1].in) continue;
          const T* const source = in + ((channel * dims_[0].in + from_z) * dims_[1].in + from_y) * width.in;
          load_row(source, items_.data() + channel * channel_ + (z * rows_ + y) * row_);
        }
      }
    }
  }

  /// The items that windows at place (z, y, 0), (z, y, 1), ... read at tap 0 of a channel.
  const T* row(std::int64_t channel, std::int64_t z, std::int64_t y) const {
    return items_.data() + channel * channel_ + (z * dims_[0].stride * rows_ + y * dims_[1].stride) * row_;
  }
  std::int64_t channel_stride() const { return channel_; }
  /// How much further the items of each tap lie.
  const std::vector<std::int64_t>& taps() const { return taps_; }
  /// The places of a row, rounded up to whole tiles.
  std::int64_t places() const { return places_; }

 private:
  std::int64_t height(std::size_t dim) const {
    return (dims_[dim].out - 1) * dims_[dim].stride + (dims_[dim].kernel - 1) * dims_[dim].dilation + 1;
  }
  void load_row(const T* source, T* target) const {
    const WindowDim& width = dims_[2];
    for (std::int64_t phase = 0; phase < width.stride; ++phase) {
      // Item q of the phase is item q * stride + phase - padding of the row.
      const std::int64_t shift = phase - width.padding;
      const std::int64_t first = shift >= 0 ? 0 : (-shift + width.stride - 1) / width.stride;
      const std::int64_t after = width.in <= shift ? 0 : (width.in - shift + width.stride - 1) / width.stride;
      const std::int64_t last = std::min(after, phase_);
      T* const to = target + phase * phase_;
      for (std::int64_t q = first; q < last; ++q) to[q] = source[q * width.stride + shift];
    }
  }

  std::array<WindowDim, 3> dims_;
  std::int64_t channels_;
  std::int64_t places_ = 0, phase_ = 0, row_ = 0, rows_ = 0, channel_ = 0;
  std::vector<T> items_;
  std::vector<std::int64_t> taps_;
};

/// correlate() of one group: `weight` (out_channels, in_channels, taps).
template <class T>
class DirectConvolution {
 public:
  DirectConvolution(const ConvolutionShape& shape, const T* weight) : shape_(shape), image_(shape) {
    // By blocks of channels of the result: for each channel and tap the weights of the block side by side.
    const std::int64_t inner = shape.in_channels * shape.taps();
    packed_.assign(static_cast<std::size_t>(rounded_up(shape.out_channels, kChannels) * inner), T());
    for (std::int64_t out = 0; out < shape.out_channels; ++out) {
      T* const block = packed_.data() + out / kChannels * kChannels * inner + out % kChannels;
      for (std::int64_t i = 0; i < inner; ++i) block[i * kChannels] = weight[out * inner + i];
    }
  }

  void run(const T* in, const T* bias, T* out) {
    image_.load(in);
    for (std::int64_t first = 0; first < shape_.out_channels; first += kChannels) {
      if (shape_.out_channels - first == 1 && !std::is_same_v<T, float>) {
        run_channel(first, bias, out);
      } else {
        run_block(first, bias, out);
      }
    }
  }

 private:
  static constexpr std::int64_t kChannels = Tile<T>::kChannels;
  static constexpr std::int64_t kPlaces = Tile<T>::kPlaces;

  // Calls use(first place of a row, where the row goes) for all rows of a channel of the result.
  template <class Use>
  void for_each_row(T* plane, Use use) const {
    for (std::int64_t z = 0; z < shape_.dims[0].out; ++z) {
      for (std::int64_t y = 0; y < shape_.dims[1].out; ++y) {
        use(image_.row(0, z, y), plane + (z * shape_.dims[1].out + y) * shape_.dims[2].out);
      }
    }
  }

  // Several channels at once: each item is read for all of them.
  void run_block(std::int64_t first, const T* bias, T* out) const {
    const std::int64_t count = std::min(kChannels, shape_.out_channels - first);
    const std::int64_t width = shape_.dims[2].out;
    const T* const weights = packed_.data() + first * shape_.in_channels * shape_.taps();
    T start[static_cast<std::size_t>(kChannels)] = {};
    for (std::int64_t c = 0; bias != nullptr && c < count; ++c) start[c] = bias[first + c];
    if constexpr (std::is_same_v<T, float>) {
      ConvolvedRow rows{nullptr,
                        image_.channel_stride(),
                        shape_.in_channels,
                        image_.taps().data(),
                        shape_.taps(),
                        weights,
                        start,
                        nullptr,
                        shape_.out_plane(),
                        count,
                        width,
                        shape_.dims[1].out};
      rows.row_stride = rows.rows > 1 ? image_.row(0, 0, 1) - image_.row(0, 0, 0) : 0;
      rows.out_row_stride = width;
      for (std::int64_t z = 0; z < shape_.dims[0].out; ++z) {
        rows.items = image_.row(0, z, 0);
        rows.out = out + first * shape_.out_plane() + z * shape_.dims[1].out * width;
        convolve_rows(rows);
      }
      return;
    }
    for_each_row(out + first * shape_.out_plane(), [&](const T* row, T* target) {
      for (std::int64_t x = 0; x < width; x += kPlaces) {
        Sums sums;
        for (std::int64_t c = 0; c < kChannels; ++c) std::fill_n(sums.at[c], kPlaces, start[c]);
        sums = with_windows<1, 0>(row + x, weights, sums);
        const std::int64_t used = std::min(kPlaces, width - x);
        for (std::int64_t c = 0; c < count; ++c) std::copy_n(sums.at[c], used, target + c * shape_.out_plane() + x);
      }
    });
  }

  // One channel: several tiles along the row at once, then single ones.
  void run_channel(std::int64_t channel, const T* bias, T* out) const {
    constexpr std::int64_t kWide = kChannels * kPlaces;
    const std::int64_t width = shape_.dims[2].out;
    const T* const weights = packed_.data() + channel * shape_.in_channels * shape_.taps();
    const T start = bias == nullptr ? T() : bias[channel];
    for_each_row(out + channel * shape_.out_plane(), [&](const T* row, T* target) {
      for (std::int64_t x = 0; x < width;) {
        const bool is_wide = x + kWide <= image_.places();
        Sums sums;
        for (auto& tile : sums.at) std::fill_n(tile, kPlaces, start);
        sums = is_wide ? with_windows<0, kPlaces>(row + x, weights, sums) : with_windows<0, 0>(row + x, weights, sums);
        const std::int64_t step = is_wide ? kWide : kPlaces;
        T made[static_cast<std::size_t>(kWide)];
        for (std::int64_t c = 0; c < kChannels; ++c) std::copy_n(sums.at[c], kPlaces, made + c * kPlaces);
        std::copy_n(made, std::min(step, width - x), target + x);
        x += step;
      }
    });
  }

  using Sums = TileSums<T, kChannels>;
  // Adds all taps of all channels: tile `c` takes weight c * `weight_step` and items c * `place_step` further on.
  template <std::int64_t weight_step, std::int64_t place_step>
  Sums with_windows(const T* at, const T* weights, Sums sums) const {
    for (std::int64_t in = 0; in < shape_.in_channels; ++in, at += image_.channel_stride()) {
      for (const std::int64_t tap : image_.taps()) {
        const T* const items = at + tap;
        for (std::int64_t c = 0; c < kChannels; ++c) {
          for (std::int64_t i = 0; i < kPlaces; ++i) {
            sums.at[c][i] =
                wrapping_add(sums.at[c][i], wrapping_mul(weights[c * weight_step], items[c * place_step + i]));
          }
        }
        weights += kChannels;
      }
    }
    return sums;
  }

  ConvolutionShape shape_;
  PaddedImage<T> image_;
  std::vector<T> packed_;
};

/// correlate_weight() of one group, one sample after another.
template <class T>
class DirectWeightGradient {
 public:
  explicit DirectWeightGradient(const ConvolutionShape& shape)
      : shape_(shape),
        image_(shape),
        rows_(shape.dims[0].out * shape.dims[1].out),
        grads_(static_cast<std::size_t>(rounded_up(shape.out_channels, kChannels) * rows_ * image_.places())) {}

  /// weight += the part of one sample.
  void add(const T* in, const T* out, T* weight) {
    image_.load(in);
    load_grads(out);
    if constexpr (std::is_same_v<T, float>) return add_floats(weight);
    for (std::int64_t first = 0; first < shape_.out_channels; first += kChannels) {
      const std::int64_t count = std::min(kChannels, shape_.out_channels - first);
      for (std::int64_t channel = 0; channel < shape_.in_channels; ++channel) {
        for (std::int64_t tap = 0; tap < shape_.taps(); ++tap) {
          const Sums sums = sums_over_rows(first, channel, image_.taps()[static_cast<std::size_t>(tap)]);
          for (std::int64_t c = 0; c < count; ++c) {
            T& target = weight[((first + c) * shape_.in_channels + channel) * shape_.taps() + tap];
            for (std::int64_t i = 0; i < kPlaces; ++i) target = wrapping_add(target, sums.at[c][i]);
          }
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kChannels = Tile<T>::kChannels;
  static constexpr std::int64_t kPlaces = Tile<T>::kPlaces;

  void add_floats(float* weight) const {
    const std::int64_t per_plane = shape_.dims[1].out, taps = shape_.taps();
    for (std::int64_t first = 0; first < shape_.out_channels; first += GradientRows::kChannels) {
      const std::int64_t count = std::min(GradientRows::kChannels, shape_.out_channels - first);
      for (std::int64_t channel = 0; channel < shape_.in_channels; ++channel) {
        for (std::int64_t tap = 0; tap < taps; tap += GradientRows::kTaps) {
          float sums[GradientRows::kChannels][GradientRows::kTaps] = {};
          GradientRows rows;
          rows.item_step = per_plane > 1 ? image_.row(0, 0, 1) - image_.row(0, 0, 0) : 0;
          rows.taps = image_.taps().data() + tap;
          rows.tap_count = std::min(GradientRows::kTaps, taps - tap);
          rows.grad_channel_stride = rows_ * image_.places();
          rows.channel_count = count;
          rows.rows = per_plane;
          rows.places = image_.places();
          rows.sums = sums;
          for (std::int64_t z = 0; z < shape_.dims[0].out; ++z) {
            rows.items = image_.row(channel, z, 0);
            rows.grads = grads_.data() + (first * rows_ + z * per_plane) * image_.places();
            add_gradient_rows(rows);
          }
          for (std::int64_t c = 0; c < count; ++c) {
            for (std::int64_t t = 0; t < rows.tap_count; ++t)
              weight[((first + c) * shape_.in_channels + channel) * taps + tap + t] += sums[c][t];
          }
        }
      }
    }
  }

  // Rows are rounded up with zeros, which add nothing.
  void load_grads(const T* out) {
    const std::int64_t width = shape_.dims[2].out;
    for (std::int64_t row = 0; row < shape_.out_channels * rows_; ++row) {
      std::copy_n(out + row * width, width, grads_.data() + row * image_.places());
    }
  }

  using Sums = TileSums<T, kChannels>;
  // For each channel of the block, the products at the places of a row modulo the width of a tile.
  Sums sums_over_rows(std::int64_t first, std::int64_t channel, std::int64_t tap) const {
    Sums sums{};
    const std::int64_t places = image_.places();
    for (std::int64_t row = 0; row < rows_; ++row) {
      const T* const items = image_.row(channel, row / shape_.dims[1].out, row % shape_.dims[1].out) + tap;
      const T* const grads = grads_.data() + (first * rows_ + row) * places;
      for (std::int64_t x = 0; x < places; x += kPlaces) {
        for (std::int64_t c = 0; c < kChannels; ++c) {
          for (std::int64_t i = 0; i < kPlaces; ++i)
            sums.at[c][i] = wrapping_add(sums.at[c][i], wrapping_mul(grads[c * rows_ * places + x + i], items[x + i]));
        }
      }
    }
    return sums;
  }

  ConvolutionShape shape_;
  PaddedImage<T> image_;
  std::int64_t rows_;
  std::vector<T> grads_;
};

}  // namespace nns::ops
