#include "core/checkpoint/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/checkpoint/infer_class.h"
#include "core/checkpoint/tree_totals.h"

namespace nns::checkpoint {

namespace {

/// Rows with more children than this find them by hash, the others by looking at each.
constexpr std::uint32_t kFewChildren = 8;

/// The value of a name like "0" or "17" (no leading zero, below 2^32 - 1); kNone for all others.
std::uint32_t plain_number(std::string_view name) {
  if (name.empty() || name.size() > 10 || (name.size() > 1 && name.front() == '0')) return kNone;
  std::uint64_t value = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return kNone;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value < kNone ? static_cast<std::uint32_t>(value) : kNone;
}

/// How many bytes both texts begin with.
std::size_t common_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; most - at >= 8; at += 8) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::memcpy(&left, a.data() + at, 8);
    std::memcpy(&right, b.data() + at, 8);
    if (left != right) return at + static_cast<std::size_t>(__builtin_ctzll(left ^ right)) / 8;
  }
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

std::uint64_t child_hash(std::uint32_t parent, std::uint32_t name) { return base::hash_mix(parent, name); }

}  // namespace

TreeBuilder::TreeBuilder(StringTable& strings, NodeKind root) : strings_(strings), table_(64, kNone) {
  nodes_.push_back(Node{});
  nodes_[0].kind = root;
}

std::uint32_t TreeBuilder::add(std::uint32_t parent, std::string_view name, NodeKind kind) {
  return add_child(parent, strings_.intern(name), kind, false);
}

std::uint32_t TreeBuilder::add_child(std::uint32_t parent, std::uint32_t name, NodeKind kind, bool is_leaf) {
  if (is_full()) {
    overflowed_ = true;
    return parent;
  }
  const auto row = static_cast<std::uint32_t>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.number = plain_number(strings_.view(name));
  node.parent = parent;
  node.kind = kind;
  node.is_leaf = is_leaf;
  Node& above = nodes_[parent];
  if (above.last_child == kNone) {
    above.first_child = row;
  } else {
    nodes_[above.last_child].next_sibling = row;
  }
  above.last_child = row;
  ++above.child_count;
  if (above.child_count > kFewChildren + 1) {
    remember(row);
  } else if (above.child_count == kFewChildren + 1) {
    for (std::uint32_t child = above.first_child; child != kNone; child = nodes_[child].next_sibling) remember(child);
  }
  return row;
}

std::uint32_t TreeBuilder::find_child(std::uint32_t parent, std::uint32_t name, bool is_leaf) const {
  const Node& above = nodes_[parent];
  const auto fits = [&](std::uint32_t child) {
    const Node& node = nodes_[child];
    return node.name == name && node.is_leaf == is_leaf && node.parent == parent;
  };
  if (above.child_count <= kFewChildren) {
    for (std::uint32_t child = above.first_child; child != kNone; child = nodes_[child].next_sibling) {
      if (fits(child)) return child;
    }
    return kNone;
  }
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(child_hash(parent, name)) & mask; table_[at] != kNone;
       at = (at + 1) & mask) {
    if (fits(table_[at])) return table_[at];
  }
  return kNone;
}

void TreeBuilder::remember(std::uint32_t node) {
  if (table_used_ * 2 >= table_.size()) grow_table();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = static_cast<std::size_t>(child_hash(nodes_[node].parent, nodes_[node].name)) & mask;
  // Of equal names only the first is found, so only it is kept: a pickle may set one key very often.
  const Node& added = nodes_[node];
  for (; table_[at] != kNone; at = (at + 1) & mask) {
    const Node& known = nodes_[table_[at]];
    if (known.name == added.name && known.parent == added.parent && known.is_leaf == added.is_leaf) return;
  }
  table_[at] = node;
  ++table_used_;
}

void TreeBuilder::grow_table() {
  std::vector<std::uint32_t> old(table_.size() * 2, kNone);
  old.swap(table_);
  table_used_ = 0;
  for (const std::uint32_t node : old) {
    if (node != kNone) remember(node);
  }
}

