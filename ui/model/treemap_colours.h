#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/model/treemap.h"

namespace nns::model {

/// What the colour of a tile says.
enum class TreemapColour : std::uint8_t {
  Kind,   ///< parameter, buffer, other tensor
  Dtype,  ///< element type
  Class,  ///< class of the module that owns the tensor
  // By statistics, once they are known:
  Std,
  Zeros,  ///< share of values that are zero
  AbsMax,
};
inline bool is_statistic(TreemapColour colour) { return colour >= TreemapColour::Std; }

/// The tiles of a map sorted into a few categories, the heaviest first.
struct TreemapLegend {
  static constexpr std::size_t kMost = 8;       ///< further ones are one category, "other"
  static constexpr std::uint8_t kGroup = 0xFF;  ///< in `categories`: not a tensor
  struct Entry {
    std::string label;
    std::uint64_t weight = 0;  ///< in the map's metric
    std::uint32_t tiles = 0;
    bool is_other = false;
    float shade = -1;                            ///< 0 to 1 from the least to the most, of statistics; -1: a category
    live::RowKind kind = live::RowKind::Tensor;  ///< of TreemapColour::Kind
  };
  std::vector<Entry> entries;
  std::vector<std::uint8_t> categories;  ///< per tile: index of its entry, or kGroup
};

/// `numbers`: what is known of the values of the document's tensors. Cost: two passes over the tiles.
TreemapLegend sort_tiles(const Treemap& map, TreemapColour colour, std::span<const live::wire::TensorNumbers> numbers);

}  // namespace nns::model
