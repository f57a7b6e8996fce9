#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/mirror.h"
#include "ui/model/search.h"
#include "ui/model/tied_rows.h"

namespace nns::model {

/// One line of the explorer's tree, in draw order. Plain data: no text is built for rows that are not seen.
struct TreeRow {
  std::uint32_t row = 0;         ///< row of the document; of a fold, its first member
  std::uint32_t fold_count = 1;  ///< > 1: stands for so many equal siblings in a run (`layers.0…31  ×32  Block`)
  std::uint32_t fold_last = 0;   ///< the last member's row; `row` itself if it is no fold
  std::uint16_t depth = 0;
  bool expandable = false;
  bool expanded = false;       ///< of a fold: its members follow one by one, one level deeper
  bool matches = false;        ///< the filter's query finds this very row
  std::uint32_t position = 0;  ///< among its siblings as drawn, from 1
  std::uint32_t siblings = 0;
  bool is_fold() const { return fold_count > 1; }
};

/// What the person did to one document's tree.
struct TreeState {
  enum Flag : std::uint8_t {
    kExpanded = 1,          ///< the row is open
    kUnfolded = 2,          ///< the fold that begins with this row shows its members
    kExpandedFiltered = 4,  ///< the row is open while a filter is set
  };
  std::vector<std::uint8_t> flags;  ///< per document row
  std::string filter;
  std::uint32_t selected = UINT32_MAX;            ///< document row
  std::uint32_t selected_fold_last = UINT32_MAX;  ///< last member if a fold is chosen, else UINT32_MAX
};

/// The visible rows of a document: keeps them up to date with as little work as the change needs.
/// Lines are indices into rows(); one outside is ignored.
/// Cost: a change walks the rows that are shown; without a change nothing is done, however many there are.
class TreeModel {
 public:
  static constexpr std::uint32_t kNoLine = UINT32_MAX;

  /// Starts with the root open, and further levels as far as they fit `visible_rows` lines. A newer version of the
  /// document that is shown keeps what is open and chosen, by the names of the rows; of a choice that is gone, the row
  /// that held it. Null shows nothing.
  void show(std::shared_ptr<const live::DocumentView> document, std::uint32_t visible_rows);
  const live::DocumentView* document() const { return document_.get(); }
  const std::shared_ptr<const live::DocumentView>& shared_document() const { return document_; }
  const std::vector<TreeRow>& rows() const { return rows_; }
  const TreeState& state() const { return state_; }
  /// Grows whenever rows() changes.
  std::uint64_t version() const { return version_; }

  /// Opens what is open in an older version of this document, by the names of the rows.
  /// Cost: one walk over both, if the names come in the same order.
  void take_over(const TreeModel& older);
  void expand(std::uint32_t line, bool open);
  void expand_all();
  /// Opens a line and everything below it.
  void expand_below(std::uint32_t line);
  void collapse_all();
  /// Rows that a query finds (ui/model/search_query.h), with their ancestors; what lies below a row that matches can be
  /// opened. Folds are not made while a filter is set. An empty text shows all. Errors: filter_error(); the rows stay.
  void set_filter(std::string text);
  void select(std::uint32_t line);
  /// Opens every ancestor (and fold) of `row` and gives its line; takes the filter away if it hides the row.
  std::uint32_t reveal(std::uint32_t row);
  /// The line that shows `row`, or kNoLine.
  std::uint32_t line_of(std::uint32_t row) const;
  /// The line of the choice, row or fold, or kNoLine.
  std::uint32_t selected_line() const;
  /// The line one level above `line`, or kNoLine for the root.
  std::uint32_t parent_line(std::uint32_t line) const;
  /// Rows that match the filter, and what they hold.
  std::uint32_t match_count() const { return match_count_; }
  const SearchTotals& match_totals() const { return match_totals_; }
  const std::optional<TextError>& filter_error() const { return filter_error_; }
  bool is_filtered() const { return !filter_marks_.empty(); }
  /// Of the document that is shown.
  const TiedRows& tied() const { return tied_; }
  /// For searching in the document; made when it is asked for first. Must hold: there is a document.
  const std::shared_ptr<const SearchIndex>& search_index();

 private:
  struct Fold {
    std::uint32_t last = 0;
    std::uint32_t count = 0;
  };
  struct Level;

  void filter(const SearchQuery& query);
  void open_matches();
  bool is_expanded(std::uint32_t row) const;
  void find_folds();
  void open_first_levels(std::uint32_t visible_rows);
  /// Opens what `state` opens of a document with rows of the same names; gives the row that is chosen there, or
  /// UINT32_MAX.
  std::uint32_t take_over_rows(const live::DocumentView& before, const TreeState& state);
  void rebuild();
  Level open_level(std::uint32_t row, std::uint16_t depth) const;
  bool next_child(Level& level, TreeRow& line) const;

  std::shared_ptr<const live::DocumentView> document_;
  TiedRows tied_;
  TreeState state_;
  std::vector<TreeRow> rows_;
  std::vector<Fold> folds_;
  std::vector<std::uint32_t> fold_of_;      ///< per document row: 1 + index of the fold that begins with it, 0 none
  std::vector<std::uint8_t> filter_marks_;  ///< per document row: FilterMark bits; empty without a filter
  std::uint32_t match_count_ = 0;
  SearchTotals match_totals_;
  std::optional<TextError> filter_error_;
  std::shared_ptr<const SearchIndex> search_index_;
  std::uint64_t version_ = 0;
};

/// "0…31" for a fold, the name otherwise; the document's title for a root without a name.
std::string row_label(const live::DocumentView& document, const TreeRow& row);

}  // namespace nns::model
