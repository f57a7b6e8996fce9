#pragma once

#include "core/ops/convolution_kernels.h"
#include "core/ops/cuda_kernels.h"

// Pooling on a GPU. The windows are those of pooling.cpp. Not for callers of ops.
namespace nns::ops {

/// The windows along one dimension: of a fixed size, or such that they share the items evenly.
struct PoolDim {
  WindowDim window;
  bool is_adaptive = false;

  /// The items that a window sees: from, from + step, ... before `to`; and how many places it covers, the padding's
  /// too.
  struct Seen {
    std::int64_t from = 0, to = 0, step = 1, covered = 0;
  };
  constexpr Seen seen(std::int64_t at) const {
    if (is_adaptive) {
      const std::int64_t from = at * window.in / window.out;
      const std::int64_t to = ((at + 1) * window.in + window.out - 1) / window.out;
      return {from, to, 1, to - from};
    }
    const std::int64_t start = window.place(at, 0);
    const std::int64_t end = start + window.dilation * (window.kernel - 1) + 1;
    const std::int64_t skipped = start < 0 ? (-start + window.dilation - 1) / window.dilation : 0;
    const std::int64_t reach = window.in + window.padding;
    return {start + skipped * window.dilation, end < window.in ? end : window.in, window.dilation,
            (end < reach ? end : reach) - start};
  }
  /// The windows that may see an item: from the first on, before the second. Must hold: the step is 1.
  struct Windows {
    std::int64_t from = 0, to = 0;
  };
  constexpr Windows windows_of(std::int64_t item) const {
    if (is_adaptive) {
      const std::int64_t to = ((item + 1) * window.out + window.in - 1) / window.in;
      return {item * window.out / window.in, to < window.out ? to : window.out};
    }
    const std::int64_t behind = item + window.padding - window.kernel + 1;
    const std::int64_t from = behind <= 0 ? 0 : (behind + window.stride - 1) / window.stride;
    const std::int64_t to = (item + window.padding) / window.stride + 1;
    return {from, to < window.out ? to : window.out};
  }
};

/// Pooling of planes of floats that lie one behind the other. Must hold: less than 2^31 items on either side.
struct PoolWork {
  PoolDim dims[3];
  std::int64_t planes = 0;
  /// Dense: the side that windows move over, and the side with an item for each.
  DeviceNumbers in, out;
  /// Of launch_max_pool(): where the largest items lie in their planes.
  std::int64_t* places = nullptr;
  /// Of means. `divisor` 0: none was given.
  bool counts_padding = true;
  std::int64_t divisor = 0;
  bool in_double = false;
  constexpr std::int64_t in_plane() const { return dims[0].window.in * dims[1].window.in * dims[2].window.in; }
  constexpr std::int64_t out_plane() const { return dims[0].window.out * dims[1].window.out * dims[2].window.out; }
};
/// out = the largest item of each window; NaN counts as larger than all.
void launch_max_pool(const PoolWork& work, StreamHandle stream);
/// out = the mean of each window.
void launch_mean_pool(const PoolWork& work, StreamHandle stream);
/// in = what the means of the windows that see an item give back to it.
void launch_mean_pool_backward(const PoolWork& work, StreamHandle stream);

/// Items by their places in planes: `places` has `sparse_plane` of them for each plane.
struct PoolPlacesWork {
  std::int64_t planes = 0, sparse_plane = 0, dense_plane = 0;
  const std::int64_t* places = nullptr;
  /// From one plane's places to the next one's; 0: all planes have the same.
  std::int64_t places_stride = 0;
  /// Where there is one: told of places that are not there; -1 was told of before.
  int* complaint = nullptr;
  DeviceNumbers sparse, dense;
  bool in_double = false;
};
/// dense[places[i]] += sparse[i], in the order of i: the same on every run. Must hold: `dense` is float or double.
void launch_pool_scatter(const PoolPlacesWork& work, StreamHandle stream);
/// sparse[i] = dense[places[i]].
void launch_pool_gather(const PoolPlacesWork& work, StreamHandle stream);
/// dense[places[i]] = sparse[i], of several the last; all else is 0. `owners`: as many as `dense` has, all -1. Must
/// hold: a plane has less than 2^31 items.
void launch_unpool(const PoolPlacesWork& work, int* owners, StreamHandle stream);

}  // namespace nns::ops
