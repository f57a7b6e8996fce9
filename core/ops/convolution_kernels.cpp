#include "core/ops/convolution_kernels.h"

#include <algorithm>
#include <optional>

#include "core/ops/batched_convolution.h"
#include "core/ops/direct_convolution.h"
#include "core/ops/gemm.h"

namespace nns::ops {
namespace {

// Bytes of the part of the window matrix that is made at once: it stays in the second cache.
constexpr std::int64_t kWindowBytes = 256 * 1024;
constexpr std::int64_t kLeastPlaces = 64;

// A place of the window, counted through.
struct Place {
  std::int64_t z, y, x;
};
Place place_of(const ConvolutionShape& shape, std::int64_t at) {
  const std::int64_t width = shape.dims[2].out;
  const std::int64_t height = shape.dims[1].out;
  return {at / (width * height), at / width % height, at % width};
}

// The matrix of windows: a row for each channel and tap, a column for each place. It is made some columns at a time.
template <class T>
class WindowMatrix {
 public:
  explicit WindowMatrix(const ConvolutionShape& shape) : shape_(shape), rows_(shape.in_channels * shape.taps()) {
    const std::int64_t fitting = kWindowBytes / std::max<std::int64_t>(rows_ * static_cast<std::int64_t>(sizeof(T)), 1);
    step_ = std::min(std::max(fitting, kLeastPlaces), std::max<std::int64_t>(shape.out_plane(), 1));
    if (!is_image()) items_.resize(static_cast<std::size_t>(rows_ * step_));
  }

  std::int64_t rows() const { return rows_; }
  /// Columns that are made at once.
  std::int64_t step() const { return step_; }

  /// Columns [first, first + count) of the windows of `in`.
  MatrixView<const T> gather(const T* in, std::int64_t first, std::int64_t count) {
    if (is_image()) return {in + first, rows_, count, shape_.in_plane(), 1};
    for_each_run(in, first, count, [&](std::int64_t row, std::int64_t column, const T* source, Run run) {
      T* const target = items_.data() + row * count + column;
      std::fill_n(target, run.before, T());
      for (std::int64_t i = 0; i < run.count; ++i) target[run.before + i] = source[run.from + i * run.stride];
      std::fill_n(target + run.before + run.count, run.after, T());
    });
    return matrix_of(const_cast<const T*>(items_.data()), rows_, count);
  }

  /// Room for columns that scatter() adds.
  MatrixView<T> columns(std::int64_t count) {
    items_.resize(static_cast<std::size_t>(rows_ * step_));
    return matrix_of(items_.data(), rows_, count);
  }
  /// Adds columns [first, first + count) to the items of `in` that they came from.
  void scatter(T* in, std::int64_t first, std::int64_t count) {
    for_each_run(in, first, count, [&](std::int64_t row, std::int64_t column, T* target, Run run) {
      const T* const source = items_.data() + row * count + column + run.before;
      for (std::int64_t i = 0; i < run.count; ++i) {
        T& item = target[run.from + i * run.stride];
        item = wrapping_add(item, source[i]);
      }
    });
  }

 private:
  // Neighbouring places of a row at one tap: so many outside, so many inside (from item `from` of the image on), so
  // many outside again.
  struct Run {
    std::int64_t before, count, after, from, stride;
  };

  // Whether the image itself is the matrix.
  bool is_image() const {
    for (const WindowDim& dim : shape_.dims) {
      if (dim.kernel != 1 || dim.stride != 1 || dim.padding != 0 || dim.in != dim.out) return false;
    }
    return true;
  }

