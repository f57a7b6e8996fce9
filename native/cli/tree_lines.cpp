#include "native/cli/tree_lines.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace nns::cli {

namespace {

using checkpoint::ModuleTree;
using checkpoint::NodeKind;

/// The first row that is shown of the siblings from `row` on; `end` if none is.
std::uint32_t next_shown(const ModuleTree& tree, std::span<const std::uint8_t> marks, std::uint32_t row,
                         std::uint32_t end) {
  while (!marks.empty() && row < end && marks[row] == 0) row = tree.end[row];
  return row;
}

/// How many equal siblings begin at `row`; all lie below `end`. `last` becomes the last one's row.
std::uint32_t run_length(const ModuleTree& tree, std::span<const std::uint8_t> marks, std::uint32_t row,
                         std::uint32_t end, std::uint32_t& last) {
  last = row;
  if (tree.kind[row] != NodeKind::Module && (tree.kind[row] != NodeKind::Container || tree.end[row] == row + 1))
    return 1;
  auto number = sibling_number(tree.strings.view(tree.name[row]));
  if (!number) return 1;
  std::uint32_t count = 1;
  for (std::uint32_t next = tree.end[row]; next < end; next = tree.end[next]) {
    if (tree.structure[next] != tree.structure[row]) break;
    if (sibling_number(tree.strings.view(tree.name[next])) != *number + 1) break;
    // Equal structures are as many rows.
    if (!marks.empty() && !std::equal(marks.begin() + row, marks.begin() + tree.end[row], marks.begin() + next)) break;
    ++*number;
    ++count;
    last = next;
  }
  return count;
}

/// A list of siblings that is being walked.
struct Level {
  std::uint32_t next = 0;  // the sibling whose turn it is
  std::uint32_t end = 0;
  std::string indent;
};

}  // namespace

std::optional<std::uint64_t> sibling_number(std::string_view name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return value;
}

std::vector<TreeLine> make_tree_lines(const ModuleTree& tree, std::optional<std::uint32_t> depth, bool fold,
                                      std::span<const std::uint8_t> marks) {
  std::vector<TreeLine> lines;
  if (tree.size() == 0) return lines;
  lines.push_back(TreeLine{});
  std::vector<Level> levels;
  if (depth.value_or(1) > 0) levels.push_back(Level{next_shown(tree, marks, 1, tree.end[0]), tree.end[0], ""});
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next >= level.end) {
      levels.pop_back();
      continue;
    }
    TreeLine line;
    line.row = level.next;
    line.fold_last = level.next;
    if (fold) line.fold_count = run_length(tree, marks, level.next, level.end, line.fold_last);
    level.next = next_shown(tree, marks, tree.end[line.fold_last], level.end);
    const bool is_last = level.next >= level.end;
    line.branches = level.indent + (is_last ? "└─ " : "├─ ");
    const std::uint32_t end = tree.end[line.row];
    const std::uint32_t first = next_shown(tree, marks, line.row + 1, end);
    if (first < end && (!depth || levels.size() < *depth)) {
      Level below{first, end, level.indent + (is_last ? "   " : "│  ")};
      levels.push_back(std::move(below));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace nns::cli
