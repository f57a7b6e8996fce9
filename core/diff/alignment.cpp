#include "core/diff/alignment.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nns::diff {

namespace {

using base::hash_mix;
using checkpoint::ModuleTree;

constexpr std::size_t kMostNames = 32;      // of an end of a name: names may be nested 65,535 deep
constexpr std::uint32_t kMostWrappers = 8;  // around one another
constexpr int kRounds = 4;

// What wraps a module without a change to its tensors: DataParallel and DistributedDataParallel, torch.compile, FSDP,
// activation checkpoints, Lightning's strategies.
constexpr std::array<std::string_view, 6> kWrappers = {
    "module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module", "_forward_module", "_fpw_module"};
// Last names that stand for each other: what TensorFlow's layer norms call weight and bias.
constexpr std::array<std::array<std::string_view, 2>, 2> kSynonyms = {{{"gamma", "weight"}, {"beta", "bias"}}};

}  // namespace

Aligner::Table::Table(std::size_t expected) {
  std::size_t size = 16;
  while (size < expected * 2) size *= 2;
  slots_.resize(size);
}

std::uint32_t& Aligner::Table::at(std::uint64_t key, std::uint32_t fresh) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  std::size_t at = hash_mix(key, 0) & (slots_.size() - 1);
  while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at].key == 0) {
    slots_[at] = {key, fresh};
    ++used_;
  }
  return slots_[at].value;
}

std::uint32_t Aligner::Table::find(std::uint64_t key) const {
  std::size_t at = hash_mix(key, 0) & (slots_.size() - 1);
  while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].key == 0 ? kNone : slots_[at].value;
}

