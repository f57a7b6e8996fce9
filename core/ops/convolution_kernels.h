#pragma once

#include <array>
#include <complex>
#include <cstdint>

// The arithmetic of convolutions on numbers that lie in order. Not for callers of ops.
namespace nns::ops {

/// One dimension along which a window moves. Units: items.
struct WindowDim {
  /// Of the side that the window moves over, and of the side with one item a place of the window.
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;

  /// Where item `tap` of the window at place `at` lies on the wide side; may be outside of it.
  constexpr std::int64_t place(std::int64_t at, std::int64_t tap) const {
    return at * stride - padding + tap * dilation;
  }
};

/// The sizes of a convolution. `in` is always the side that the window moves over: of a transposed convolution, which
/// is the adjoint of the plain one, that is its result.
struct ConvolutionShape {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  /// Of one group.
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  /// Depth, height, width; of size 1 where the convolution has fewer dimensions.
  std::array<WindowDim, 3> dims{};

  constexpr std::int64_t in_plane() const { return dims[0].in * dims[1].in * dims[2].in; }
  constexpr std::int64_t out_plane() const { return dims[0].out * dims[1].out * dims[2].out; }
  constexpr std::int64_t taps() const { return dims[0].kernel * dims[1].kernel * dims[2].kernel; }
};

/// What a convolution reads and writes, all in order without gaps:
/// in (batch, groups * in_channels, in...), weight (groups * out_channels, in_channels, kernel...),
/// out (batch, groups * out_channels, out...). Integers wrap around.

/// out = each window of `in` times the weight, plus bias (groups * out_channels; may be null).
template <class T>
void correlate(const ConvolutionShape& shape, const T* in, const T* weight, const T* bias, T* out);
/// in = what each item of `out`, times the weight, adds to its window, plus bias (groups * in_channels; may be null).
template <class T>
void correlate_adjoint(const ConvolutionShape& shape, const T* out, const T* weight, const T* bias, T* in);
/// weight = over all places, the items of the window times the item of `out`.
template <class T>
void correlate_weight(const ConvolutionShape& shape, const T* in, const T* out, T* weight);

#define NNS_CONVOLUTION_KERNELS(prefix, T)                                                           \
  prefix template void correlate(const ConvolutionShape&, const T*, const T*, const T*, T*);         \
  prefix template void correlate_adjoint(const ConvolutionShape&, const T*, const T*, const T*, T*); \
  prefix template void correlate_weight(const ConvolutionShape&, const T*, const T*, T*);
NNS_CONVOLUTION_KERNELS(extern, float)
NNS_CONVOLUTION_KERNELS(extern, double)
NNS_CONVOLUTION_KERNELS(extern, std::int64_t)
NNS_CONVOLUTION_KERNELS(extern, std::complex<float>)
NNS_CONVOLUTION_KERNELS(extern, std::complex<double>)

}  // namespace nns::ops
