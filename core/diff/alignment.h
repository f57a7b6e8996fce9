#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/checkpoint/checkpoint.h"
#include "core/diff/structure.h"

namespace nns::diff {

using checkpoint::kNone;

/// Which rows of two trees belong together.
struct Alignment {
  std::vector<std::uint32_t> b_of_a;  ///< of tensor rows, the partner
  std::vector<std::uint32_t> a_of_b;  ///< the row of A that each row of B is shown with; of tensor rows, the partner
  std::vector<std::uint32_t>
      place_of_a;            ///< of other rows, the row of B under which the children that only A has are shown
  std::vector<Match> match;  ///< of B's tensor rows that have a partner
  std::vector<bool> prefix;  ///< of B's tensor rows: through a prefix
  std::vector<Prefix> prefixes;
};

/// A document's tree, or one that was cut out of it, whose rows show the document's tensors.
struct TreeOf {
  const checkpoint::Checkpoint* file = nullptr;
  const checkpoint::ModuleTree* tree = nullptr;
};

/// Finds them, one phase a step.
class Aligner {
 public:
  Aligner(const TreeOf& a, const TreeOf& b);
  /// True when done. Must hold: neither tree is empty.
  bool step();
  Alignment take() { return std::move(found_); }

 private:
  using Row = std::uint32_t;
  /// From keys other than 0 to numbers; open addressing.
  class Table {
   public:
    explicit Table(std::size_t expected = 8);
    /// The number of the key, `fresh` if it is new.
    std::uint32_t& at(std::uint64_t key, std::uint32_t fresh);
    std::uint32_t find(std::uint64_t key) const;  ///< kNone if it is not there

   private:
    struct Slot {
      std::uint64_t key = 0;
      std::uint32_t value = kNone;
    };
    void grow();
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
  };
  struct Side {
    const checkpoint::Checkpoint* file;
    const checkpoint::ModuleTree* tree;
    std::vector<std::uint32_t> name;  // the number of each row's name, the same on both sides
    std::vector<Row> tensors;         // rows that show a tensor and have no partner yet
    bool is_tensor(Row row) const { return tree->tensor[row] != kNone; }
    bool has_sole_child(Row row) const { return row + 1 < tree->end[row] && tree->end[row + 1] == tree->end[row]; }
  };
  struct Found {
    Row row = kNone;
    Row under = kNone;  // the wrapper through which it was found, kNone without
  };
  struct Wrapper {
    bool is_a;
    Row first, last;  // outermost and innermost row of a chain of wrappers
    Row other;        // what the other side has in its place
  };

  struct Contents {
    // By row.
    std::vector<std::uint64_t> named, bare;
    std::vector<std::uint32_t> tensors;
  };
  /// Modules of one name that have another one in B.
  struct Renaming {
    Row a, b;  // the first of them
    std::uint32_t places;
    std::vector<Row> tensors;  // of B
  };

  void name_rows();
  void descend();
  bool vote();
  void climb();
  void match_siblings();
  void match_by_name();
  void match_moved();
  void match_renamed();
  void tell_wrappers();

  Contents contents_of(const Side& side, const std::vector<std::uint32_t>& partner) const;
  void tell_renaming(const Renaming& renaming);
  bool is_wrapper(const Side& side, Row row) const { return is_wrapper_[side.name[row]]; }
  static std::string prefix_text(const checkpoint::ModuleTree& tree, Row row);
  std::uint32_t child(Row b, std::uint32_t name) const;
  /// The child of B's row that is called as A's row and has no partner; kNone: there is none.
  Row same_name_below(Row b, Row a) const;
  /// For rows that show no tensor.
  void line_up(Row a, Row b);
  Found look(Row b, Row a) const;
  void pair(Row a, Row b, Match match, bool through_prefix);
  std::uint32_t apply(Row under_a, Row under_b);
  /// Hashes of the last 1, 2, ... names of the row, at most so many as kMostNames.
  void ends_of(const Side& side, Row row, std::vector<std::uint64_t>& ends) const;
  bool same_end(Row a, Row b, std::size_t names) const;
  static Row above(const Side& side, Row row, std::size_t levels);
  /// Shape and, if asked for, dtype as a number other than 0; 0 if they are not known.
  static std::uint64_t shape_key(const Side& side, Row row, bool with_dtype);
  void drop_matched(Side& side, const std::vector<std::uint32_t>& partner) const;

  static constexpr std::uint32_t kMany = kNone - 1;

  Side a_;
  Side b_;
  checkpoint::StringTable strings_;
  std::vector<bool> is_wrapper_;  // by name
  Table children_;                // (row of B, name) -> first child of that name without a partner
  std::vector<Row> next_same_;    // of B: the next child of that name
  std::vector<Wrapper> wrappers_;
  std::vector<bool> wrapped_a_;  // tensors of A that lined up through a wrapper
  std::vector<bool> wrapped_b_;
  std::uint32_t enough_ = 0;     // tensors that a prefix is told of
  std::vector<bool> told_;       // B's wrappers that are in wrappers_
  std::vector<Row> along_;       // while descending: the row of B that a row of A goes along with
  std::uint64_t work_left_ = 0;  // rows that prefixes may still be tried on
  Alignment found_;
  int phase_ = 0;
  int rounds_ = 0;
};

}  // namespace nns::diff
