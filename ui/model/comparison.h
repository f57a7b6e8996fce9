#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/mirror.h"
#include "ui/model/metadata_difference.h"

namespace nns::model {

/// What rows of a comparison are told apart by; one row may be of several kinds.
enum class DiffKind : std::uint8_t { Added, Removed, Renamed, Moved, Shape, Dtype, Values, Other, Unknown, Equal };
inline constexpr std::size_t kDiffKinds = 10;
/// "added", "values": as filters and statuses call it.
const char* diff_kind_text(DiffKind kind);

/// What the rows of a comparison can be sorted by.
enum class DiffColumn : std::uint8_t { Change, Name, Size, MaxAbs, MeanAbs, Relative, Cosine, Changed };
inline constexpr std::size_t kDiffColumns = 8;
const char* diff_column_text(DiffColumn column);

/// One line as drawn.
struct ComparisonLine {
  std::uint32_t row = 0;
  std::uint16_t depth = 0;
  bool expandable = false;
  bool expanded = false;
};

/// The visible rows of a comparison: a list of what differs, sorted; or both trees as one. Plain data, made from the
/// Mirror. Lines are indices into lines(); one outside is ignored. Cost: a change walks the rows once.
class ComparisonModel {
 public:
  static constexpr std::uint32_t kNoLine = UINT32_MAX;
  using DocumentPtr = std::shared_ptr<const live::DocumentView>;

  void show(DocumentPtr a, DocumentPtr b, std::shared_ptr<const live::ComparisonView> view);
  bool has_rows() const { return view_ != nullptr; }
  const live::ComparisonView& view() const { return *view_; }
  const live::DocumentView& a() const { return *a_; }
  const live::DocumentView& b() const { return *b_; }

  /// Takes over values that came. While more are on their way, rows that are shown keep their places and new ones go to
  /// the end, so that nothing jumps. True if the lines were made anew, in their order.
  bool follow(bool is_running);
  /// Makes the lines anew in the order that was asked for.
  void rebuild();
  const std::vector<ComparisonLine>& lines() const { return lines_; }

  bool is_tree() const { return is_tree_; }
  void set_tree(bool is_tree);
  DiffColumn sorted_by() const { return sort_; }
  /// The trees stand in the order of the files until one is chosen.
  bool is_sorted_by(DiffColumn column) const { return sort_ == column && (!is_tree_ || is_tree_sorted_); }
  bool is_ascending() const { return ascending_; }
  /// The same column twice turns the order around; in the trees, where siblings are sorted by what is in them, the
  /// third time gives the order of the files.
  void sort_by(DiffColumn column);
  /// `is_tree_sorted`: the trees stand in that order, too.
  void set_sort(DiffColumn column, bool ascending, bool is_tree_sorted);
  /// Whether a column stands with its smallest values first when it is chosen: where small is much.
  static bool is_ascending_first(DiffColumn column) { return column == DiffColumn::Cosine; }
  /// What differs in the metadata of the files.
  const std::vector<MetadataChange>& metadata() const { return metadata_; }
  bool shows(DiffKind kind) const { return (mask_ >> static_cast<unsigned>(kind) & 1U) != 0; }
  void toggle(DiffKind kind);
  /// The kinds that are shown, as words with commas; empty if they are those that are shown at first. "none": no kind.
  std::string shown_kinds() const;
  void show_kinds(std::string_view words);
  /// Part of a name in A or in B, any case; empty: all.
  void set_filter(std::string text);
  const std::string& filter() const { return filter_; }
  std::uint32_t count(DiffKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

  std::uint32_t selected() const { return selected_; }  ///< row of the comparison, kNoLine without one
  std::uint32_t selected_line() const;
  void select(std::uint32_t line);
  /// Chooses a row of the comparison, listed or not. One that is not there is ignored.
  void select_row(std::uint32_t row);
  /// The row with that whole name in B, or (`in_a`) in A; kNoLine without one.
  std::uint32_t find_row(std::string_view path, bool in_a) const;
  void expand(std::uint32_t line, bool open);
  void expand_all(bool open);
  std::uint32_t parent_line(std::uint32_t line) const;

  /// Rows of the subtree that differ in name, header or, as far as they are known, values. Only while is_tree().
  std::uint32_t changes(std::uint32_t row) const { return changes_[row]; }
  /// Bits of DiffKind; 0 for a module that has no difference of its own.
  std::uint16_t kinds(std::uint32_t row) const;
  /// "moved, dtype, values", "equal", "same header".
  std::string status(std::uint32_t row) const;
  /// Tensors of the documents, kNone without one.
  std::uint32_t tensor_a(std::uint32_t row) const;
  std::uint32_t tensor_b(std::uint32_t row) const;
  /// What A or B is called: its title, and of a part its name.
  std::string title_a() const;
  std::string title_b() const;
  /// Whole name in A or B; empty where it is not there.
  std::string path_a(std::uint32_t row) const;
  std::string path_b(std::uint32_t row) const;
  /// What a line is called: in the tree its last name, in the list the whole one, as from the part that is compared;
  /// "a → b" if they differ.
  std::string label(std::uint32_t row) const;
  /// "4 × 4", "4 × 4 → 8 × 4"; the value or class of what is no tensor.
  std::string shape_text(std::uint32_t row) const;
  std::string dtype_text(std::uint32_t row) const;
  /// The text of a column of numbers; empty where there is none.
  std::string number_text(std::uint32_t row, DiffColumn column) const;
  /// Where the largest difference is, as Python writes it: "[3, 17]"; empty for a scalar. Must hold: it is known.
  std::string max_place_text(std::uint32_t row) const;
  /// What reading the values of this row takes, of both files; 0 if they cannot be compared.
  std::uint64_t value_bytes(std::uint32_t row) const;

 private:
  bool passes(std::uint32_t row) const;
  void count_kinds();
  void find_names();
  void make_list();
  void make_tree();
  double sort_key(std::uint32_t row) const;
  std::vector<double> subtree_keys() const;
  void find_selected();
  std::string short_path(const live::DocumentView& document, std::uint32_t row, std::uint32_t part) const;

  DocumentPtr a_;
  DocumentPtr b_;
  std::shared_ptr<const live::ComparisonView> view_;
  std::vector<ComparisonLine> lines_;
  std::vector<std::uint8_t> open_;      // by row
  std::vector<std::uint32_t> changes_;  // by row
  bool was_tree_ = false;
  std::vector<bool> named_;   // by row: the filter finds it; empty without a filter
  std::vector<bool> listed_;  // by row: in the list
  std::array<std::uint32_t, kDiffKinds> counts_{};
  std::uint16_t mask_ = 0;
  std::string filter_;
  bool is_tree_ = false;
  bool is_tree_sorted_ = false;
  std::vector<MetadataChange> metadata_;
  bool ascending_ = false;
  DiffColumn sort_ = DiffColumn::Change;
  std::uint32_t selected_ = kNoLine;
  std::uint32_t selected_line_ = kNoLine;
  std::uint64_t seen_version_ = 0;
  std::size_t seen_values_ = 0;
  bool is_stale_ = false;  // values came that the order does not know
};

/// Words for one prefix: "“module.” stands in names of B only, 37 tensors line up through it".
std::string prefix_text(const live::wire::DiffPrefix& prefix);

}  // namespace nns::model
