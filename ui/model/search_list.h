#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "ui/model/search.h"

namespace nns::model {

/// One line of the search box's answers: a row of a document, or an entry of its metadata.
struct SearchLine {
  const SearchIndex* index = nullptr;
  std::uint32_t row = 0;                 ///< 0 for metadata
  std::uint32_t metadata = live::kNone;  ///< index of the entry, or kNone
};

/// The answers to what is typed, out of all open documents, one after the other. Works in slices; the last complete
/// answers stay until the first of the new ones are there.
class SearchList {
 public:
  /// What is looked for, and where: the documents in the order in which their answers come. Nothing happens if it is
  /// the same as before.
  void look_for(std::string_view text, const std::vector<std::shared_ptr<const SearchIndex>>& documents);
  /// Works for about the budget; true once all is found.
  bool step(const base::Budget& budget);
  bool is_done() const { return at_ == runs_.size(); }
  /// Whether the first answer is one to what was asked for last, or it is known that there is none. Before that the
  /// answers are those to the text before.
  bool knows_first() const { return is_done() || (at_ > 0 && size_ > 0); }

  const std::optional<TextError>& error() const { return error_; }
  /// The number of answers.
  std::uint32_t size() const { return size_; }
  /// Must hold: `line` < size().
  SearchLine at(std::uint32_t line) const;
  /// "84 hits · 28.3 M parameters · 113 MB", "No name has this, 3 are close", "Nothing has all of this".
  std::string summary() const;

 private:
  std::string text_;
  std::vector<std::shared_ptr<const SearchIndex>> documents_;
  std::vector<std::unique_ptr<SearchRun>> runs_;  // those before at_ are done
  std::size_t at_ = 0;
  std::vector<std::unique_ptr<SearchRun>> shown_;  // of the query before, while runs_ has nothing yet
  std::optional<TextError> error_;
  std::uint32_t size_ = 0;
};

}  // namespace nns::model
