#pragma once

#include <span>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// The lowest row whose subtree holds both. Must hold: a <= b.
inline std::uint32_t common_ancestor(const ModuleTree& tree, std::uint32_t a, std::uint32_t b) {
  while (tree.end[a] <= b) a = tree.parent[a];
  return a;
}

/// Sets kShared on the rows of tensors whose storage other tensors use too. Empty tensors share nothing.
void mark_shared(Checkpoint& document);

/// Fills ModuleTree::parameters and ::bytes, and sets kRepeatedParameter and kRepeatedBytes. Two tensors are one when
/// they begin at the same place of the same storage and have equally many elements; such a pair counts once in each
/// subtree that holds both. `objects`, where the document knows them, numbers each tensor's object: then parameters are
/// one when they are one object, as parameters() has it, though two may begin at the same place. Behaviour: the numbers
/// of sum(p.numel() for p in module.parameters()).
void sum_subtrees(Checkpoint& document, std::span<const std::uint32_t> objects = {});

/// Fills ModuleTree::structure: equal numbers for subtrees with equal classes, names below, dtypes and shapes.
void number_structures(Checkpoint& document);

}  // namespace nns::checkpoint
