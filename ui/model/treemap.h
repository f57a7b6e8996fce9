#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/live/document_view.h"

namespace nns::model {

/// What the area of a tile stands for. Each distinct parameter and each distinct tensor is counted where it comes
/// first; its other names have no tile, as they have no weight of their own in the totals.
enum class TreemapMetric : std::uint8_t { Parameters, Bytes };

/// One rectangle: a tensor, or a group of them. Units: pixels of the layout.
struct TreemapTile {
  std::uint32_t row = 0;    ///< of the document; of a chain of groups with one group each, the innermost
  std::uint32_t outer = 0;  ///< the outermost row of such a chain; `row` itself if it is none
  std::uint32_t parent = UINT32_MAX;
  std::uint32_t end = 0;  ///< one past the last tile inside
  float x = 0, y = 0, width = 0, height = 0;
  float header = 0;  ///< height of the strip for a group's name; 0: there is no place for one
  std::uint16_t depth = 0;
  bool is_group = false;
};

/// The part of a document below one row as nested rectangles, in pre-order: a group comes before what is inside it.
/// Behaviour: M. Bruls, K. Huizing, J. J. van Wijk, "Squarified Treemaps" (2000); equal weights keep the file's order.
class Treemap {
 public:
  static constexpr std::uint32_t kNoTile = UINT32_MAX;

  struct Frame {
    float width = 0;
    float height = 0;
    float header = 0;   ///< of a group that is large enough
    float padding = 0;  ///< around what is inside a group that is large enough
    friend bool operator==(const Frame&, const Frame&) = default;
  };

  /// Shows `document` from its root; a newer version keeps root and metric. Null shows nothing.
  void show(std::shared_ptr<const live::DocumentView> document);
  void set_metric(TreemapMetric metric);
  /// The row that fills the frame. A row without any weight is not shown: the nearest one above it is.
  void set_root(std::uint32_t row);
  /// Lays everything out anew if something has changed. Cost: about 0.1 µs a row of the root's subtree and a sort of
  /// each group.
  void fit(const Frame& frame);

  const live::DocumentView* document() const { return document_.get(); }
  TreemapMetric metric() const { return metric_; }
  std::uint32_t root() const { return root_; }
  /// Empty if nothing has weight.
  std::span<const TreemapTile> tiles() const { return tiles_; }
  /// Grows whenever tiles() changes.
  std::uint64_t version() const { return version_; }
  /// In parameters or bytes, of everything below `row` that is counted there.
  std::uint64_t weight(std::uint32_t row) const { return row < weights_.size() ? weights_[row] : 0; }

  /// The innermost tile at a point of the layout, or kNoTile.
  std::uint32_t tile_at(float x, float y) const;
  /// The tile that shows `row`; the one of the nearest row above it if it has none of its own; kNoTile outside the
  /// root.
  std::uint32_t tile_of(std::uint32_t row) const;

 private:
  void weigh();
  std::uint32_t innermost(std::uint32_t row) const;

  std::shared_ptr<const live::DocumentView> document_;
  TreemapMetric metric_ = TreemapMetric::Parameters;
  std::uint32_t root_ = 0;
  Frame frame_;
  bool is_stale_ = true;
  std::vector<std::uint64_t> weights_;  ///< per document row
  std::vector<TreemapTile> tiles_;
  std::vector<std::uint32_t> tile_of_;  ///< per document row from the root on
  std::uint64_t version_ = 0;
};

}  // namespace nns::model
