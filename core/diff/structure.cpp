#include "core/diff/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "core/diff/alignment.h"

namespace nns::diff {

namespace {

using checkpoint::Checkpoint;
using checkpoint::ModuleTree;
using checkpoint::NodeKind;
using checkpoint::TensorEntry;
using Row = std::uint32_t;

std::uint8_t tensor_flags(const Checkpoint& file_a, std::uint32_t tensor_a, const Checkpoint& file_b,
                          std::uint32_t tensor_b) {
  const TensorEntry& a = file_a.tensors[tensor_a];
  const TensorEntry& b = file_b.tensors[tensor_b];
  if (!a.has_shape || !b.has_shape) return kUnknown;
  const auto shape_a = file_a.shape(a);
  const auto shape_b = file_b.shape(b);
  std::uint8_t flags = 0;
  if (!std::equal(shape_a.begin(), shape_a.end(), shape_b.begin(), shape_b.end())) flags |= kShape;
  if (file_a.dtype_name(a) != file_b.dtype_name(b)) flags |= kDtype;
  return flags;
}

// The rows from `row` to the end of its subtree as a tree of their own: what a comparison reads of it.
ModuleTree cut_out(const ModuleTree& tree, Row row) {
  const auto cut = [&](const auto& column) {
    const auto* first = column.data();
    return std::decay_t<decltype(column)>(first + row, first + tree.end[row]);
  };
  ModuleTree part;
  part.parent = cut(tree.parent);
  part.end = cut(tree.end);
  for (Row& parent : part.parent) parent -= row;
  for (Row& end : part.end) end -= row;
  part.parent[0] = kNone;
  part.name = cut(tree.name);
  part.class_name = cut(tree.class_name);
  part.preview = cut(tree.preview);
  part.kind = cut(tree.kind);
  part.flags = cut(tree.flags);
  part.tensor = cut(tree.tensor);
  part.strings = tree.strings;
  return part;
}

Structure two_tensors(const Checkpoint& a, const Checkpoint& b, const Parts& parts) {
  Structure out;
  out.parent = {kNone};
  out.end = {1};
  out.a = {parts.a};
  out.b = {parts.b};
  out.match = {Match::Same};
  out.flags = {tensor_flags(a, a.tree.tensor[parts.a], b, b.tree.tensor[parts.b])};
  out.changes = {out.is_change(0) ? 1U : 0U};
  out.counts.tensors_a = out.counts.tensors_b = 1;
  out.counts.same = out.differs(0) || (out.flags[0] & kUnknown) != 0 ? 0 : 1;
  out.counts.shape = (out.flags[0] & kShape) != 0 ? 1 : 0;
  out.counts.dtype = (out.flags[0] & kDtype) != 0 ? 1 : 0;
  return out;
}

// Every row of B has a node of that number; rows that only A has follow behind them.
class Union {
 public:
  Union(const TreeOf& a, const TreeOf& b, Alignment alignment)
      : a_(*a.tree), b_(*b.tree), file_a_(*a.file), file_b_(*b.file), found_(std::move(alignment)) {}

  void link();
  Structure write();

 private:
  Row nodes_of_b() const { return b_.size(); }
  void add_child(Row parent, Row node, Row after);
  void describe(Structure& out, Row node, Row row);
  void compare_tensors(Structure& out, Row row, std::uint8_t& flags) const;
  void compare_others(Structure& out, Row row, std::uint8_t& flags) const;
  void add_up(Structure& out) const;

