#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

/// A rectangle of a tensor seen as a matrix: the last dimension is the columns, all others together are the rows
/// (a 1-d tensor is one row, a scalar one cell). Items that pack two numbers are two columns.
struct HeatRegion {
  std::uint64_t row_begin = 0;
  std::uint64_t row_end = 0;
  std::uint64_t column_begin = 0;
  std::uint64_t column_end = 0;
  std::uint32_t width = 0;  ///< cells wanted, 1 to 4,096; at most the columns of the region are given
  std::uint32_t height = 0;
};

/// The size of the matrix that a tensor of this shape is seen as.
struct MatrixSize {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};
MatrixSize matrix_size(const std::vector<std::int64_t>& shape, tensor::DType dtype);

/// The region reduced to width x height cells.
struct HeatTile {
  HeatRegion region;        ///< width and height as given
  bool sampled = false;     ///< true: each cell looks at some of its values only (a first, quick picture)
  std::vector<float> mean;  ///< row-major; NaN where a cell has a NaN; the value itself where a cell is one value
  std::vector<float> low;   ///< smallest value of the cell
  std::vector<float> high;
};

/// A resumable reduction that reads the region and nothing else. The first picture is sampled if the region has more
/// than a few million values; the exact one follows after the whole region was read.
class HeatTileTask {
 public:
  /// Without `with_sample` only the exact one is made.
  HeatTileTask(ElementSource source, HeatRegion region, bool with_sample = true);
  ~HeatTileTask();
  /// True when the exact tile is ready.
  /// Errors: a region outside the matrix or without cells; the tensor outside its storage; reading failed.
  base::Result<bool> step(const base::Budget& budget);
  /// The newest tile, sampled or exact; null before the first. `version` grows when it changes.
  const HeatTile* tile() const;
  std::uint32_t version() const;
  /// Units: values.
  std::uint64_t done() const;
  std::uint64_t total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::checkpoint
