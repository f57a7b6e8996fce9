#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/live/document_view.h"
#include "ui/model/search.h"

namespace nns::model {

/// What a query leaves of a document where it is printed: the rows that match and what lies in them, the rows above
/// these, and the sums of what matches.
struct FilteredRows {
  std::vector<std::uint8_t> marks;        ///< FilterMark bits by row; 0: not shown
  std::vector<std::uint64_t> parameters;  ///< by row, of what matches in it; tied ones once, as SearchTotals has it
  std::vector<std::uint64_t> bytes;       ///< the same
  std::vector<std::uint32_t> tensors;     ///< that match or lie in what matches, in the document's order
  std::vector<std::uint32_t> metadata;    ///< entries that match, in the document's order
  std::uint32_t match_count = 0;          ///< rows that match themselves
  SearchTotals totals;

  bool is_shown(std::uint32_t row) const { return marks[row] != 0; }
  /// It matches, or lies in what does; the other rows that are shown only lead there.
  bool is_match(std::uint32_t row) const { return (marks[row] & (kMatches | kBelowMatch)) != 0; }
  bool is_empty() const { return match_count == 0 && metadata.empty(); }
};

/// What the search box finds for `query`, but for letters between: only what has the very words.
/// Errors: a query that cannot be read, or an empty one; with the place in it.
base::Result<FilteredRows> filter_rows(const std::shared_ptr<const live::DocumentView>& document,
                                       std::string_view query);

/// Whether a query can be read. Errors: as filter_rows().
base::Result<void> check_query(std::string_view query);

}  // namespace nns::model
