#pragma once

#include "core/ops/cuda_kernels.h"
#include "core/ops/place_reductions.h"
#include "core/ops/sorting_work.h"

// Items put together at places, searched among sorted ones, and counted, on a GPU. Not for callers of ops.
namespace nns::ops {

/// What comes to the places of `planes` planes of `dense_plane` items: `length` items a plane, in their order.
struct PlaceReductionWork {
  PlaceReduction reduction = PlaceReduction::Sum;
  /// The type of numbers, and of the items of `dense`: Float, Double or Int64.
  Compute compute = Compute::Float;
  std::int64_t planes = 0, length = 0, dense_plane = 0;
  const std::int64_t* places = nullptr;
  /// From one plane's places to the next one's; 0: all planes have the same.
  std::int64_t places_stride = 0;
  DeviceNumbers items;
  std::byte* dense = nullptr;
  /// How many came to each place, as many as `dense` has.
  std::int64_t* counts = nullptr;
  bool includes_self = true;
  /// The places of each line sorted as whole numbers of 64 bits; none: they are walked as they come.
  SortPairs sorted = {};
  int* complaint = nullptr;
};
void launch_place_reduction(const PlaceReductionWork& work, StreamHandle stream);

/// out[i] = how many of the sorted numbers stand before x[i]: those less than it, `right`: not larger.
struct SearchWork {
  /// Dense, lines of `length`; one for all, or one for each `line` inputs.
  DeviceNumbers bounds;
  std::int64_t length = 0;
  bool has_one_line = true;
  std::int64_t line = 1;
  const std::int64_t* order = nullptr;
  std::int64_t count = 0;
  /// None: the number.
  DeviceNumbers inputs;
  double real = 0;
  std::int64_t integer = 0;
  bool is_whole = false, right = false;
  DeviceNumbers out;
  int* complaint = nullptr;
};
void launch_search(const SearchWork& work, StreamHandle stream);

/// counts[b] += the items from `low` to `high` in the bin b of `bins` equal ones.
struct HistogramWork {
  DeviceNumbers in;
  std::int64_t count = 0, bins = 1;
  double low = 0, high = 1;
  unsigned long long* counts = nullptr;
};
void launch_histogram(const HistogramWork& work, StreamHandle stream);

}  // namespace nns::ops
