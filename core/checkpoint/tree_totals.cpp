#include "core/checkpoint/tree_totals.h"

#include <algorithm>
#include <tuple>

#include "core/base/hash.h"

namespace nns::checkpoint {

namespace {

/// Takes each repetition of a tensor away where its first and its next row meet, and marks its row; `column` wraps
/// around until it is summed up.
void subtract_repetitions(Checkpoint& document, bool parameters_only, std::span<const std::uint32_t> objects,
                          std::vector<std::uint64_t>& column) {
  ModuleTree& tree = document.tree;
  const NodeFlag repeated = parameters_only ? kRepeatedParameter : kRepeatedBytes;
  struct Key {
    std::uint32_t storage;
    std::uint64_t offset;
    std::uint64_t numel;
    std::uint32_t row;
    std::uint64_t amount;
  };
  std::vector<Key> keys;
  for (std::uint32_t row = 0; row < tree.size(); ++row) {
    if ((tree.flags[row] & kShared) == 0 || tree.tensor[row] == kNone) continue;
    if (parameters_only && tree.kind[row] != NodeKind::Parameter) continue;
    const TensorEntry& entry = document.tensors[tree.tensor[row]];
    if (parameters_only && !objects.empty()) {
      keys.push_back({objects[tree.tensor[row]], 0, 0, row, entry.numel});
      continue;
    }
    keys.push_back(
        {entry.storage, entry.storage_offset, entry.numel, row, parameters_only ? entry.numel : entry.nbytes});
  }
  const auto same = [](const Key& k) { return std::tie(k.storage, k.offset, k.numel); };
  std::sort(keys.begin(), keys.end(),
            [&](const Key& a, const Key& b) { return same(a) != same(b) ? same(a) < same(b) : a.row < b.row; });
  for (std::size_t at = 1; at < keys.size(); ++at) {
    if (same(keys[at - 1]) != same(keys[at])) continue;
    column[common_ancestor(tree, keys[at - 1].row, keys[at].row)] -= keys[at].amount;
    std::uint8_t& flags = tree.flags[keys[at].row];
    flags = static_cast<std::uint8_t>(flags | repeated);
  }
}

/// Numbers for 64-bit hashes, in order of appearance.
class Numbering {
 public:
  Numbering() : slots_(1024) {}
  std::uint32_t number(std::uint64_t hash) {
    if (used_ * 2 >= slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = static_cast<std::size_t>(hash) & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.number == kNone) {
        slot = {hash, static_cast<std::uint32_t>(used_)};
        ++used_;
        return slot.number;
      }
      if (slot.hash == hash) return slot.number;
    }
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
  };
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t at = static_cast<std::size_t>(slot.hash) & mask;
      while (slots_[at].number != kNone) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace

void mark_shared(Checkpoint& document) {
  std::vector<std::uint32_t> users(document.storages.size(), 0);
  bool any = false;
  const auto counts = [](const TensorEntry& entry) {
    return entry.storage != kNone && entry.numel != 0 && entry.node != kNone;
  };
  for (const TensorEntry& entry : document.tensors) {
    if (counts(entry)) any |= ++users[entry.storage] > 1;
  }
  if (!any) return;
  for (const TensorEntry& entry : document.tensors) {
    if (counts(entry) && users[entry.storage] > 1) {
      std::uint8_t& flags = document.tree.flags[entry.node];
      flags = static_cast<std::uint8_t>(flags | kShared);
    }
  }
}

void sum_subtrees(Checkpoint& document, std::span<const std::uint32_t> objects) {
  ModuleTree& tree = document.tree;
  const std::uint32_t count = tree.size();
  tree.parameters.assign(count, 0);
  tree.bytes.assign(count, 0);
  for (std::uint32_t row = 0; row < count; ++row) {
    if (tree.tensor[row] == kNone) continue;
    const TensorEntry& entry = document.tensors[tree.tensor[row]];
    tree.bytes[row] = entry.nbytes;
    if (tree.kind[row] == NodeKind::Parameter) tree.parameters[row] = entry.numel;
  }
  subtract_repetitions(document, true, objects, tree.parameters);
  subtract_repetitions(document, false, {}, tree.bytes);
  for (std::uint32_t row = count; row-- > 1;) {
    tree.parameters[tree.parent[row]] += tree.parameters[row];
    tree.bytes[tree.parent[row]] += tree.bytes[row];
  }
}

void number_structures(Checkpoint& document) {
  ModuleTree& tree = document.tree;
  const std::uint32_t count = tree.size();
  tree.structure.resize(count);
  std::vector<std::uint64_t> below(count, 0);
  Numbering numbering;
  for (std::uint32_t row = count; row-- > 0;) {
    std::uint64_t hash = base::hash_mix(
        below[row], (std::uint64_t{tree.class_name[row]} << 8U) | static_cast<std::uint64_t>(tree.kind[row]));
    if (tree.tensor[row] != kNone) {
      const TensorEntry& entry = document.tensors[tree.tensor[row]];
      hash = base::hash_mix(hash, (std::uint64_t{entry.dtype_text} << 16U) |
                                      (static_cast<std::uint64_t>(entry.dtype) << 8U) | entry.rank);
      for (const std::int64_t size : document.shape(entry))
        hash = base::hash_mix(hash, static_cast<std::uint64_t>(size));
    }
    const std::uint32_t number = numbering.number(hash);
    tree.structure[row] = number;
    if (row == 0) break;
    std::uint64_t& above = below[tree.parent[row]];
    above = base::hash_mix(above, (std::uint64_t{tree.name[row]} << 32U) | number);
  }
}

}  // namespace nns::checkpoint
