#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/live/mirror.h"

namespace nns::model {

/// One line of the explorer's tree, in draw order. Plain data: no text is built for rows that are not seen.
struct TreeRow {
  std::uint32_t row = 0;        ///< row of the document; of a fold, its first member
  std::uint32_t fold_count = 1; ///< > 1: stands for so many equal siblings in a run (`layers.0…31  ×32  Block`)
  std::uint32_t fold_last = 0;  ///< the last member's row
  std::uint16_t depth = 0;
  bool expandable = false;
  bool expanded = false;
  bool matches = false;         ///< the filter's text occurs in this row's own name or class
  std::uint32_t position = 0;   ///< among its siblings as drawn, from 1
  std::uint32_t siblings = 0;
};

/// What the person did to one document's tree: which rows are open, which folds are open, what is filtered, what is chosen.
struct TreeState {
  std::unordered_set<std::uint32_t> expanded;   ///< document rows
  std::unordered_set<std::uint32_t> unfolded;   ///< first rows of folds that are shown one by one
  std::string filter;
  std::uint32_t selected = UINT32_MAX;          ///< document row
  std::uint32_t selected_fold_last = UINT32_MAX;
};

/// The visible rows of a document: keeps them up to date with as little work as the change needs.
class TreeModel {
 public:
  /// Starts with the root and its first levels open, as far as they fit `visible_rows` lines.
  void show(std::shared_ptr<const live::DocumentView> document, std::uint32_t visible_rows);
  const live::DocumentView* document() const { return document_.get(); }
  const std::vector<TreeRow>& rows() const { return rows_; }
  const TreeState& state() const { return state_; }

  void expand(std::uint32_t line, bool open);
  void expand_all();
  void collapse_all();
  /// Rows whose name, class or path contains `text` (case ignored), with their ancestors. An empty text shows all.
  void set_filter(std::string text);
  void select(std::uint32_t line);
  /// Opens every ancestor (and fold) of `row` and gives its line.
  std::uint32_t reveal(std::uint32_t row);
  /// The line that shows `row`, or UINT32_MAX.
  std::uint32_t line_of(std::uint32_t row) const;
  /// Rows that match the filter.
  std::uint32_t match_count() const { return match_count_; }

 private:
  void rebuild();
  std::shared_ptr<const live::DocumentView> document_;
  TreeState state_;
  std::vector<TreeRow> rows_;
  std::vector<std::uint8_t> filter_marks_;  ///< per document row: 1 matches, 2 has a match below
  std::uint32_t match_count_ = 0;
};

/// "0…31" for a fold, the name otherwise.
std::string row_label(const live::DocumentView& document, const TreeRow& row);

}  // namespace nns::model