void Aligner::Table::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key == 0) continue;
    std::size_t at = hash_mix(slot.key, 0) & (slots_.size() - 1);
    while (slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

Aligner::Aligner(const TreeOf& a, const TreeOf& b) : a_{a.file, a.tree, {}, {}}, b_{b.file, b.tree, {}, {}} {}

bool Aligner::step() {
  switch (phase_) {
    case 0:
      name_rows();
      break;
    case 1:
      descend();
      break;
    case 2:
      if (vote() && ++rounds_ < kRounds) return false;
      break;
    case 3:
      climb();
      break;
    case 4:
      match_siblings();
      break;
    case 5:
      match_by_name();
      break;
    case 6:
      match_moved();
      break;
    case 7:
      match_renamed();
      break;
    default:
      tell_wrappers();
      return true;
  }
  ++phase_;
  return false;
}

void Aligner::name_rows() {
  for (Side* side : {&a_, &b_}) {
    const ModuleTree& tree = *side->tree;
    std::vector<std::uint32_t> known(tree.strings.size(), kNone);
    side->name.resize(tree.size());
    for (Row row = 0; row < tree.size(); ++row) {
      std::uint32_t& name = known[tree.name[row]];
      if (name == kNone) name = strings_.intern(tree.strings.view(tree.name[row]));
      side->name[row] = name;
      if (side->is_tensor(row)) side->tensors.push_back(row);
    }
  }
  std::vector<std::uint32_t> wrapper_names;
  for (const std::string_view name : kWrappers) wrapper_names.push_back(strings_.intern(name));
  for (const auto& both : kSynonyms) {
    for (const std::string_view name : both) strings_.intern(name);
  }
  is_wrapper_.assign(strings_.size(), false);
  for (const std::uint32_t name : wrapper_names) is_wrapper_[name] = true;

  const std::uint32_t rows_a = a_.tree->size();
  const std::uint32_t rows_b = b_.tree->size();
  children_ = Table(rows_b);
  next_same_.assign(rows_b, kNone);
  for (Row row = rows_b; row-- > 1;) {
    std::uint32_t& first = children_.at((std::uint64_t{b_.tree->parent[row]} + 1) << 32U | b_.name[row], kNone);
    next_same_[row] = first;
    first = row;
  }
  found_.b_of_a.assign(rows_a, kNone);
  found_.a_of_b.assign(rows_b, kNone);
  found_.place_of_a.assign(rows_a, kNone);
  found_.match.assign(rows_b, Match::Same);
  found_.prefix.assign(rows_b, false);
  told_.assign(rows_b, false);
  wrapped_a_.assign(rows_a, false);
  wrapped_b_.assign(rows_b, false);
  enough_ = std::max<std::uint32_t>(2, static_cast<std::uint32_t>(std::min(a_.tensors.size(), b_.tensors.size()) / 20));
  work_left_ = 16 * std::uint64_t{rows_a};
}

std::string Aligner::prefix_text(const ModuleTree& tree, Row row) {
  if (row == 0) return {};
  return path_of(tree, row) + (tree.kind[row] == checkpoint::NodeKind::Container ? "/" : ".");
}

Aligner::Row Aligner::same_name_below(Row b, Row a) const {
  const Row row = child(b, a_.name[a]);
  return row != kNone && found_.a_of_b[row] == kNone && b_.is_tensor(row) == a_.is_tensor(a) ? row : kNone;
}

void Aligner::line_up(Row a, Row b) {
  found_.place_of_a[a] = b;
  found_.a_of_b[b] = a;
}

std::uint32_t Aligner::child(Row b, std::uint32_t name) const {
  return children_.find((std::uint64_t{b} + 1) << 32U | name);
}

// The child of `b` that is called as `a`, perhaps inside wrappers that only B has.
Aligner::Found Aligner::look(Row b, Row a) const {
  Row wrapper = kNone;
  for (std::uint32_t depth = 0; depth <= kMostWrappers; ++depth) {
    const Row row = child(b, a_.name[a]);
    if (row != kNone) return b_.is_tensor(row) == a_.is_tensor(a) ? Found{row, wrapper} : Found{};
    if (!b_.has_sole_child(b) || !is_wrapper(b_, b + 1)) break;
    wrapper = ++b;
  }
  return {};
}

void Aligner::pair(Row a, Row b, Match match, bool through_prefix) {
  found_.b_of_a[a] = b;
  found_.a_of_b[b] = a;
  found_.match[b] = match;
  found_.prefix[b] = through_prefix;
  std::uint32_t& first = children_.at((std::uint64_t{b_.tree->parent[b]} + 1) << 32U | b_.name[b], kNone);
  while (first != kNone && b_.is_tensor(first) && found_.a_of_b[first] != kNone) first = next_same_[first];
}

// Equal names from the root down; what is a wrapper on one side only is passed through.
void Aligner::descend() {
  const ModuleTree& tree = *a_.tree;
  along_.assign(tree.size(), kNone);
  std::vector<bool> is_off(tree.size(), false);
  along_[0] = 0;
  for (Row a = 1; a < tree.size(); ++a) {
    const Row parent = tree.parent[a];
    const Row b = along_[parent];
    if (b == kNone) continue;
    const Found found = look(b, a);
    if (found.row == kNone) {
      if (!is_wrapper(a_, a) || !a_.has_sole_child(parent) || a_.is_tensor(a)) continue;
      along_[a] = b;
      is_off[a] = true;
      if (!wrappers_.empty() && wrappers_.back().is_a && wrappers_.back().last == parent) {
        wrappers_.back().last = a;
      } else {
        wrappers_.push_back({true, a, a, b});
      }
      continue;
    }
    is_off[a] = is_off[parent] || found.under != kNone;
    if (found.under != kNone && !told_[found.under]) {
      told_[found.under] = true;
      wrappers_.push_back({false, b + 1, found.under, parent});
    }
    if (a_.is_tensor(a)) {
      pair(a, found.row, Match::Same, is_off[a]);
      wrapped_a_[a] = wrapped_b_[found.row] = is_off[a];
    } else {
      along_[a] = found.row;
    }
  }
}

void Aligner::drop_matched(Side& side, const std::vector<std::uint32_t>& partner) const {
  side.tensors.erase(
      std::remove_if(side.tensors.begin(), side.tensors.end(), [&](Row row) { return partner[row] != kNone; }),
      side.tensors.end());
}

void Aligner::ends_of(const Side& side, Row row, std::vector<std::uint64_t>& ends) const {
  ends.clear();
  std::uint64_t hash = 1;
  for (Row at = row; at != 0 && ends.size() < kMostNames; at = side.tree->parent[at]) {
    hash = hash_mix(hash, side.name[at]) | 1U;
    ends.push_back(hash);
  }
}

bool Aligner::same_end(Row a, Row b, std::size_t names) const {
  for (; names > 0; --names) {
    if (a == 0 || b == 0 || a_.name[a] != b_.name[b]) return false;
    a = a_.tree->parent[a];
    b = b_.tree->parent[b];
  }
  return true;
}

Aligner::Row Aligner::above(const Side& side, Row row, std::size_t levels) {
  for (; levels > 0; --levels) row = side.tree->parent[row];
  return row;
}

std::uint64_t Aligner::shape_key(const Side& side, Row row, bool with_dtype) {
  const checkpoint::TensorEntry& entry = side.file->tensors[side.tree->tensor[row]];
  if (!entry.has_shape) return 0;
  std::uint64_t key = entry.rank;
  for (const std::int64_t size : side.file->shape(entry)) key = hash_mix(key, static_cast<std::uint64_t>(size));
  if (with_dtype) key = hash_mix(key, base::hash_text(side.file->dtype_name(entry)));
  return key | 1U;
}

// Each tensor without a partner votes for the two rows below which the rest of its name is the same: the longest end of
// its name that the other side has, if it has it once. True if tensors found partners, so that others may vote anew.
bool Aligner::vote() {
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  if (a_.tensors.empty() || b_.tensors.empty()) return false;
  Table ends_b(b_.tensors.size() * 6);
  std::vector<std::uint64_t> ends;
  for (const Row row : b_.tensors) {
    ends_of(b_, row, ends);
    for (const std::uint64_t end : ends) {
      std::uint32_t& known = ends_b.at(end, row);
      if (known != row) known = kMany;
    }
  }
  struct Vote {
    Row a, b;
    std::uint32_t count;
  };
  std::vector<Vote> votes;
  Table places;
  for (const Row row : a_.tensors) {
    ends_of(a_, row, ends);
    for (std::size_t names = ends.size(); names > 0; --names) {
      const Row other = ends_b.find(ends[names - 1]);
      if (other == kNone) continue;
      if (other == kMany || !same_end(row, other, names)) break;
      const std::uint64_t shape = shape_key(a_, row, false);
      if (shape == 0 || shape != shape_key(b_, other, false)) break;
      const Vote vote{above(a_, row, names), above(b_, other, names), 1};
      const std::uint32_t index =
          places.at((std::uint64_t{vote.a} + 1) << 32U | vote.b, static_cast<std::uint32_t>(votes.size()));
      if (index == votes.size()) {
        votes.push_back(vote);
      } else {
        ++votes[index].count;
      }
      break;
    }
  }
  std::stable_sort(votes.begin(), votes.end(), [](const Vote& x, const Vote& y) { return x.count > y.count; });
  std::uint32_t matched = 0;
  for (const Vote& vote : votes) {
    if (vote.count < 2) break;
    matched += apply(vote.a, vote.b);
  }
  return matched > 0;
}

// Lines up what lies below the two rows by name; how many tensors found a partner. Fewer than enough are no prefix,
// they were moved.
std::uint32_t Aligner::apply(Row under_a, Row under_b) {
  const ModuleTree& tree = *a_.tree;
  const std::uint64_t work = tree.end[under_a] - under_a;
  if (work > work_left_) return 0;
  work_left_ -= work;
  std::fill(along_.data() + under_a, along_.data() + tree.end[under_a], kNone);
  along_[under_a] = under_b;
  std::vector<Row> matched;
  for (Row a = under_a + 1; a < tree.end[under_a]; ++a) {
    const Row b = along_[tree.parent[a]];
    if (b == kNone) continue;
    const Row other = child(b, a_.name[a]);
    if (other == kNone || b_.is_tensor(other) != a_.is_tensor(a)) continue;
    if (!a_.is_tensor(a)) {
      along_[a] = other;
    } else if (found_.b_of_a[a] == kNone && found_.a_of_b[other] == kNone) {
      pair(a, other, Match::Same, true);
      matched.push_back(other);
    }
  }
  const auto count = static_cast<std::uint32_t>(matched.size());
  if (count == 0) return 0;
  if (count >= enough_) {
    found_.prefixes.push_back({prefix_text(tree, under_a), prefix_text(*b_.tree, under_b), count, 1});
  } else {
    for (const Row row : matched) {
      found_.match[row] = Match::Moved;
      found_.prefix[row] = false;
    }
  }
  return count;
}

// Modules line up where their tensors do, from the tensors up as far as their names are equal.
void Aligner::climb() {
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  for (Row row = 1; row < b_.tree->size(); ++row) {
    if (!b_.is_tensor(row) || found_.a_of_b[row] == kNone || found_.match[row] != Match::Same) continue;
    Row a = a_.tree->parent[found_.a_of_b[row]];
    Row b = b_.tree->parent[row];
    while (true) {
      const bool is_known = found_.place_of_a[a] != kNone && found_.a_of_b[b] != kNone;
      if (is_known) break;
      if (found_.place_of_a[a] == kNone) found_.place_of_a[a] = b;
      if (found_.a_of_b[b] == kNone) found_.a_of_b[b] = a;
      if (a == 0 || b == 0) break;
      if (a_.name[a] == b_.name[b]) {
        a = a_.tree->parent[a];
        b = b_.tree->parent[b];
      } else if (is_wrapper(a_, a)) {
        a = a_.tree->parent[a];
        // The module stands for the row, not its wrapper.
        found_.a_of_b[b] = kNone;
      } else if (is_wrapper(b_, b)) {
        b = b_.tree->parent[b];
      } else {
        break;
      }
    }
  }
  if (found_.place_of_a[0] == kNone) found_.place_of_a[0] = 0;
  if (found_.a_of_b[0] == kNone) found_.a_of_b[0] = 0;
}

// What has no tensors, and tensors that stayed over, by name below modules that line up.
void Aligner::match_by_name() {
  const ModuleTree& tree = *a_.tree;
  for (Row a = 1; a < tree.size(); ++a) {
    const Row parent = found_.place_of_a[tree.parent[a]];
    if (parent == kNone || found_.b_of_a[a] != kNone || found_.place_of_a[a] != kNone) continue;
    const Row b = same_name_below(parent, a);
    if (b == kNone) continue;
    if (a_.is_tensor(a)) {
      pair(a, b, Match::Same, false);
    } else {
      line_up(a, b);
    }
  }
}

void Aligner::match_moved() {
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  if (a_.tensors.empty() || b_.tensors.empty()) return;
  std::vector<std::uint64_t> ends;
  const auto collect = [&](const Side& side) {
    Table table(side.tensors.size() * 6);
    for (const Row row : side.tensors) {
      const std::uint64_t shape = shape_key(side, row, true);
      if (shape == 0) continue;
      ends_of(side, row, ends);
      for (const std::uint64_t end : ends) {
        std::uint32_t& known = table.at(hash_mix(end, shape) | 1U, row);
        if (known != row) known = kMany;
      }
    }
    return table;
  };
  const Table ends_a = collect(a_);
  const Table ends_b = collect(b_);
  for (const Row row : a_.tensors) {
    const std::uint64_t shape = shape_key(a_, row, true);
    if (shape == 0) continue;
    ends_of(a_, row, ends);
    for (std::size_t names = ends.size(); names > 0; --names) {
      const std::uint64_t key = hash_mix(ends[names - 1], shape) | 1U;
      const Row other = ends_b.find(key);
      if (other == kNone) continue;
      // A shorter end is there as often at least.
      if (other == kMany || ends_a.find(key) == kMany) break;
      if (found_.a_of_b[other] == kNone && same_end(row, other, names)) pair(row, other, Match::Moved, false);
      break;
    }
  }
}

void Aligner::match_renamed() {
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  if (a_.tensors.empty() || b_.tensors.empty()) return;
  // Names that are known to stand for each other.
  for (const Row row : a_.tensors) {
    const Row parent = found_.place_of_a[a_.tree->parent[row]];
    if (parent == kNone) continue;
    const std::string_view name = strings_.view(a_.name[row]);
    for (const auto& both : kSynonyms) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (name != both[i]) continue;
        const Row other = child(parent, strings_.intern(both[1 - i]));
        if (other == kNone || !b_.is_tensor(other) || found_.a_of_b[other] != kNone) continue;
        if (shape_key(a_, row, false) != shape_key(b_, other, false)) continue;
        pair(row, other, Match::Renamed, false);
      }
    }
  }
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  // The only one of its shape and dtype under its parent, on both sides. Scalars are too alike.
  const auto key_of = [](const Side& side, Row row, Row parent_b) -> std::uint64_t {
    if (parent_b == kNone || side.file->tensors[side.tree->tensor[row]].rank == 0) return 0;
    const std::uint64_t shape = shape_key(side, row, true);
    return shape == 0 ? 0 : hash_mix(shape, parent_b) | 1U;
  };
  Table only_b(b_.tensors.size());
  for (const Row row : b_.tensors) {
    const std::uint64_t key = key_of(b_, row, b_.tree->parent[row]);
    if (key != 0 && only_b.at(key, row) != row) only_b.at(key, row) = kMany;
  }
  Table only_a(a_.tensors.size());
  for (const Row row : a_.tensors) {
    const std::uint64_t key = key_of(a_, row, found_.place_of_a[a_.tree->parent[row]]);
    if (key != 0 && only_a.at(key, row) != row) only_a.at(key, row) = kMany;
  }
  for (const Row row : a_.tensors) {
    const std::uint64_t key = key_of(a_, row, found_.place_of_a[a_.tree->parent[row]]);
    if (key == 0 || only_a.find(key) != row) continue;
    const Row other = only_b.find(key);
    if (other < kMany && found_.a_of_b[other] == kNone) pair(row, other, Match::Renamed, false);
  }
}