std::uint32_t TreeBuilder::add_dotted(std::uint32_t base, std::string_view name, std::uint32_t tensor) {
  // 1. Keep the part of the last path that this name shares.
  if (base != last_base_) path_.clear();
  const std::size_t common = common_length(name, last_name_);
  while (!path_.empty() && path_.back().end > common) path_.pop_back();
  last_name_.assign(name);
  last_base_ = base;
  name = last_name_;  // `name` may lie in strings_, which moves when it grows

  // 2. Walk the modules that remain.
  std::uint32_t node = path_.empty() ? base : path_.back().node;
  std::size_t begin = path_.empty() ? 0 : path_.back().end;
  while (path_.size() + 1 < kMaxParts) {
    const std::size_t dot = name.find('.', begin);
    if (dot == std::string_view::npos) break;
    const std::uint32_t part = strings_.intern(name.substr(begin, dot - begin));
    std::uint32_t child = find_child(node, part, false);
    if (child == kNone) child = add_child(node, part, NodeKind::Module, false);
    node = child;
    begin = dot + 1;
    path_.push_back({begin, node});
  }

  // 3. The tensor.
  const std::uint32_t part = strings_.intern(name.substr(begin));
  if (find_child(node, part, true) != kNone) return kNone;
  const std::uint32_t leaf = add_child(node, part, NodeKind::Tensor, true);
  nodes_[leaf].tensor = tensor;
  set_flag(leaf, kKindInferred);
  return leaf;
}

bool TreeBuilder::before(const Node& a, const Node& b) {
  if (a.number != kNone && b.number != kNone) return a.number < b.number;
  if (a.name == b.name) return false;
  const std::uint64_t pair = (std::uint64_t{a.name} << 32U) | b.name;
  Compared& known = compared_[(a.name * 31U + b.name) % compared_.size()];
  if (known.pair != pair) known = {pair, natural_less(strings_.view(a.name), strings_.view(b.name))};
  return known.is_before;
}

void TreeBuilder::sort_children(std::uint32_t parent, SiblingOrder order) {
  if (order == SiblingOrder::AsAdded || nodes_[parent].child_count < 2) return;
  bool is_sorted = true;
  bool all_numbers = true;
  for (std::uint32_t child = nodes_[parent].first_child; child != kNone; child = nodes_[child].next_sibling) {
    const Node& node = nodes_[child];
    if (node.number == kNone) {
      all_numbers = false;
      if (order == SiblingOrder::Registration) return;
    }
    if (is_sorted && node.next_sibling != kNone && before(nodes_[node.next_sibling], node)) is_sorted = false;
  }
  if (is_sorted || (order == SiblingOrder::Registration && !all_numbers)) return;
  scratch_.clear();
  for (std::uint32_t child = nodes_[parent].first_child; child != kNone; child = nodes_[child].next_sibling) {
    scratch_.push_back(child);
  }
  std::stable_sort(scratch_.begin(), scratch_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(nodes_[a], nodes_[b]); });
  nodes_[parent].first_child = scratch_.front();
  nodes_[parent].last_child = scratch_.back();
  for (std::size_t at = 0; at < scratch_.size(); ++at) {
    nodes_[scratch_[at]].next_sibling = at + 1 < scratch_.size() ? scratch_[at + 1] : kNone;
  }
}

void TreeBuilder::lift_parts_of_tensors() {
  std::vector<std::uint32_t> parents;
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t at = 1; at < count; ++at) {
    const Node& node = nodes_[at];
    if (node.kind != NodeKind::Module || node.tensor != kNone || node.class_name != 0 || node.is_gone) continue;
    if (node.first_child == kNone || find_child(node.parent, node.name, true) == kNone) continue;
    parents.push_back(node.parent);
    lift_leaves(at);
  }
  // Each list of children without those that are gone.
  std::sort(parents.begin(), parents.end());
  parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  for (const std::uint32_t parent : parents) {
    std::uint32_t last = kNone;
    std::uint32_t kept = 0;
    for (std::uint32_t child = nodes_[parent].first_child; child != kNone; child = nodes_[child].next_sibling) {
      if (nodes_[child].is_gone) continue;
      if (last == kNone) {
        nodes_[parent].first_child = child;
      } else {
        nodes_[last].next_sibling = child;
      }
      last = child;
      ++kept;
    }
    nodes_[last].next_sibling = kNone;  // the tensor itself is there
    nodes_[parent].last_child = last;
    nodes_[parent].child_count = kept;
  }
}