  // Calls use(row, column, channel, run) for all runs.
  template <class Item, class Use>
  void for_each_run(Item* in, std::int64_t first, std::int64_t count, Use use) const {
    const auto& [depth, height, width] = shape_.dims;
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::int64_t tap = row % shape_.taps();
      Item* const channel = in + row / shape_.taps() * shape_.in_plane();
      const std::int64_t tap_x = tap % width.kernel;
      const std::int64_t tap_y = tap / width.kernel % height.kernel;
      const std::int64_t tap_z = tap / width.kernel / height.kernel;
      for (std::int64_t column = 0; column < count;) {
        const Place at = place_of(shape_, first + column);
        const std::int64_t length = std::min(width.out - at.x, count - column);
        const std::int64_t z = depth.place(at.z, tap_z);
        const std::int64_t y = height.place(at.y, tap_y);
        if (z < 0 || z >= depth.in || y < 0 || y >= height.in) {
          use(row, column, channel, Run{length, 0, 0, 0, 1});
        } else {
          const std::int64_t x = width.place(at.x, tap_x);
          const std::int64_t before = x >= 0 ? 0 : std::min((-x + width.stride - 1) / width.stride, length);
          const std::int64_t inside = x >= width.in ? 0 : (width.in - x + width.stride - 1) / width.stride;
          const std::int64_t end = std::max(before, std::min(inside, length));
          use(row, column, channel,
              Run{before, end - before, length - end, (z * height.in + y) * width.in + x + before * width.stride,
                  width.stride});
        }
        column += length;
      }
    }
  }

  ConvolutionShape shape_;
  std::int64_t rows_;
  std::int64_t step_ = 1;
  std::vector<T> items_;
};

// Few channels to make, which leave most of a product's tile empty; rows that fill at least half of theirs; and windows
// so small that those of a row stay in the second cache.
template <class T>
bool is_direct(const ConvolutionShape& shape) {
  constexpr std::int64_t kChannelsOfAProduct = std::is_same_v<T, float> ? 33 : 16;
  constexpr std::int64_t kMostItems = 1024;
  const std::int64_t width = shape.dims[2].out;
  return shape.out_channels < kChannelsOfAProduct && shape.in_channels * shape.taps() <= kMostItems &&
         2 * width >= rounded_up(width, Tile<T>::kPlaces);
}

// Calls use(group, sample) for all of them; what is made for a group comes before its samples.
template <class Prepare>
void for_each_group(const ConvolutionShape& shape, Prepare prepare) {
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    auto use = prepare(group);
    for (std::int64_t sample = 0; sample < shape.batch; ++sample) use(sample * shape.groups + group);
  }
}

// Where the adjoint is itself a convolution: one step at a time, windows turned around.
template <class T>
void correlate_turned(const ConvolutionShape& shape, const T* out, const T* weight, const T* bias, T* in) {
  ConvolutionShape turned = shape;
  std::swap(turned.in_channels, turned.out_channels);
  for (WindowDim& dim : turned.dims) {
    std::swap(dim.in, dim.out);
    dim.padding = dim.dilation * (dim.kernel - 1) - dim.padding;
  }
  const std::int64_t taps = shape.taps();
  std::vector<T> weights(static_cast<std::size_t>(shape.groups * shape.out_channels * shape.in_channels * taps));
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    for (std::int64_t o = 0; o < shape.out_channels; ++o) {
      for (std::int64_t i = 0; i < shape.in_channels; ++i) {
        const T* const from = weight + ((group * shape.out_channels + o) * shape.in_channels + i) * taps;
        T* const to = weights.data() + ((group * shape.in_channels + i) * shape.out_channels + o) * taps;
        std::reverse_copy(from, from + taps, to);
      }
    }
  }
  correlate(turned, out, weights.data(), bias, in);
}

// Each channel of one sample filled with its bias, or with zeros.
template <class T>
void fill_channels(T* plane, std::int64_t channels, std::int64_t items, const T* bias) {
  for (std::int64_t c = 0; c < channels; ++c) std::fill_n(plane + c * items, items, bias == nullptr ? T() : bias[c]);
}

}  // namespace

