#include "ui/model/treemap.h"

#include <algorithm>
#include <limits>

namespace nns::model {

namespace {

struct Child {
  std::uint64_t weight = 0;
  std::uint32_t row = 0;
};

struct MapBox {
  float x = 0, y = 0, width = 0, height = 0;
};

// The largest ratio of sides in a strip of `side` length that holds `sum`, of which the parts are between `least` and
// `most`; all in units of area.
double worst_ratio(double sum, double least, double most, double side) {
  const double square = side * side;
  const double area = sum * sum;
  return std::max(square * most / area, area / (square * least));
}

// Children, heaviest first, put into `box` strip by strip along its shorter side; `place` gets each with its rectangle.
template <class Place>
void squarify(std::span<const Child> children, double total, MapBox box, Place place) {
  // Halves of a rounding error would add up over a hundred thousand tiles: what is left is what was not given yet.
  double left = box.x;
  double top = box.y;
  double width = box.width;
  double height = box.height;
  std::size_t at = 0;
  while (at < children.size()) {
    const double area_of_one = total > 0 ? width * height / total : 0;
    const bool is_tall = width < height;
    const double side = is_tall ? width : height;
    const double most = static_cast<double>(children[at].weight) * area_of_one;
    double sum = 0;
    std::size_t end = at;
    double worst = std::numeric_limits<double>::infinity();
    while (end < children.size()) {
      const double area = static_cast<double>(children[end].weight) * area_of_one;
      const double next = worst_ratio(sum + area, area, most, side);
      if (!(next <= worst)) break;
      worst = next;
      sum += area;
      ++end;
    }
    // A side of nothing has no ratio: then everything that is left goes into one strip.
    if (end == at) end = children.size();
    double strip_weight = 0;
    for (std::size_t i = at; i < end; ++i) strip_weight += static_cast<double>(children[i].weight);
    const double part = total > 0 ? std::min(1.0, strip_weight / total) : 0;
    const bool is_last = end == children.size();
    const double depth = is_last ? (is_tall ? height : width) : (is_tall ? height : width) * part;
    double along = 0;
    for (std::size_t i = at; i < end; ++i) {
      const double share = static_cast<double>(children[i].weight) / strip_weight;
      const double length = side * share;
      const MapBox one = is_tall ? MapBox{static_cast<float>(left + along), static_cast<float>(top),
                                          static_cast<float>(length), static_cast<float>(depth)}
                                 : MapBox{static_cast<float>(left), static_cast<float>(top + along),
                                          static_cast<float>(depth), static_cast<float>(length)};
      place(i, one);
      along += length;
    }
    if (is_tall) {
      top += depth;
      height = std::max(0.0, height - depth);
    } else {
      left += depth;
      width = std::max(0.0, width - depth);
    }
    total -= strip_weight;
    at = end;
  }
}

}  // namespace

void Treemap::show(std::shared_ptr<const live::DocumentView> document) {
  const bool same_rows = document_ != nullptr && document != nullptr && document->row_count() == document_->row_count();
  document_ = std::move(document);
  weigh();
  set_root(same_rows ? root_ : 0);
  is_stale_ = true;
}

void Treemap::set_metric(TreemapMetric metric) {
  if (metric == metric_) return;
  metric_ = metric;
  weigh();
  set_root(root_);
  is_stale_ = true;
}

void Treemap::set_root(std::uint32_t row) {
  if (document_ == nullptr || row >= document_->row_count()) row = 0;
  while (row != 0 && (weights_[row] == 0 || !document_->has_children(row))) row = document_->parent(row);
  is_stale_ |= row != root_;
  root_ = row;
}

void Treemap::weigh() {
  weights_.clear();
  if (document_ == nullptr) return;
  const live::DocumentView& document = *document_;
  const std::uint32_t rows = document.row_count();
  weights_.assign(rows, 0);
  const bool is_bytes = metric_ == TreemapMetric::Bytes;
  const auto repeated = static_cast<std::uint8_t>(is_bytes ? live::kRepeatedBytes : live::kRepeatedParameter);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t tensor = document.tensor(row);
    if (tensor == live::kNone || (document.flags(row) & repeated) != 0) continue;
    if (is_bytes) {
      weights_[row] = document.nbytes(tensor);
    } else if (document.kind(row) == live::RowKind::Parameter) {
      weights_[row] = document.numel(tensor);
    }
  }
  for (std::uint32_t row = rows; row-- > 1;) {
    std::uint64_t& above = weights_[document.parent(row)];
    above = weights_[row] > UINT64_MAX - above ? UINT64_MAX : above + weights_[row];
  }
}