/// Makes all that lies in `module` children of its parent, under the rest of their names.
void TreeBuilder::lift_leaves(std::uint32_t module) {
  const std::uint32_t parent = nodes_[module].parent;
  std::string path(strings_.view(nodes_[module].name));
  std::vector<std::pair<std::uint32_t, std::size_t>> open = {{nodes_[module].first_child, path.size()}};
  nodes_[module].is_gone = true;
  ++gone_;
  while (!open.empty()) {
    const std::uint32_t at = open.back().first;
    path.resize(open.back().second);
    if (at == kNone) {
      open.pop_back();
      continue;
    }
    open.back().first = nodes_[at].next_sibling;
    path.append(".").append(strings_.view(nodes_[at].name));
    if (nodes_[at].first_child != kNone) {
      nodes_[at].is_gone = true;
      ++gone_;
      open.emplace_back(nodes_[at].first_child, path.size());
      continue;
    }
    Node& leaf = nodes_[at];
    leaf.name = strings_.intern(path);
    leaf.number = kNone;
    leaf.parent = parent;
    leaf.next_sibling = kNone;
    nodes_[nodes_[parent].last_child].next_sibling = at;
    nodes_[parent].last_child = at;
  }
}

base::Result<void> TreeBuilder::finish(SiblingOrder order, Checkpoint& document, std::vector<std::uint32_t>* rows) {
  if (overflowed_) {
    return base::Error{.found = fmt::format("the file describes more than {} rows", kMaxRows),
                       .expected = fmt::format("at most {} modules, tensors and entries", kMaxRows),
                       .where = document.files.empty() ? std::string() : document.files.front().name,
                       .offset = std::nullopt};
  }
  lift_parts_of_tensors();
  ModuleTree& tree = document.tree;
  const std::size_t count = nodes_.size() - gone_;
  tree.parent.resize(count);
  tree.end.resize(count);
  tree.name.resize(count);
  tree.class_name.resize(count);
  tree.preview.resize(count);
  tree.kind.resize(count);
  tree.flags.resize(count);
  tree.tensor.resize(count);
  if (rows != nullptr) rows->assign(nodes_.size(), kNone);

  // Pre-order without a stack: down to the first child, else to the next sibling, else up.
  std::uint32_t next = 0;
  std::uint32_t at = 0;
  std::uint32_t parent_row = kNone;
  while (true) {
    const std::uint32_t row = next++;
    sort_children(at, order);
    const Node& node = nodes_[at];
    tree.parent[row] = parent_row;
    tree.name[row] = node.name;
    tree.class_name[row] = node.class_name;
    tree.preview[row] = node.preview;
    tree.kind[row] = node.kind;
    tree.flags[row] = node.flags;
    tree.tensor[row] = node.tensor;
    tree.end[row] = next;
    if (node.tensor != kNone && document.tensors[node.tensor].node == kNone) document.tensors[node.tensor].node = row;
    if (rows != nullptr) (*rows)[at] = row;
    if (node.first_child != kNone) {
      parent_row = row;
      at = node.first_child;
      continue;
    }
    while (at != 0 && nodes_[at].next_sibling == kNone) {
      at = nodes_[at].parent;
      tree.end[parent_row] = next;
      parent_row = tree.parent[parent_row];
    }
    if (at == 0) break;
    at = nodes_[at].next_sibling;
  }
  std::vector<Node>().swap(nodes_);
  infer_kinds(document);
  infer_classes(document);
  mark_shared(document);
  sum_subtrees(document);
  number_structures(document);
  return {};
}

}  // namespace nns::checkpoint
