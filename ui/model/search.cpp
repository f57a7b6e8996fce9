#include "ui/model/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/model/format.h"

namespace nns::model {

namespace {

using TermKind = QueryTerm::Kind;

constexpr std::uint32_t kSlice = 2048;  // rows between two looks at the clock
constexpr std::uint32_t kBestScore = 63;

bool is_about_words(TermKind kind) {
  return kind == TermKind::Word || kind == TermKind::Path || kind == TermKind::Name || kind == TermKind::Class;
}

bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || static_cast<unsigned char>(byte) >= 0x80; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Whether a part of a name begins with `byte`: after a sign, or where letters and digits change.
bool begins_part(char before, char byte) {
  return is_letter(byte) != is_letter(before) || is_digit(byte) != is_digit(before);
}

// A metadata entry is searched as it is: its texts may be long, and are looked at once a search.
bool occurs(std::string_view text, std::string_view lower_word) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(), same) != text.end();
}

}  // namespace

SearchIndex::SearchIndex(std::shared_ptr<const live::DocumentView> document)
    : document_(std::move(document)), text_(lowered(document_->all_text())) {
  for (const auto* name : *document_->get().dtype_names()) dtypes_.push_back(lowered(live::text_of(name)));
}

std::string totals_text(const SearchTotals& totals) {
  std::string text;
  if (totals.parameters > 0) text += fmt::format(" \xC2\xB7 {} parameters", thousands(totals.parameters));
  if (totals.bytes > 0) text += fmt::format(" \xC2\xB7 {}", short_bytes(totals.bytes));
  return text;
}

SearchRun::SearchRun(SearchQuery query, std::shared_ptr<const SearchIndex> index, bool is_fuzzy_allowed)
    : query_(std::move(query)), index_(std::move(index)), is_fuzzy_allowed_(is_fuzzy_allowed) {
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    const QueryTerm& what = query_.terms[term];
    const std::uint32_t bit = 1U << term;
    if (is_about_words(what.kind)) {
      (what.is_negated ? unwanted_ : wanted_) |= bit;
    } else if (what.kind == TermKind::Metadata) {
      asks_metadata_ = true;
    } else {
      has_row_terms_ = true;
    }
    asks_kind_ |= what.kind == TermKind::RowKind;
    is_fuzzy_allowed_ &= what.kind != TermKind::Metadata;
  }
  if (wanted_ == 0) is_fuzzy_allowed_ = false;
  if (query_.terms.empty()) phase_ = Phase::Done;
}

bool SearchRun::step(const base::Budget& budget) {
  const std::uint32_t rows = index_->document().row_count();
  while (phase_ != Phase::Done) {
    switch (phase_) {
      case Phase::Words:
        find_words();
        begin_rows();
        break;
      case Phase::Rows:
        for (const std::uint32_t end = std::min(rows, row_ + kSlice); row_ < end; ++row_) look_at(row_);
        if (row_ < rows) break;
        if (!found_.empty() || is_fuzzy_ || !is_fuzzy_allowed_) {
          row_ = 0;
          phase_ = Phase::Metadata;
        } else {
          is_fuzzy_ = true;
          begin_rows();
        }
        break;
      case Phase::Metadata:
        if (!look_at_metadata(budget)) return false;
        if (!metadata_hits_.empty() && is_fuzzy_) {
          // What has the very words is better than names with letters between.
          found_.clear();
          is_fuzzy_ = false;
        }
        phase_ = Phase::Order;
        break;
      case Phase::Order:
        order();
        row_ = 0;
        phase_ = is_fuzzy_ ? Phase::Done : Phase::Totals;
        break;
      case Phase::Totals:
        for (const std::uint32_t end = std::min(rows, row_ + kSlice); row_ < end; ++row_) add_up(row_);
        if (row_ == rows) phase_ = Phase::Done;
        break;
      case Phase::Done:
        break;
    }
    if (budget.spent()) break;
  }
  return phase_ == Phase::Done;
}

