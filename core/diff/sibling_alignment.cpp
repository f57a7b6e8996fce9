// Modules that have another name in the same place: in each layer "attn" in one file, "self_attention" in the other.
#include <algorithm>
#include <string_view>

#include "core/diff/alignment.h"

namespace nns::diff {

namespace {

using base::hash_mix;

/// Whether one name is a part of the other: "q" and "q_proj".
bool are_alike(std::string_view a, std::string_view b) {
  return a.find(b) != std::string_view::npos || b.find(a) != std::string_view::npos;
}

}  // namespace

// What lies below each row, as a number: with the names of it, or shapes alone. 0: a shape is not known, or a tensor
// lies there that has its partner.
Aligner::Contents Aligner::contents_of(const Side& side, const std::vector<std::uint32_t>& partner) const {
  const checkpoint::ModuleTree& tree = *side.tree;
  Contents contents{std::vector<std::uint64_t>(tree.size()), std::vector<std::uint64_t>(tree.size()),
                    std::vector<std::uint32_t>(tree.size())};
  std::vector<bool> is_out(tree.size());
  // Children come behind their parent.
  for (Row row = tree.size(); row-- > 1;) {
    if (side.is_tensor(row)) {
      contents.tensors[row] = 1;
      const std::uint64_t shape = partner[row] == kNone ? shape_key(side, row, false) : 0;
      contents.named[row] = contents.bare[row] = shape;
      is_out[row] = shape == 0;
    }
    const Row parent = tree.parent[row];
    contents.tensors[parent] += contents.tensors[row];
    if (is_out[row]) {
      contents.named[row] = contents.bare[row] = 0;
      is_out[parent] = true;
      continue;
    }
    // Sums: in which order they stand does not matter.
    contents.named[parent] += hash_mix(contents.named[row], side.name[row]) | 1U;
    contents.bare[parent] += hash_mix(contents.bare[row], 0) | 1U;
  }
  return contents;
}

// Below modules that line up: children of equal names, then modules that hold the same. Of several with the same
// contents, those whose names are alike.
void Aligner::match_siblings() {
  drop_matched(a_, found_.b_of_a);
  drop_matched(b_, found_.a_of_b);
  if (a_.tensors.empty() || b_.tensors.empty()) return;
  const Contents in_a = contents_of(a_, found_.b_of_a);
  const Contents in_b = contents_of(b_, found_.a_of_b);
  const checkpoint::ModuleTree& tree = *a_.tree;
  std::vector<Renaming> renamings;
  Table places;
  std::vector<std::uint32_t> renaming_of(tree.size(), kNone);
  std::vector<Row> left_a, left_b;
  const auto rename = [&](Row a, Row b) {
    line_up(a, b);
    const auto fresh = static_cast<std::uint32_t>(renamings.size());
    const std::uint32_t which = places.at((std::uint64_t{a_.name[a]} + 1) << 32U | b_.name[b], fresh);
    if (which == fresh) renamings.push_back({a, b, 0, {}});
    ++renamings[which].places;
    renaming_of[a] = which;
  };
  // Pairs of which each is the only one of its contents (and, if asked for, of a name that is alike).
  const auto match_left = [&](const std::vector<std::uint64_t>& of_a, const std::vector<std::uint64_t>& of_b,
                              bool by_name, std::uint32_t least = 1) {
    const auto fits = [&](Row a, Row b) {
      return of_a[a] != 0 && in_a.tensors[a] >= least && of_a[a] == of_b[b] &&
             (!by_name || are_alike(strings_.view(a_.name[a]), strings_.view(b_.name[b])));
    };
    for (const Row a : left_a) {
      if (found_.place_of_a[a] != kNone) continue;
      Row only = kNone;
      for (const Row b : left_b) {
        if (found_.a_of_b[b] == kNone && fits(a, b)) only = only == kNone ? b : kMany;
      }
      if (only >= kMany) continue;
      const auto rivals = std::count_if(left_a.begin(), left_a.end(), [&](Row other) {
        return found_.place_of_a[other] == kNone && fits(other, only);
      });
      if (rivals == 1) rename(a, only);
    }
  };
  for (Row parent = 0; parent < tree.size(); ++parent) {
    const Row place = found_.place_of_a[parent];
    if (a_.is_tensor(parent) || place == kNone) continue;
    left_a.clear();
    left_b.clear();
    for (Row a = parent + 1; a < tree.end[parent]; a = tree.end[a]) {
      if (renaming_of[a] == kNone) renaming_of[a] = renaming_of[parent];
      if (found_.b_of_a[a] != kNone || found_.place_of_a[a] != kNone) continue;
      if (const Row b = same_name_below(place, a); b != kNone) {
        if (!a_.is_tensor(a)) {
          line_up(a, b);
        } else if (renaming_of[a] != kNone) {
          pair(a, b, Match::Same, true);
          renamings[renaming_of[a]].tensors.push_back(b);
        }
      } else if (!a_.is_tensor(a) && in_a.bare[a] != 0) {
        left_a.push_back(a);
      }
    }
    for (Row b = place + 1; b < b_.tree->end[place]; b = b_.tree->end[b]) {
      if (!b_.is_tensor(b) && found_.a_of_b[b] == kNone && in_b.bare[b] != 0) left_b.push_back(b);
    }
    // So many without a partner are other models, and no renamed one.
    constexpr std::size_t kMostSiblings = 64;
    if (left_a.empty() || left_b.empty() || left_a.size() > kMostSiblings || left_b.size() > kMostSiblings) continue;
    match_left(in_a.named, in_b.named, true);
    match_left(in_a.named, in_b.named, false);
    match_left(in_a.bare, in_b.bare, true);
    // One shape alone, and no name of it, is no sign.
    match_left(in_a.bare, in_b.bare, false, 2);
  }
  for (const Renaming& renaming : renamings) tell_renaming(renaming);
}

// Once for all places; of few tensors each by itself.
void Aligner::tell_renaming(const Renaming& renaming) {
  const auto count = static_cast<std::uint32_t>(renaming.tensors.size());
  if (count >= enough_) {
    const auto text = [&](const checkpoint::ModuleTree& tree, Row row) {
      return renaming.places == 1 ? prefix_text(tree, row) : std::string(tree.strings.view(tree.name[row])) + ".";
    };
    found_.prefixes.push_back({text(*a_.tree, renaming.a), text(*b_.tree, renaming.b), count, renaming.places});
    return;
  }
  for (const Row row : renaming.tensors) {
    found_.match[row] = Match::Renamed;
    found_.prefix[row] = false;
  }
}

}  // namespace nns::diff
