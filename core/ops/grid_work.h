#pragma once

#include "core/ops/cuda_kernels.h"
#include "core/ops/grid_reads.h"
#include "core/ops/sorting_work.h"

// Items of images at the places of a grid, on a GPU. Not for callers of ops.
namespace nns::ops {

/// The most items that a place reads: along each dimension, where they are two or four.
constexpr std::int64_t grid_reads_a_place(const grid_reads::GridSettings& settings, std::int32_t dims) {
  if (settings.between == grid_reads::Between::Nearest) return 1;
  if (settings.between == grid_reads::Between::Cubic) return 16;
  return dims == 2 ? 4 : 8;
}

struct GridWork {
  grid_reads::GridSettings settings;
  std::int32_t dims = 2;
  /// The samples that a launch works on.
  std::int64_t first_sample = 0, samples = 0;
  std::int64_t channels = 0, places = 0;
  /// Of the image: depth, height and width.
  std::int64_t size[3] = {1, 1, 1};
  /// Dense. `out` of launch_grid_samples().
  DeviceNumbers image, grid, out;
  /// Of gradients: that of the result, and those that are made.
  DeviceNumbers grad, image_grad, grid_grad;
  bool in_double = false;
  /// For each read of each place of the samples: the item of the plane, all ones where there is none, and its weight
  /// (of the type of numbers).
  std::uint32_t* items = nullptr;
  std::byte* weights = nullptr;
  /// The same, sorted by items.
  SortPairs sorted;
  constexpr std::int64_t plane() const { return size[0] * size[1] * size[2]; }
  constexpr std::int64_t reads() const { return places * grid_reads_a_place(settings, dims); }
};
void launch_grid_samples(const GridWork& work, StreamHandle stream);
/// Fills `items` and `weights`, and makes the gradient of the grid.
void launch_grid_gradient(const GridWork& work, StreamHandle stream);
/// The gradient of the image: of each item the sum over what read it, in the order of the places.
void launch_image_gradient(const GridWork& work, StreamHandle stream);

}  // namespace nns::ops