// Each word is looked for in all distinct texts at once.
void SearchRun::find_words() {
  const live::DocumentView& document = index_->document();
  const std::string& all = index_->all_text();
  quality_.resize(query_.terms.size());
  dtypes_.resize(query_.terms.size());
  for (std::size_t at = 0; at < query_.terms.size(); ++at) {
    const QueryTerm& term = query_.terms[at];
    if (term.kind == TermKind::Dtype || term.kind == TermKind::Word) {
      for (const std::string& name : index_->dtypes()) {
        const bool begins = name.starts_with(term.kind == TermKind::Dtype ? term.text : term.dtype);
        const bool is_it = term.kind == TermKind::Dtype ? begins : name == term.text || (begins && !term.dtype.empty());
        dtypes_[at].push_back(is_it ? 1 : 0);
      }
    }
    if (!is_about_words(term.kind) || (term.kind == TermKind::Path && !term.is_plain)) continue;
    std::vector<std::uint8_t>& quality = quality_[at];
    quality.assign(document.string_count(), 0);
    std::uint32_t string = 0;
    for (std::size_t place = all.find(term.text); place != std::string::npos; place = all.find(term.text, place + 1)) {
      while (document.text_offset(string + 1) <= place) ++string;
      const std::size_t begin = document.text_offset(string);
      const std::size_t end = document.text_offset(string + 1);
      if (place + term.text.size() > end) continue;
      const std::uint8_t good = place == begin                            ? (term.text.size() == end - begin ? 4 : 3)
                                : begins_part(all[place - 1], all[place]) ? 2
                                                                          : 1;
      if (!term.is_exact || good == 4) quality[string] = std::max(quality[string], good);
    }
  }
}

void SearchRun::begin_rows() {
  row_ = 0;
  phase_ = Phase::Rows;
  bits_.assign(index_->document().row_count(), 0);
  walking_.clear();
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    const QueryTerm& what = query_.terms[term];
    const bool is_fuzzy = is_fuzzy_ && !what.is_negated && (what.kind == TermKind::Word || what.kind == TermKind::Name);
    if (what.regex || is_fuzzy) walking_.push_back(term);
  }
  chain_.clear();
  chain_progress_.assign(walking_.size(), {});
  here_.assign(walking_.size(), {});
  for (std::size_t at = 0; at < walking_.size(); ++at) {
    if (!query_.terms[walking_[at]].regex) continue;
    Regex& regex = *query_.terms[walking_[at]].regex;
    const std::uint32_t start = regex.start();
    chain_progress_[at] = {regex.positions(start), start, regex.generation(), 0, 0};
  }
}

bool SearchRun::advance_regex(std::size_t term, std::uint32_t row, const Progress& above, Progress& here) {
  Regex& regex = *query_.terms[term].regex;
  const live::DocumentView& document = index_->document();
  std::uint32_t state = above.generation == regex.generation() ? above.state : regex.number(above.positions);
  bool is_match = false;
  const std::uint32_t parent = document.parent(row);
  if (parent != 0) {
    state = regex.step(state, document.kind(parent) == live::RowKind::Container ? '/' : '.');
    is_match |= regex.is_match(state);
  }
  for (const char byte : index_->text(document.name_id(row))) {
    state = regex.step(state, byte);
    is_match |= regex.is_match(state);
  }
  is_match |= regex.is_match_at_end(state);
  here.state = state;
  here.generation = regex.generation();
  if (document.has_children(row)) here.positions = regex.positions(state);
  return is_match;
}

// As far as the letters go, each at the first place that it can have.
bool SearchRun::advance_letters(std::size_t term, std::uint32_t row, const Progress& above, Progress& here) const {
  const live::DocumentView& document = index_->document();
  const std::string_view word = query_.terms[term].text;
  here.letters = above.letters;
  here.good = above.good;
  if (here.letters == word.size()) here.letters = here.good = 0;  // the row above has it; perhaps this one has it, too
  char before = '.';
  bool was_letter = false;
  for (const char byte : index_->text(document.name_id(row))) {
    const bool is_letter_of_word = here.letters < word.size() && word[here.letters] == byte;
    if (is_letter_of_word) {
      ++here.letters;
      if (was_letter || begins_part(before, byte)) ++here.good;
    }
    was_letter = is_letter_of_word;
    before = byte;
  }
  return here.letters == word.size();
}

