#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/moment.h"

namespace nns::trace {

/// A module at its place in the tree: in the `_modules` of the one above it, or in a name of the program.
struct ModulePlace {
  std::string name;
  ObjectId id = kNone;
  std::uint32_t depth = 0;
  /// What it holds, or where it stands, has changed since MomentOptions::since.
  bool has_changed = false;
  /// It stands at an earlier place, too, where what is below it is told.
  bool is_repeated = false;
};
struct ModuleTree {
  std::vector<ModulePlace> places;
  bool has_more = false;
};

/// The modules that the names of a moment lead to: those that no other one holds are roots, those of the outermost
/// frame first; below each what its registry `_modules` holds, depth first. At most `most` of them.
ModuleTree module_tree(const Trace& trace, const Moment& moment, EventId since, std::size_t most = 4096);

}  // namespace nns::trace