std::uint32_t Treemap::innermost(std::uint32_t row) const {
  // A group whose whole weight is one group's is shown as that one: "encoder.model" in one strip.
  const live::DocumentView& document = *document_;
  for (;;) {
    std::uint32_t only = live::kNone;
    for (std::uint32_t child = row + 1; child < document.end(row); child = document.end(child)) {
      if (weights_[child] == 0) continue;
      only = weights_[child] == weights_[row] && document.has_children(child) ? child : live::kNone;
      break;
    }
    if (only == live::kNone) return row;
    row = only;
  }
}

void Treemap::fit(const Frame& frame) {
  if (!is_stale_ && frame == frame_) return;
  is_stale_ = false;
  frame_ = frame;
  ++version_;
  tiles_.clear();
  tile_of_.clear();
  if (document_ == nullptr || weights_.empty() || weights_[root_] == 0) return;
  const live::DocumentView& document = *document_;
  tile_of_.assign(document.end(root_) - root_, kNoTile);

  // Tiles that are still to be placed, the next one last.
  std::vector<TreemapTile> waiting;
  TreemapTile whole;
  whole.outer = root_;
  whole.row = root_;
  whole.width = frame.width;
  whole.height = frame.height;
  whole.is_group = document.has_children(root_);
  waiting.push_back(whole);
  std::vector<Child> children;
  while (!waiting.empty()) {
    TreemapTile tile = waiting.back();
    waiting.pop_back();
    const auto number = static_cast<std::uint32_t>(tiles_.size());
    if (tile.is_group) tile.row = innermost(tile.outer);
    for (std::uint32_t row = tile.row;; row = document.parent(row)) {
      tile_of_[row - root_] = number;
      if (row == tile.outer) break;
    }
    MapBox inside{tile.x, tile.y, tile.width, tile.height};
    if (tile.is_group) {
      const bool has_room = tile.height > 3 * frame.header && tile.width > 4 * frame.header;
      // What fills the frame needs no name of its own: the way to it stands above the map.
      tile.header = has_room && number != 0 ? frame.header : 0;
      const float padding = has_room && number != 0 ? frame.padding : 0;
      inside = {tile.x + padding, tile.y + std::max(padding, tile.header), tile.width - 2 * padding,
                tile.height - padding - std::max(padding, tile.header)};
    }
    tiles_.push_back(tile);
    if (!tile.is_group) continue;
    children.clear();
    for (std::uint32_t child = tile.row + 1; child < document.end(tile.row); child = document.end(child)) {
      if (weights_[child] != 0) children.push_back({weights_[child], child});
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return a.weight > b.weight; });
    const std::size_t first = waiting.size();
    squarify(children, static_cast<double>(weights_[tile.row]), inside, [&](std::size_t index, const MapBox& box) {
      TreemapTile one;
      one.outer = children[index].row;
      one.row = children[index].row;
      one.parent = number;
      one.x = box.x;
      one.y = box.y;
      one.width = box.width;
      one.height = box.height;
      one.depth = static_cast<std::uint16_t>(tile.depth + 1);
      one.is_group = document.has_children(children[index].row);
      waiting.push_back(one);
    });
    std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(first), waiting.end());
  }
  for (std::uint32_t number = static_cast<std::uint32_t>(tiles_.size()); number-- > 0;) {
    TreemapTile& tile = tiles_[number];
    tile.end = std::max(tile.end, number + 1);
    if (tile.parent == kNoTile) continue;
    TreemapTile& around = tiles_[tile.parent];
    around.end = std::max(around.end, tile.end);
  }
}

std::uint32_t Treemap::tile_at(float x, float y) const {
  const auto holds = [&](const TreemapTile& tile) {
    return x >= tile.x && y >= tile.y && x < tile.x + tile.width && y < tile.y + tile.height;
  };
  if (tiles_.empty() || !holds(tiles_.front())) return kNoTile;
  std::uint32_t found = 0;
  for (std::uint32_t tile = 1; tile < tiles_[found].end;) {
    if (holds(tiles_[tile])) {
      found = tile;
      ++tile;
    } else {
      tile = tiles_[tile].end;
    }
  }
  return found;
}

std::uint32_t Treemap::tile_of(std::uint32_t row) const {
  if (document_ == nullptr || tiles_.empty() || row < root_ || row >= document_->end(root_)) return kNoTile;
  while (tile_of_[row - root_] == kNoTile) row = document_->parent(row);
  return tile_of_[row - root_];
}

}  // namespace nns::model