  const ModuleTree& a_;
  const ModuleTree& b_;
  const Checkpoint& file_a_;
  const Checkpoint& file_b_;
  Alignment found_;
  std::vector<Row> only_a_;        // rows of A, by node less nodes_of_b()
  std::vector<Row> parent_;        // by node
  std::vector<Row> first_child_;   // by node
  std::vector<Row> next_sibling_;  // by node
};

void Union::add_child(Row parent, Row node, Row after) {
  Row& place = after == kNone ? first_child_[parent] : next_sibling_[after];
  next_sibling_[node] = place;
  place = node;
  parent_[node] = parent;
}

void Union::link() {
  const ModuleTree& tree = a_;
  const ModuleTree& tree_b = b_;
  const auto has_place = [&](Row row) { return found_.b_of_a[row] != kNone || found_.place_of_a[row] != kNone; };
  // A module of A is left out if all that it had lines up elsewhere.
  std::vector<bool> is_kept(tree.size(), false);
  for (Row row = tree.size(); row-- > 1;) {
    if (has_place(row)) continue;
    if (tree.end[row] == row + 1 || tree.tensor[row] != kNone) is_kept[row] = true;
    if (is_kept[row] && tree.parent[row] != kNone) is_kept[tree.parent[row]] = true;
  }
  std::vector<Row> node(tree.size(), kNone);
  for (Row row = 0; row < tree.size(); ++row) {
    if (has_place(row)) {
      node[row] = found_.b_of_a[row] != kNone ? found_.b_of_a[row] : found_.place_of_a[row];
    } else if (is_kept[row]) {
      node[row] = nodes_of_b() + static_cast<Row>(only_a_.size());
      only_a_.push_back(row);
    }
  }
  const std::size_t nodes = std::size_t{nodes_of_b()} + only_a_.size();
  parent_.assign(nodes, kNone);
  first_child_.assign(nodes, kNone);
  next_sibling_.assign(nodes, kNone);
  for (Row row = tree_b.size(); row-- > 1;) add_child(tree_b.parent[row], row, kNone);
  std::vector<Row> cursor(nodes, kNone);  // by node: the child behind which A goes on
  for (Row row = 1; row < tree.size(); ++row) {
    Row above = tree.parent[row];
    while (node[above] == kNone) above = tree.parent[above];
    const Row parent = node[above];
    if (node[row] == kNone) continue;
    if (node[row] >= nodes_of_b()) {
      add_child(parent, node[row], cursor[parent]);
      cursor[parent] = node[row];
    } else if (parent_[node[row]] == parent) {
      cursor[parent] = node[row];
    }
  }
}

void Union::compare_tensors(Structure& out, Row row, std::uint8_t& flags) const {
  flags |= tensor_flags(file_a_, a_.tensor[out.a[row]], file_b_, b_.tensor[out.b[row]]);
}

void Union::compare_others(Structure& out, Row row, std::uint8_t& flags) const {
  const ModuleTree& a = a_;
  const ModuleTree& b = b_;
  const Row row_a = out.a[row];
  const Row row_b = out.b[row];
  const auto class_a = a.strings.view(a.class_name[row_a]);
  const auto class_b = b.strings.view(b.class_name[row_b]);
  const bool is_said = ((a.flags[row_a] | b.flags[row_b]) & checkpoint::kClassInferred) == 0;
  if (is_said && !class_a.empty() && !class_b.empty() && class_a != class_b) flags |= kClass;
  if (a.strings.view(a.preview[row_a]) != b.strings.view(b.preview[row_b])) flags |= kText;
}

void Union::describe(Structure& out, Row node, Row row) {
  const bool is_of_b = node < nodes_of_b();
  out.a[row] = is_of_b ? found_.a_of_b[node] : only_a_[node - nodes_of_b()];
  out.b[row] = is_of_b ? node : kNone;
  if (out.a[row] == kNone) {
    out.match[row] = Match::Added;
  } else if (out.b[row] == kNone) {
    out.match[row] = Match::Removed;
  } else if (b_.tensor[node] != kNone) {
    out.match[row] = found_.match[node];
    if (found_.prefix[node]) out.flags[row] |= kPrefix;
    compare_tensors(out, row, out.flags[row]);
  } else {
    compare_others(out, row, out.flags[row]);
  }
}

Structure Union::write() {
  Structure out;
  const std::size_t count = parent_.size();
  out.parent.reserve(count);
  out.end.assign(count, 0);
  out.a.assign(count, kNone);
  out.b.assign(count, kNone);
  out.match.assign(count, Match::Same);
  out.flags.assign(count, 0);
  out.changes.assign(count, 0);
  std::vector<Row> row_of(count, kNone);
  for (Row node = 0; node != kNone;) {
    const Row row = out.size();
    row_of[node] = row;
    out.parent.push_back(parent_[node] == kNone ? kNone : row_of[parent_[node]]);
    describe(out, node, row);
    if (first_child_[node] != kNone) {
      node = first_child_[node];
      continue;
    }
    out.end[row] = row + 1;
    while (node != kNone && next_sibling_[node] == kNone) {
      node = parent_[node];
      if (node != kNone) out.end[row_of[node]] = out.size();
    }
    if (node != kNone) node = next_sibling_[node];
  }
  out.prefixes = std::move(found_.prefixes);
  add_up(out);
  return out;
}

// A module that only one side has stands for a prefix if tensors below it line up. Then the sums.
void Union::add_up(Structure& out) const {
  std::vector<bool> has_match(out.size(), false);
  StructureCounts& counts = out.counts;
  for (Row row = out.size(); row-- > 0;) {
    const Row parent = out.parent[row];
    const bool is_a = out.a[row] != kNone;
    const bool is_b = out.b[row] != kNone;
    const bool is_tensor = is_a ? a_.tensor[out.a[row]] != kNone : b_.tensor[out.b[row]] != kNone;
    if (is_a && is_b) has_match[row] = true;
    if (!is_tensor && has_match[row] && !(is_a && is_b)) {
      out.match[row] = Match::Same;
      out.flags[row] |= kPrefix;
    }
    if (row == 0) out.match[row] = Match::Same;
    if (parent != kNone && has_match[row]) has_match[parent] = true;
    if (out.is_change(row)) ++out.changes[row];
    if (parent != kNone) out.changes[parent] += out.changes[row];
    if (!is_tensor) {
      if (out.is_change(row)) ++counts.others;
      continue;
    }
    if (is_a) ++counts.tensors_a;
    if (is_b) ++counts.tensors_b;
    const std::uint8_t flags = out.flags[row];
    if (!out.differs(row) && (flags & kUnknown) == 0) ++counts.same;
    if (out.match[row] == Match::Added) ++counts.added;
    if (out.match[row] == Match::Removed) ++counts.removed;
    if (out.match[row] == Match::Renamed) ++counts.renamed;
    if (out.match[row] == Match::Moved) ++counts.moved;
    if ((flags & kShape) != 0) ++counts.shape;
    if ((flags & kDtype) != 0) ++counts.dtype;
  }
}

// With an empty tree there is nothing to line up: every row of the other stands alone.
Structure one_sided(const Checkpoint& file, bool is_a) {
  const ModuleTree& tree = file.tree;
  Structure out;
  out.parent = tree.parent;
  out.end = tree.end;
  out.a.assign(tree.size(), kNone);
  out.b.assign(tree.size(), kNone);
  out.match.assign(tree.size(), is_a ? Match::Removed : Match::Added);
  out.flags.assign(tree.size(), 0);
  out.changes.assign(tree.size(), 0);
  if (tree.size() > 0) out.match[0] = Match::Same;
  for (Row row = tree.size(); row-- > 0;) {
    (is_a ? out.a : out.b)[row] = row;
    if (out.is_change(row)) ++out.changes[row];
    if (tree.parent[row] != kNone) out.changes[tree.parent[row]] += out.changes[row];
    if (tree.tensor[row] == kNone) {
      if (out.is_change(row)) ++out.counts.others;
      continue;
    }
    ++(is_a ? out.counts.tensors_a : out.counts.tensors_b);
    ++(is_a ? out.counts.removed : out.counts.added);
  }
  return out;
}

}  // namespace

struct StructureTask::State {
  Parts parts;
  std::optional<ModuleTree> part_a;
  std::optional<ModuleTree> part_b;
  TreeOf a;
  TreeOf b;
  std::optional<Aligner> aligner;
  std::optional<Union> made;
  Structure structure;
  bool is_done = false;
};

StructureTask::StructureTask(const Checkpoint& a, const Checkpoint& b, const Parts& parts) : state_(new State{}) {
  State& state = *state_;
  state.parts = parts;
  if (a.tree.size() == 0 || b.tree.size() == 0) {
    state.structure = one_sided(b.tree.size() == 0 ? a : b, b.tree.size() == 0);
    state.is_done = true;
  } else if (a.tree.tensor[parts.a] != kNone && b.tree.tensor[parts.b] != kNone) {
    state.structure = two_tensors(a, b, parts);
    state.is_done = true;
  } else {
    if (parts.a != 0) state.part_a = cut_out(a.tree, parts.a);
    if (parts.b != 0) state.part_b = cut_out(b.tree, parts.b);
    state.a = {&a, state.part_a ? &*state.part_a : &a.tree};
    state.b = {&b, state.part_b ? &*state.part_b : &b.tree};
    state.aligner.emplace(state.a, state.b);
  }
}

StructureTask::~StructureTask() = default;

bool StructureTask::step(const base::Budget& budget) {
  State& state = *state_;
  while (!state.is_done) {
    if (state.made) {
      state.structure = state.made->write();
      state.made.reset();
      // The roots stand for what is compared, also where a wrapper of A lines up with B's root.
      state.structure.a[0] = 0;
      // Rows of the parts become rows of the documents.
      for (Row& row : state.structure.a) row += row == kNone ? 0 : state.parts.a;
      for (Row& row : state.structure.b) row += row == kNone ? 0 : state.parts.b;
      state.is_done = true;
    } else if (state.aligner->step()) {
      state.made.emplace(state.a, state.b, state.aligner->take());
      state.made->link();
    }
    if (!state.is_done && budget.spent()) return false;
  }
  return true;
}

Structure StructureTask::take() { return std::move(state_->structure); }

Structure compare_structure(const Checkpoint& a, const Checkpoint& b, const Parts& parts) {
  StructureTask task(a, b, parts);
  while (!task.step(base::Budget::unlimited())) {
  }
  return task.take();
}

base::Result<void> check_parts(const Checkpoint& a, const Checkpoint& b, const Parts& parts) {
  const auto has_row = [](const Checkpoint& file, Row row) { return row == 0 || row < file.tree.size(); };
  if (!has_row(a, parts.a) || !has_row(b, parts.b)) {
    const bool is_a = !has_row(a, parts.a);
    return base::Error{.found = fmt::format("row {}", is_a ? parts.a : parts.b),
                       .expected = fmt::format("a row below {}", is_a ? a.tree.size() : b.tree.size()),
                       .where = is_a ? a.title : b.title,
                       .offset = std::nullopt};
  }
  if (parts.a == 0 && parts.b == 0) return {};
  const auto is_tensor = [](const Checkpoint& file, Row row) {
    return file.tree.size() > 0 && file.tree.tensor[row] != kNone;
  };
  if (is_tensor(a, parts.a) == is_tensor(b, parts.b)) return {};
  const bool is_a = is_tensor(a, parts.a);
  return base::Error{.found = "a tensor cannot be compared with a module",
                     .expected = "two modules, or two tensors",
                     .where = is_a ? path_of(a.tree, parts.a) : path_of(b.tree, parts.b),
                     .offset = std::nullopt};
}

base::Result<Row> find_path(const Checkpoint& file, std::string_view path) {
  if (path.empty()) return Row{0};
  for (Row row = 1; row < file.tree.size(); ++row) {
    if (path.ends_with(file.tree.strings.view(file.tree.name[row])) && path_of(file.tree, row) == path) return row;
  }
  return base::Error{.found = "no module or tensor has this name",
                     .expected = "a whole name, as inspect prints it",
                     .where = fmt::format("{} in {}", path, file.title),
                     .offset = std::nullopt};
}

std::string path_of(const ModuleTree& tree, Row row) {
  std::vector<Row> chain;
  for (Row at = row; at != 0; at = tree.parent[at]) chain.push_back(at);
  std::string path;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    if (at != chain.rbegin()) path += tree.kind[tree.parent[*at]] == NodeKind::Container ? '/' : '.';
    path += tree.strings.view(tree.name[*at]);
  }
  return path;
}

}  // namespace nns::diff
