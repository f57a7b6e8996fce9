#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/budget.h"
#include "core/live/document_view.h"
#include "ui/model/search_query.h"

namespace nns::model {

/// What a search needs of one version of a document, made once: its distinct texts in lower case.
class SearchIndex {
 public:
  explicit SearchIndex(std::shared_ptr<const live::DocumentView> document);
  const live::DocumentView& document() const { return *document_; }
  const std::shared_ptr<const live::DocumentView>& shared_document() const { return document_; }
  /// All texts in one block, each where the document has it.
  const std::string& all_text() const { return text_; }
  std::string_view text(std::uint32_t string) const {
    return std::string_view(text_).substr(document_->text_offset(string),
                                          document_->text_offset(string + 1) - document_->text_offset(string));
  }
  /// Names of the element types, by the document's numbers.
  const std::vector<std::string>& dtypes() const { return dtypes_; }

 private:
  std::shared_ptr<const live::DocumentView> document_;
  std::string text_;
  std::vector<std::string> dtypes_;
};

/// What the rows of an answer hold together: all that lies in them, each tensor once however often it is shown.
/// Differs: of tensors that share a storage, those with as many elements count as one (the stream has no offsets).
struct SearchTotals {
  std::uint64_t tensors = 0;  ///< rows, also those that repeat another one
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;
};

/// " · 1,234,567 parameters · 4.8 MB"; nothing of what is not there.
std::string totals_text(const SearchTotals& totals);

/// One search in one document, in slices. A row is a hit if all conditions hold for it (a word also where a row above
/// has it), and if it has at least one of the words itself: so what lies inside of a hit is no hit once more, but
/// belongs to it. A condition on sizes is about tensors, unless `kind:` asks for something else.
/// If nothing is a hit, the words may have letters between theirs (`hattnw` for `h.0.attn.weight`).
/// Cost: the distinct texts, then one walk over the rows; a pattern costs one step a letter of a row's own name.
class SearchRun {
 public:
  /// `is_fuzzy_allowed`: letters between, if nothing is found.
  SearchRun(SearchQuery query, std::shared_ptr<const SearchIndex> index, bool is_fuzzy_allowed);

  /// Works for about the budget; true once everything is found.
  bool step(const base::Budget& budget);
  bool is_done() const { return phase_ == Phase::Done; }
  /// Rows that were looked at, of the document's.
  std::uint32_t at() const { return row_; }

  const SearchIndex& index() const { return *index_; }
  const std::shared_ptr<const SearchIndex>& shared_index() const { return index_; }
  /// Rows that match, the best first; equally good ones in the document's order. Complete when done.
  const std::vector<std::uint32_t>& hits() const { return hits_; }
  /// Entries of the document's metadata that match.
  const std::vector<std::uint32_t>& metadata_hits() const { return metadata_hits_; }
  bool is_fuzzy() const { return is_fuzzy_; }
  /// Whether a word that must not be there is: such a row is none of an answer even inside of a hit.
  bool is_excluded(std::uint32_t row) const { return (bits_[row] & unwanted_) != 0; }
  const SearchTotals& totals() const { return totals_; }

 private:
  enum class Phase : std::uint8_t { Words, Rows, Metadata, Order, Totals, Done };
  // How far a pattern or the letters of a word have come at the end of a row's path.
  struct Progress {
    Regex::Positions positions;
    std::uint32_t state = 0;
    std::uint32_t generation = UINT32_MAX;
    std::uint32_t letters = 0;
    std::uint32_t good = 0;  // letters that begin a part of a name, or follow another one at once
  };
  struct Found {
    std::uint32_t bits = 0;
    std::uint32_t score = 0;
  };

  void find_words();
  void look_at(std::uint32_t row);
  Found look_at_words(std::uint32_t row);
  bool advance_regex(std::size_t term, std::uint32_t row, const Progress& above, Progress& here);
  bool advance_letters(std::size_t term, std::uint32_t row, const Progress& above, Progress& here) const;
  bool holds(const QueryTerm& term, std::uint32_t row) const;
  bool has_shape(const QueryTerm& term, std::uint32_t tensor) const;
  bool look_at_metadata(const base::Budget& budget);
  void order();
  void add_up(std::uint32_t row);
  void begin_rows();

  SearchQuery query_;
  std::shared_ptr<const SearchIndex> index_;
  bool is_fuzzy_allowed_;
  bool is_fuzzy_ = false;
  Phase phase_ = Phase::Words;
  std::uint32_t row_ = 0;

  std::uint32_t wanted_ = 0;  // bits of the words and patterns that must be there
  std::uint32_t unwanted_ = 0;
  bool has_row_terms_ = false;
  bool asks_kind_ = false;
  bool asks_metadata_ = false;
  std::vector<std::vector<std::uint8_t>> quality_;  // by term and string: 0 not in it, 1 inside ... 4 all of it
  std::vector<std::vector<std::uint8_t>> dtypes_;   // by term and element type
  std::vector<std::uint32_t> bits_;                 // by row: of its terms, and of the rows above
  // The rows from below the root to the one before, those that have children, with the progress of each term at them.
  std::vector<std::uint32_t> chain_;
  std::vector<Progress> chain_progress_;
  std::vector<std::size_t> walking_;  // terms that need it
  std::vector<Progress> here_;        // by walking term

  std::vector<std::uint32_t> found_;
  std::vector<std::uint8_t> scores_;  // of found_
  std::vector<std::uint32_t> hits_;
  std::vector<std::uint32_t> metadata_hits_;
  SearchTotals totals_;
  std::size_t next_found_ = 0;
  std::uint32_t covered_end_ = 0;
  std::unordered_set<std::uint64_t> counted_;  // storages and sizes of shared tensors that were added
};

/// What a filter says of a row.
enum FilterMark : std::uint8_t { kMatches = 1, kMatchBelow = 2, kBelowMatch = 4 };
struct FilterResult {
  std::vector<std::uint8_t> marks;      ///< per document row
  std::vector<std::uint32_t> metadata;  ///< entries that match
  std::uint32_t match_count = 0;
  SearchTotals totals;
};
/// The rows that match, with what is above and below them.
FilterResult find_matches(const std::shared_ptr<const SearchIndex>& index, const SearchQuery& query);

}  // namespace nns::model
