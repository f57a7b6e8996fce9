#include "ui/model/search_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ui/model/format.h"

namespace nns::model {

namespace {

std::size_t count_of(const SearchRun& run) { return run.hits().size() + run.metadata_hits().size(); }

}  // namespace

void SearchList::look_for(std::string_view text, const std::vector<std::shared_ptr<const SearchIndex>>& documents) {
  if (text == text_ && documents == documents_) return;
  text_ = text;
  documents_ = documents;
  SearchQuery query = parse_query(text);
  error_ = query.error;
  // While a query cannot be read yet, the answers to the one before stay.
  if (error_) return;
  if (at_ > 0) {
    runs_.resize(at_);
    shown_ = std::move(runs_);
  }
  runs_.clear();
  at_ = 0;
  if (query.terms.empty() || documents.empty()) {
    shown_.clear();
    size_ = 0;
    return;
  }
  for (const auto& index : documents) runs_.push_back(std::make_unique<SearchRun>(query, index, true));
}

bool SearchList::step(const base::Budget& budget) {
  while (at_ < runs_.size()) {
    if (!runs_[at_]->step(budget)) return false;
    if (at_ == 0) {
      shown_.clear();
      size_ = 0;
    }
    size_ += static_cast<std::uint32_t>(count_of(*runs_[at_]));
    ++at_;
    if (budget.spent()) break;
  }
  return is_done();
}

SearchLine SearchList::at(std::uint32_t line) const {
  const auto& runs = at_ > 0 ? runs_ : shown_;
  std::size_t left = line;
  for (const auto& run : runs) {
    if (left < run->hits().size()) return {&run->index(), run->hits()[left], live::kNone};
    left -= run->hits().size();
    if (left < run->metadata_hits().size()) return {&run->index(), 0, run->metadata_hits()[left]};
    left -= run->metadata_hits().size();
  }
  return {};
}

std::string SearchList::summary() const {
  if (runs_.empty()) return {};
  if (at_ == 0) return "Searching";
  SearchTotals totals;
  bool is_fuzzy = false;
  for (std::size_t run = 0; run < at_; ++run) {
    is_fuzzy |= runs_[run]->is_fuzzy() && !runs_[run]->hits().empty();
    totals.parameters += runs_[run]->totals().parameters;
    totals.bytes += runs_[run]->totals().bytes;
  }
  if (size_ == 0) return is_done() ? "Nothing has all of this" : "Searching";
  std::string text = thousands(size_);
  if (is_fuzzy) {
    text +=
        size_ == 1 ? " name has these letters with others between" : " names have these letters with others between";
  } else {
    text.append(size_ == 1 ? " hit" : " hits").append(totals_text(totals));
  }
  return is_done() ? text : text + ", searching";
}

}  // namespace nns::model
