#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

/// What differs between two opened documents, called A (before) and B (after).
namespace nns::diff {

/// How a row of one document lines up with the other's.
enum class Match : std::uint8_t {
  Same,     ///< in both under the same name, as far as a renamed prefix (RowFlag::kPrefix) allows
  Added,    ///< in B only
  Removed,  ///< in A only
  Renamed,  ///< a tensor that has another last name under the same parent
  Moved,    ///< a tensor that has the same last name under another parent
};

/// Bits of Structure::flags: what else differs between the two rows, from names and headers alone.
enum RowFlag : std::uint8_t {
  kShape = 1,    ///< the shapes differ
  kDtype = 2,    ///< the element types differ (quantised formats count as types of their own)
  kClass = 4,    ///< both files say of which class the module is, and they differ
  kText = 8,     ///< the value that is shown (a number, a string) differs
  kPrefix = 16,  ///< lines up through one of Structure::prefixes; no difference of its own
  kUnknown = 32  ///< a shard with the shape of one of them is missing: nothing is claimed about shape and dtype
};
inline constexpr std::uint8_t kDifferences = kShape | kDtype | kClass | kText;

/// A part of names that stands in front of (or, as a wrapper, between) equal names, told once for all of them.
struct Prefix {
  std::string a;              ///< "module.", empty if B has something in front and A has not
  std::string b;              ///< what stands there in B
  std::uint32_t tensors = 0;  ///< that line up through it
  std::uint32_t places = 1;   ///< > 1: a wrapper around so many modules, `a` and `b` are its name alone
};

/// How many tensors there are of each sort. One with another name, another shape and another dtype counts three times.
struct StructureCounts {
  std::uint32_t tensors_a = 0;
  std::uint32_t tensors_b = 0;
  /// Same name, shape and dtype, all of them known; a renamed prefix does not count against it.
  std::uint32_t same = 0;
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
  std::uint32_t renamed = 0;
  std::uint32_t moved = 0;
  std::uint32_t shape = 0;
  std::uint32_t dtype = 0;
  std::uint32_t others = 0;  ///< rows without a tensor (empty modules, values) with is_change()
};

/// The union of two trees in pre-order, one column a property. Rows stand as in B; what only A has stands behind the
/// row that it follows in A. Modules that only consist of a renamed prefix of A are left out.
/// The children of `i` are i + 1, end[i + 1], ... while below end[i].
struct Structure {
  std::vector<std::uint32_t> parent;  ///< kNone for the root
  std::vector<std::uint32_t> end;     ///< one past the last row of the subtree
  std::vector<std::uint32_t> a;       ///< the row of A's tree, kNone if it has none
  std::vector<std::uint32_t> b;
  std::vector<Match> match;
  std::vector<std::uint8_t> flags;     ///< RowFlag bits
  std::vector<std::uint32_t> changes;  ///< rows of the subtree, itself included, with is_change()
  std::vector<Prefix> prefixes;        ///< most tensors first
  StructureCounts counts;

  std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
  bool differs(std::uint32_t row) const { return match[row] != Match::Same || (flags[row] & kDifferences) != 0; }
  /// Whether it differs by itself: of modules that were added or removed the rows below tell it.
  bool is_change(std::uint32_t row) const {
    return (flags[row] & kDifferences) != 0 || (match[row] != Match::Same && end[row] == row + 1);
  }
  /// Names and headers are the same in both; renamed prefixes are a difference.
  bool is_equal() const { return prefixes.empty() && (changes.empty() || changes[0] == 0); }
};

/// What is compared of two documents: a row of each one's tree with all below it. 0 and 0: all of both.
struct Parts {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};
/// Errors: a row that is not there; a tensor on one side only.
base::Result<void> check_parts(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b, const Parts& parts);

/// A resumable comparison of names and headers; no value is read. Of parts the names below them are compared; a tensor
/// lines up with a tensor whatever they are called.
/// Rows line up by equal names; through wrappers (module, _orig_mod, _fsdp_wrapped_module, ...) and through prefixes
/// that at least a twentieth of the tensors agree on; then tensors alone by the longest end of their names that,
/// together with shape and dtype, occurs once in each document; last by shape and dtype under the same parent.
/// Lifetime: both documents must outlive it. Cost: time and memory grow with the rows, whatever their nesting.
/// Must hold: check_parts().
class StructureTask {
 public:
  StructureTask(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b, const Parts& parts = {});
  ~StructureTask();
  /// True when done.
  bool step(const base::Budget& budget);
  /// Must hold: step() returned true. The task is empty afterwards.
  Structure take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All of it at once.
Structure compare_structure(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b, const Parts& parts = {});

/// The row with that path_of(). Errors: there is none.
base::Result<std::uint32_t> find_path(const checkpoint::Checkpoint& file, std::string_view path);

/// "encoder.layers.0.weight": names from below the root down to `row`, "/" below a container, as the explorer shows it.
std::string path_of(const checkpoint::ModuleTree& tree, std::uint32_t row);

}  // namespace nns::diff