template <class T>
void correlate(const ConvolutionShape& shape, const T* in, const T* weight, const T* bias, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    if (is_batched(shape)) return correlate_batched(shape, in, weight, bias, out);
  }
  const std::int64_t in_items = shape.in_channels * shape.in_plane();
  const std::int64_t out_items = shape.out_channels * shape.out_plane();
  const std::int64_t inner = shape.in_channels * shape.taps();
  for_each_group(shape, [&](std::int64_t group) {
    const T* const own_weight = weight + group * shape.out_channels * inner;
    const T* const own_bias = bias == nullptr ? nullptr : bias + group * shape.out_channels;
    std::optional<DirectConvolution<T>> direct;
    std::optional<WindowMatrix<T>> windows;
    if (is_direct<T>(shape)) {
      direct.emplace(shape, own_weight);
    } else {
      windows.emplace(shape);
    }
    return [=, &shape, direct = std::move(direct), windows = std::move(windows)](std::int64_t at) mutable {
      T* const target = out + at * out_items;
      if (direct) {
        direct->run(in + at * in_items, own_bias, target);
        return;
      }
      fill_channels(target, shape.out_channels, shape.out_plane(), own_bias);
      for (std::int64_t first = 0; first < shape.out_plane(); first += windows->step()) {
        const std::int64_t count = std::min(windows->step(), shape.out_plane() - first);
        gemm<T>(matrix_of(own_weight, shape.out_channels, inner), windows->gather(in + at * in_items, first, count),
                {target + first, shape.out_channels, count, shape.out_plane(), 1}, true);
      }
    };
  });
}

template <class T>
void correlate_adjoint(const ConvolutionShape& shape, const T* out, const T* weight, const T* bias, T* in) {
  const bool is_stepless =
      std::all_of(shape.dims.begin(), shape.dims.end(), [](const WindowDim& dim) { return dim.stride == 1; });
  if (is_stepless) return correlate_turned(shape, out, weight, bias, in);
  const std::int64_t in_items = shape.in_channels * shape.in_plane();
  const std::int64_t out_items = shape.out_channels * shape.out_plane();
  const std::int64_t inner = shape.in_channels * shape.taps();
  for_each_group(shape, [&](std::int64_t group) {
    const MatrixView<const T> turned =
        matrix_of(weight + group * shape.out_channels * inner, shape.out_channels, inner).transposed();
    const T* const own_bias = bias == nullptr ? nullptr : bias + group * shape.in_channels;
    return [=, &shape, windows = WindowMatrix<T>(shape)](std::int64_t at) mutable {
      T* const target = in + at * in_items;
      fill_channels(target, shape.in_channels, shape.in_plane(), own_bias);
      for (std::int64_t first = 0; first < shape.out_plane(); first += windows.step()) {
        const std::int64_t count = std::min(windows.step(), shape.out_plane() - first);
        gemm<T>(turned, {out + at * out_items + first, shape.out_channels, count, shape.out_plane(), 1},
                windows.columns(count));
        windows.scatter(target, first, count);
      }
    };
  });
}

template <class T>
void correlate_weight(const ConvolutionShape& shape, const T* in, const T* out, T* weight) {
  if constexpr (std::is_same_v<T, float>) {
    if (is_batched(shape)) return correlate_weight_batched(shape, in, out, weight);
  }
  const std::int64_t in_items = shape.in_channels * shape.in_plane();
  const std::int64_t out_items = shape.out_channels * shape.out_plane();
  const std::int64_t inner = shape.in_channels * shape.taps();
  std::fill_n(weight, shape.groups * shape.out_channels * inner, T());
  for_each_group(shape, [&](std::int64_t group) {
    T* const own_weight = weight + group * shape.out_channels * inner;
    std::optional<DirectWeightGradient<T>> direct;
    std::optional<WindowMatrix<T>> windows;
    if (is_direct<T>(shape)) {
      direct.emplace(shape);
    } else {
      windows.emplace(shape);
    }
    return [=, &shape, direct = std::move(direct), windows = std::move(windows)](std::int64_t at) mutable {
      const T* const source = in + at * in_items;
      const T* const grads = out + at * out_items;
      if (direct) {
        direct->add(source, grads, own_weight);
        return;
      }
      for (std::int64_t first = 0; first < shape.out_plane(); first += windows->step()) {
        const std::int64_t count = std::min(windows->step(), shape.out_plane() - first);
        gemm<T>({grads + first, shape.out_channels, count, shape.out_plane(), 1},
                windows->gather(source, first, count).transposed(), matrix_of(own_weight, shape.out_channels, inner),
                true);
      }
    };
  });
}

NNS_CONVOLUTION_KERNELS(, float)
NNS_CONVOLUTION_KERNELS(, double)
NNS_CONVOLUTION_KERNELS(, std::int64_t)
NNS_CONVOLUTION_KERNELS(, std::complex<float>)
NNS_CONVOLUTION_KERNELS(, std::complex<double>)

}  // namespace nns::ops
