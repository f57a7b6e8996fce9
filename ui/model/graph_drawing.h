#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/live/protocol_generated.h"

namespace nns::model {

/// An FX graph as a drawing: layers from top to bottom, nodes grouped by the calls of modules around them, groups that
/// repeat what stands before them folded. Parameters and buffers that only one node takes are not drawn: they are its;
/// graphs that a higher-order operator runs are boxes above it.
/// Laid out in slices: call step() until it says that nothing is left. Units: design units.
class GraphDrawing {
 public:
  static constexpr std::uint32_t kNoBox = UINT32_MAX;
  struct Box {
    std::uint32_t group = kNoBox;  ///< of groups: its number for fold(); else a node
    std::uint32_t node = 0;        ///< of groups: the first of its nodes
    std::uint32_t parent = kNoBox;
    std::uint32_t nodes = 1;
    bool is_open = false;  ///< a group whose content is drawn, behind this box
    bool repeats = false;  ///< a group that is built as one before it
    float x = 0, y = 0, width = 0, height = 0;
  };
  /// From a box to a later one, over `points` in between.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::uint32_t points_begin = 0, points_end = 0;
  };
  struct Point {
    float x = 0, y = 0;
  };

  /// Takes over another graph. Null: none. Must hold: it stays until the next show().
  void show(const live::wire::CaptureGraph* graph);
  const live::wire::CaptureGraph* graph() const { return graph_; }
  /// Goes on laying out until `is_over` says stop, asked about every millisecond's work; true: it is done.
  bool step(const std::function<bool()>& is_over);
  bool is_done() const { return phase_ == Phase::Done; }
  /// Grows with each layout that is done; boxes and edges are those of the last one.
  std::uint64_t version() const { return version_; }
  std::span<const Box> boxes() const { return boxes_; }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Point> points() const { return points_; }
  float width() const { return width_; }
  float height() const { return height_; }
  /// The box in which a node is drawn: its own, that of a folded group, or of what takes it.
  std::uint32_t box_of(std::uint32_t node) const { return node < box_of_.size() ? box_of_[node] : kNoBox; }

  /// Whether the node stands for a graph.
  bool is_body(std::uint32_t node) const {
    return graph_->body()->size() > node && graph_->body()->Get(node) != kNoBox;
  }

  /// Opens or closes the group of that number.
  void fold(std::uint32_t group);
  /// Opens the group (or the innermost one around a node's box) or closes it.
  void set_all_open(bool is_open);
  /// Opens what hides the node.
  void reveal(std::uint32_t node);
  std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.size()); }
  /// "blocks.0", "Block" of a group.
  std::uint32_t stack_of(std::uint32_t group) const { return groups_[group].stack; }

 private:
  struct Group {
    std::uint32_t parent = kNoBox;
    std::uint32_t stack = kNoBox;
    std::uint32_t first = 0;  ///< node
    std::uint32_t nodes = 0;  ///< those of the groups below, too
    std::uint64_t signature = 0;
    bool repeats = false;
    bool is_open = false;
  };
  struct Item {
    std::uint32_t box = kNoBox;  ///< kNoBox: a bend of an edge
    float x = 0, width = 0;
    std::uint32_t layer = 0;
    std::uint32_t order = 0;
    double wanted = 0;
  };
  /// What is drawn inside of one open group.
  struct Level {
    std::uint32_t box = kNoBox;  ///< kNoBox: the whole
    std::vector<std::uint32_t> boxes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< of boxes; then of items
    std::vector<Item> items;
    std::vector<std::vector<std::uint32_t>> layers;
    std::vector<std::vector<std::uint32_t>> above, below;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bends;  ///< an edge's first item of its own, and how many
  };
  enum class Phase : std::uint8_t { Boxes, Layers, Sweep, Place, Finish, Done };

  void find_groups();
  void open_first();
  void make_boxes();
  void make_layers(Level& level);
  void sweep(Level& level, bool is_down) const;
  void place(Level& level, bool is_down) const;
  void finish_level(Level& level);
  void finish();
  void begin() {
    phase_ = graph_ == nullptr ? Phase::Done : Phase::Boxes;
    level_ = 0;
    round_ = 0;
  }

  const live::wire::CaptureGraph* graph_ = nullptr;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;   ///< the innermost group of each node; kNoBox: none
  std::vector<std::uint32_t> hidden_by_;  ///< of parameters: the only node that takes it; kNoBox: it is drawn
  Phase phase_ = Phase::Done;
  std::size_t level_ = 0;
  int round_ = 0;
  std::uint64_t version_ = 0;
  std::vector<Level> levels_;  ///< outer ones first
  // What is being made, and what is shown.
  std::vector<Box> made_, boxes_;
  std::vector<std::uint32_t> made_box_of_, box_of_;
  std::vector<Edge> made_edges_, edges_;
  std::vector<std::uint32_t> edge_level_;
  std::vector<Point> points_;
  float width_ = 0, height_ = 0;
};

}  // namespace nns::model
