#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/module_tree.h"

namespace nns::cli {

/// The number that a name is, "11" but not "11a": siblings with successive numbers are told as one line.
std::optional<std::uint64_t> sibling_number(std::string_view name);

/// One line of the tree that `inspect` prints.
struct TreeLine {
  std::uint32_t row = 0;         ///< of a fold, its first member
  std::uint32_t fold_count = 1;  ///< > 1: stands for so many equal siblings, numbered without a gap
  std::uint32_t fold_last = 0;   ///< row of the last of them
  std::string branches;          ///< "│  ├─ "
};

/// The lines for `tree` down to `depth` levels below the root. With `fold`, a run of siblings whose names are
/// successive numbers and whose subtrees are equal is one line, and below it one of them. `marks`, if there are any, by
/// row: those with 0 have no line, and subtrees with other marks are not equal.
std::vector<TreeLine> make_tree_lines(const checkpoint::ModuleTree& tree, std::optional<std::uint32_t> depth, bool fold,
                                      std::span<const std::uint8_t> marks = {});

}  // namespace nns::cli
