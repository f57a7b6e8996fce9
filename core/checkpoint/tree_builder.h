#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/module_tree.h"

namespace nns::checkpoint {

/// How the children of one row follow each other.
enum class SiblingOrder : std::uint8_t {
  Natural,       ///< natural_less: formats whose order of names means nothing
  Registration,  ///< as added (a pickle keeps the order of registration); children named by numbers only: by number
  AsAdded,       ///< always as added: a program that runs, where a Sequential runs its children in that order
};

/// Collects rows in any order and lays them out as a ModuleTree in pre-order.
/// Cost: a row is a few writes in arrays; nothing is allocated per row.
class TreeBuilder {
 public:
  /// Documents with more rows are refused by finish(); what is beyond is not kept.
  static constexpr std::uint32_t kMaxRows = 16U << 20U;
  /// A dotted name is split into at most so many parts; the last one keeps the rest.
  static constexpr std::size_t kMaxParts = 128;

  /// `strings` keeps all names; it must outlive the builder. Row 0 is the root, with an empty name.
  explicit TreeBuilder(StringTable& strings, NodeKind root = NodeKind::Module);

  void reserve(std::size_t rows) { nodes_.reserve(rows); }

  /// A new last child of `parent`.
  std::uint32_t add(std::uint32_t parent, std::string_view name, NodeKind kind);
  /// A new row for tensor `tensor` (of kind Tensor), whose name below `base` is split at its dots; the modules in
  /// between are made as needed. Returns kNone if there is a tensor of that name already.
  std::uint32_t add_dotted(std::uint32_t base, std::string_view name, std::uint32_t tensor);

  void set_tensor(std::uint32_t row, std::uint32_t tensor) { nodes_[row].tensor = tensor; }
  void set_class(std::uint32_t row, std::string_view name) { nodes_[row].class_name = strings_.intern(name); }
  void set_preview(std::uint32_t row, std::string_view text) { nodes_[row].preview = strings_.intern(text); }
  void set_kind(std::uint32_t row, NodeKind kind) { nodes_[row].kind = kind; }
  void set_flag(std::uint32_t row, NodeFlag flag) {
    nodes_[row].flags = static_cast<std::uint8_t>(nodes_[row].flags | flag);
  }
  void clear_flag(std::uint32_t row, NodeFlag flag) {
    nodes_[row].flags = static_cast<std::uint8_t>(nodes_[row].flags & ~flag);
  }
  std::uint32_t parent(std::uint32_t row) const { return nodes_[row].parent; }
  NodeKind kind(std::uint32_t row) const { return nodes_[row].kind; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  bool is_full() const { return nodes_.size() >= kMaxRows; }

  /// Lays the rows out in `document.tree` (which holds `strings`), sets TensorEntry::node, works out kinds and classes
  /// where they are not known, totals, shared flags and structure numbers. A module with the name of a tensor beside it
  /// is none: `weight.absmax` beside `weight` becomes a sibling of that name. `rows`, if given, receives for each row
  /// of the builder its row in the tree, kNone of such a module. Errors: more than kMaxRows rows.
  base::Result<void> finish(SiblingOrder order, Checkpoint& document, std::vector<std::uint32_t>* rows = nullptr);

 private:
  struct Node {
    std::uint32_t name = 0;
    std::uint32_t number = kNone;  // the name's value if it is a plain number
    std::uint32_t parent = kNone;
    std::uint32_t first_child = kNone;
    std::uint32_t last_child = kNone;
    std::uint32_t next_sibling = kNone;
    std::uint32_t child_count = 0;
    std::uint32_t tensor = kNone;
    std::uint32_t class_name = 0;
    std::uint32_t preview = 0;
    NodeKind kind = NodeKind::Module;
    std::uint8_t flags = 0;
    bool is_leaf = false;  // made by add_dotted for the tensor itself
    bool is_gone = false;  // what was below it has another place
  };
  struct Step {
    std::size_t end;  // where the next part begins in the name
    std::uint32_t node;
  };

  std::uint32_t add_child(std::uint32_t parent, std::uint32_t name, NodeKind kind, bool is_leaf);
  std::uint32_t find_child(std::uint32_t parent, std::uint32_t name, bool is_leaf) const;
  void remember(std::uint32_t node);
  void grow_table();
  bool before(const Node& a, const Node& b);
  void lift_parts_of_tensors();
  void lift_leaves(std::uint32_t module);
  void sort_children(std::uint32_t parent, SiblingOrder order);

  StringTable& strings_;
  std::vector<Node> nodes_;
  std::size_t gone_ = 0;
  bool overflowed_ = false;
  // Children of rows with many children: open addressing, kNone is free.
  std::vector<std::uint32_t> table_;
  std::size_t table_used_ = 0;
  // The path of the last dotted name, so that neighbours with a common beginning cost only what differs.
  std::string last_name_;
  std::uint32_t last_base_ = kNone;
  std::vector<Step> path_;
  std::vector<std::uint32_t> scratch_;
  // Answers of natural_less by pair of names: the same few neighbours come again in every block.
  struct Compared {
    std::uint64_t pair = UINT64_MAX;
    bool is_before = false;
  };
  std::array<Compared, 128> compared_{};
};

}  // namespace nns::checkpoint