SearchRun::Found SearchRun::look_at_words(std::uint32_t row) {
  const live::DocumentView& document = index_->document();
  Found found;
  const std::uint32_t name = document.name_id(row);
  const std::uint32_t class_name = document.class_id(row);
  const std::uint32_t tensor = document.tensor(row);
  const bool has_text = document.kind(row) == live::RowKind::Value || tensor != live::kNone;
  for (std::size_t at = 0; at < query_.terms.size(); ++at) {
    const std::vector<std::uint8_t>& quality = quality_[at];
    if (quality.empty() && dtypes_[at].empty()) continue;
    const QueryTerm& term = query_.terms[at];
    if (!is_about_words(term.kind)) continue;
    std::uint32_t score = 0;
    const bool is_path = term.kind == TermKind::Path;
    if (term.kind != TermKind::Class && !is_path && row != 0) score = quality[name] * 2U;
    if (term.kind != TermKind::Name && !is_path && quality[class_name] != 0) {
      score = std::max<std::uint32_t>(score, quality[class_name] == 4 ? 5 : quality[class_name]);
    }
    // A value is found by what it is, too, and a packed weight by what it is packed as: their texts are among those
    // that every word is looked for in anyway.
    if (has_text && term.is_plain) score = std::max<std::uint32_t>(score, quality[document.preview_id(row)]);
    if (tensor != live::kNone && !dtypes_[at].empty() && dtypes_[at][document.dtype(tensor)] != 0) {
      score = std::max(score, 4U);
    }
    if (score == 0) continue;
    found.bits |= 1U << at;
    found.score += score;
  }
  if (walking_.empty() || row == 0) return found;

  const std::uint32_t parent = document.parent(row);
  const std::size_t width = walking_.size();
  while (!chain_.empty() && chain_.back() != parent) {
    chain_.pop_back();
    chain_progress_.resize(chain_progress_.size() - width);
  }
  for (std::size_t at = 0; at < width; ++at) {
    const std::size_t term = walking_[at];
    const Progress& above = chain_progress_[chain_progress_.size() - width + at];
    if (query_.terms[term].regex) {
      if (!advance_regex(term, row, above, here_[at])) continue;
      found.score += 4;
    } else {
      if (!advance_letters(term, row, above, here_[at])) continue;
      found.score +=
          static_cast<std::uint32_t>(here_[at].good * 8 / std::max<std::size_t>(1, query_.terms[term].text.size()));
    }
    found.bits |= 1U << term;
  }
  if (document.has_children(row)) {
    chain_.push_back(row);
    chain_progress_.insert(chain_progress_.end(), here_.begin(), here_.end());
  }
  return found;
}

bool SearchRun::has_shape(const QueryTerm& term, std::uint32_t tensor) const {
  const std::span<const std::int64_t> shape = index_->document().shape(tensor);
  // As with * in file names: after "...", go on at the first place from which the rest fits, else one further.
  std::size_t wanted = 0;
  std::size_t at = 0;
  std::size_t rest = SIZE_MAX;
  std::size_t rest_at = 0;
  while (at < shape.size()) {
    if (wanted < term.shape.size() && term.shape[wanted].is_rest) {
      rest = wanted++;
      rest_at = at;
    } else if (wanted < term.shape.size() && term.shape[wanted].range.contains(static_cast<std::uint64_t>(shape[at]))) {
      ++wanted;
      ++at;
    } else if (rest != SIZE_MAX) {
      wanted = rest + 1;
      at = ++rest_at;
    } else {
      return false;
    }
  }
  while (wanted < term.shape.size() && term.shape[wanted].is_rest) ++wanted;
  return wanted == term.shape.size();
}

bool SearchRun::holds(const QueryTerm& term, std::uint32_t row) const {
  const live::DocumentView& document = index_->document();
  const std::uint32_t tensor = document.tensor(row);
  const bool is_tensor = tensor != live::kNone;
  switch (term.kind) {
    case TermKind::RowKind:
      return (((term.bits >> static_cast<unsigned>(document.kind(row))) & 1U) != 0) != term.is_negated;
    case TermKind::Flag:
      return ((document.flags(row) & term.bits) != 0) != term.is_negated;
    case TermKind::Count:
    case TermKind::Bytes:
      if (is_tensor) {
        const std::uint64_t amount = term.kind == TermKind::Count ? document.numel(tensor) : document.nbytes(tensor);
        return term.range.contains(amount) != term.is_negated;
      }
      return asks_kind_ && term.range.contains(term.kind == TermKind::Count ? document.parameters(row)
                                                                            : document.bytes(row)) != term.is_negated;
    case TermKind::Dtype:
      return is_tensor && (dtypes_[static_cast<std::size_t>(&term - query_.terms.data())][document.dtype(tensor)] !=
                           0) != term.is_negated;
    case TermKind::Shape:
      return is_tensor && has_shape(term, tensor) != term.is_negated;
    case TermKind::Rank:
      return is_tensor && term.range.contains(document.shape(tensor).size()) != term.is_negated;
    default:
      return true;
  }
}