void Aligner::tell_wrappers() {
  if (!wrappers_.empty()) {
    // Tensors among the rows before each row.
    const auto count_before = [](const std::vector<bool>& is_counted) {
      std::vector<std::uint32_t> before(is_counted.size() + 1, 0);
      for (std::size_t row = 0; row < is_counted.size(); ++row)
        before[row + 1] = before[row] + (is_counted[row] ? 1 : 0);
      return before;
    };
    const auto before_a = count_before(wrapped_a_);
    const auto before_b = count_before(wrapped_b_);
    Table groups;
    for (const Wrapper& wrapper : wrappers_) {
      const Side& side = wrapper.is_a ? a_ : b_;
      const Side& other = wrapper.is_a ? b_ : a_;
      const auto& before = wrapper.is_a ? before_a : before_b;
      const std::uint32_t tensors = before[side.tree->end[wrapper.last]] - before[wrapper.last];
      if (tensors == 0) continue;
      std::string name;
      for (Row row = wrapper.last;; row = side.tree->parent[row]) {
        name.insert(0, std::string(strings_.view(side.name[row])) + ".");
        if (row == wrapper.first) break;
      }
      const std::uint64_t key = base::hash_text(name) << 1U | (wrapper.is_a ? 1U : 0U) | (std::uint64_t{1} << 63U);
      const auto fresh = static_cast<std::uint32_t>(found_.prefixes.size());
      const std::uint32_t index = groups.at(key, fresh);
      if (index == fresh) {
        std::string here = prefix_text(*side.tree, wrapper.last);
        std::string there = prefix_text(*other.tree, wrapper.other);
        if (!wrapper.is_a) here.swap(there);
        found_.prefixes.push_back({std::move(here), std::move(there), tensors, 1});
        continue;
      }
      Prefix& known = found_.prefixes[index];
      known.tensors += tensors;
      ++known.places;
      known.a = wrapper.is_a ? name : std::string();
      known.b = wrapper.is_a ? std::string() : name;
    }
  }
  std::stable_sort(found_.prefixes.begin(), found_.prefixes.end(),
                   [](const Prefix& x, const Prefix& y) { return x.tensors > y.tensors; });
}

}  // namespace nns::diff