void SearchRun::look_at(std::uint32_t row) {
  const Found found = look_at_words(row);
  const std::uint32_t parent = index_->document().parent(row);
  // What the whole model is called says nothing about its parts.
  const std::uint32_t bits = found.bits | (row == 0 || parent == 0 ? 0 : bits_[parent]);
  bits_[row] = bits;
  if (asks_metadata_ || (bits & wanted_) != wanted_ || (bits & unwanted_) != 0) return;
  if ((found.bits & wanted_) == 0 && wanted_ != 0 && !has_row_terms_) return;
  if (has_row_terms_) {
    for (const QueryTerm& term : query_.terms) {
      if (!is_about_words(term.kind) && !holds(term, row)) return;
    }
  }
  found_.push_back(row);
  scores_.push_back(static_cast<std::uint8_t>(std::min(found.score, kBestScore)));
}

bool SearchRun::look_at_metadata(const base::Budget& budget) {
  const auto& entries = *index_->document().get().metadata();
  // Without `meta:` only words may be about metadata.
  for (const QueryTerm& term : query_.terms) {
    if (term.kind != TermKind::Metadata && (term.kind != TermKind::Word || asks_kind_ || has_row_terms_)) return true;
  }
  while (row_ < entries.size()) {
    const auto* entry = entries.Get(row_);
    const auto is_right = [&](const QueryTerm& term) {
      return (occurs(live::text_of(entry->key()), term.text) || occurs(live::text_of(entry->value()), term.text)) !=
             term.is_negated;
    };
    const auto& terms = query_.terms;
    if ((asks_metadata_ || wanted_ != 0) && std::all_of(terms.begin(), terms.end(), is_right)) {
      metadata_hits_.push_back(row_);
    }
    ++row_;
    if (budget.spent()) return row_ == entries.size();
  }
  return true;
}

// Few scores: one pass counts them, one puts the rows at their places.
void SearchRun::order() {
  std::array<std::uint32_t, kBestScore + 2> begins{};
  for (std::size_t at = 0; at < found_.size(); ++at) ++begins[kBestScore - scores_[at] + 1U];
  for (std::size_t score = 1; score < begins.size(); ++score) begins[score] += begins[score - 1];
  hits_.resize(found_.size());
  for (std::size_t at = 0; at < found_.size(); ++at) hits_[begins[kBestScore - scores_[at]]++] = found_[at];
}

void SearchRun::add_up(std::uint32_t row) {
  const live::DocumentView& document = index_->document();
  if (next_found_ < found_.size() && found_[next_found_] == row) {
    ++next_found_;
    covered_end_ = std::max(covered_end_, document.end(row));
  }
  const std::uint32_t tensor = document.tensor(row);
  if (row >= covered_end_ || tensor == live::kNone || (bits_[row] & unwanted_) != 0) return;
  ++totals_.tensors;
  const bool is_parameter = document.kind(row) == live::RowKind::Parameter;
  const std::uint8_t flags = document.flags(row);
  if ((flags & live::kShared) == 0) {
    totals_.parameters += document.parameters(row);
    totals_.bytes += document.bytes(row);
    return;
  }
  // The row that is counted for all may not be a hit.
  const std::uint64_t key = (std::uint64_t{document.storage(tensor)} << 32U) ^ (document.numel(tensor) * 2);
  const auto counts = [&](std::uint64_t wanted, bool is_repeated) {
    const bool is_new = counted_.insert(wanted).second;
    return !is_repeated || is_new;
  };
  if (counts(key, (flags & live::kRepeatedBytes) != 0)) totals_.bytes += document.nbytes(tensor);
  if (is_parameter && counts(key | 1U, (flags & live::kRepeatedParameter) != 0)) {
    totals_.parameters += document.parameters(row);
  }
}

FilterResult find_matches(const std::shared_ptr<const SearchIndex>& index, const SearchQuery& query) {
  const live::DocumentView& document = index->document();
  SearchRun run(query, index, false);
  run.step(base::Budget::unlimited());
  FilterResult result;
  result.totals = run.totals();
  result.match_count = static_cast<std::uint32_t>(run.hits().size());
  result.metadata = run.metadata_hits();
  const std::uint32_t rows = document.row_count();
  result.marks.assign(rows, 0);
  for (const std::uint32_t row : run.hits()) result.marks[row] = kMatches;
  for (std::uint32_t row = 1; row < rows; ++row) {
    if ((result.marks[document.parent(row)] & (kMatches | kBelowMatch)) == 0 || run.is_excluded(row)) continue;
    result.marks[row] |= kBelowMatch;
  }
  for (std::uint32_t row = rows; row-- > 1;) {
    if ((result.marks[row] & (kMatches | kMatchBelow)) != 0) result.marks[document.parent(row)] |= kMatchBelow;
  }
  return result;
}

}  // namespace nns::model
