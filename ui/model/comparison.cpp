#include "ui/model/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ui/model/document_title.h"
#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::kNone;
using live::Match;
using live::ValueState;

constexpr std::array<const char*, kDiffKinds> kKindTexts = {"added", "removed", "renamed", "moved",   "shape",
                                                            "dtype", "values",  "other",   "unknown", "equal"};
constexpr std::array<const char*, kDiffColumns> kColumnTexts = {
    "Change", "Name", "Size", "Max |\xCE\x94|", "Mean |\xCE\x94|", "Relative", "Cosine", "Changed"};

constexpr std::uint16_t bit(DiffKind kind) { return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind)); }
constexpr std::uint16_t kAllKinds = (1U << kDiffKinds) - 1;
constexpr std::uint16_t kShownFirst = kAllKinds & ~bit(DiffKind::Equal);
constexpr std::string_view kArrow = " \xE2\x86\x92 ";

std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || a == b) return b;
  return b.empty() ? a : fmt::format("{}{}{}", a, kArrow, b);
}

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

/// Which rows of a document have `text` in their whole name.
std::vector<bool> rows_named(const live::DocumentView& document, std::string_view text) {
  std::vector<bool> named(document.row_count(), false);
  std::string path;
  std::vector<std::uint32_t> chain;        // rows from below the root down to the present one
  std::vector<std::size_t> length_before;  // of `path`, by level of the chain
  for (std::uint32_t row = 1; row < document.row_count(); ++row) {
    while (!chain.empty() && document.end(chain.back()) <= row) {
      path.resize(length_before.back());
      length_before.pop_back();
      chain.pop_back();
    }
    length_before.push_back(path.size());
    chain.push_back(row);
    if (!path.empty()) path += document.kind(document.parent(row)) == live::RowKind::Container ? '/' : '.';
    for (const char letter : document.name(row)) path += lower(letter);
    named[row] = path.find(text) != std::string::npos;
  }
  return named;
}

std::string title_of(const live::DocumentView& document, std::uint32_t part, const live::DocumentView& other) {
  const std::array others = {&other};
  std::string title = title_among(document, others);
  return part == 0 ? title : fmt::format("{} \xC2\xB7 {}", title, document.path(part));
}

MetadataEntries metadata_of(const live::DocumentView& document) {
  MetadataEntries metadata;
  for (const live::wire::MetadataEntry* entry : *document.get().metadata())
    metadata.emplace_back(live::text_of(entry->key()), live::text_of(entry->value()));
  return metadata;
}

}  // namespace

const char* diff_kind_text(DiffKind kind) { return kKindTexts[static_cast<std::size_t>(kind)]; }
const char* diff_column_text(DiffColumn column) { return kColumnTexts[static_cast<std::size_t>(column)]; }

void ComparisonModel::show(DocumentPtr a, DocumentPtr b, std::shared_ptr<const live::ComparisonView> view) {
  a_ = std::move(a);
  b_ = std::move(b);
  view_ = std::move(view);
  mask_ = kShownFirst;
  open_.assign(view_->row_count(), 0);
  was_tree_ = false;
  metadata_ = compare_metadata(metadata_of(*a_), metadata_of(*b_));
  selected_ = kNoLine;
  find_names();
  seen_version_ = view_->version();
  rebuild();
  select(0);
}

bool ComparisonModel::follow(bool is_running) {
  if (view_ == nullptr) return false;
  if (view_->version() != seen_version_) {
    seen_version_ = view_->version();
    is_stale_ = true;
    if (is_running && !is_tree_) {
      const auto& values = view_->all_values();
      for (; seen_values_ < values.size(); ++seen_values_) {
        const std::uint32_t row = values[seen_values_].row();
        if (listed_[row] || !passes(row)) continue;
        listed_[row] = true;
        lines_.push_back({row, 0, false, false});
      }
    }
    count_kinds();
  }
  if (!is_stale_ || is_running) return false;
  rebuild();
  return true;
}

void ComparisonModel::count_kinds() {
  counts_.fill(0);
  for (std::uint32_t row = 0; row < view_->row_count(); ++row) {
    for (std::uint16_t left = kinds(row), kind = 0; left != 0; left = static_cast<std::uint16_t>(left >> 1U), ++kind) {
      counts_[kind] += left & 1U;
    }
  }
}

void ComparisonModel::find_names() {
  named_.clear();
  if (filter_.empty() || view_ == nullptr) return;
  std::string text;
  for (const char letter : filter_) text += lower(letter);
  const std::vector<bool> in_a = rows_named(*a_, text);
  const std::vector<bool> in_b = rows_named(*b_, text);
  named_.assign(view_->row_count(), false);
  for (std::uint32_t row = 0; row < view_->row_count(); ++row) {
    const std::uint32_t row_a = view_->row_a(row);
    const std::uint32_t row_b = view_->row_b(row);
    named_[row] = (row_a != kNone && in_a[row_a]) || (row_b != kNone && in_b[row_b]);
  }
}

bool ComparisonModel::passes(std::uint32_t row) const {
  return (kinds(row) & mask_) != 0 && (named_.empty() || named_[row]);
}

void ComparisonModel::rebuild() {
  lines_.clear();
  if (view_ == nullptr) return;
  is_stale_ = false;
  seen_values_ = view_->all_values().size();
  count_kinds();
  if (is_tree_) {
    make_tree();
  } else {
    make_list();
  }
  find_selected();
}

double ComparisonModel::sort_key(std::uint32_t row) const {
  if (sort_ == DiffColumn::Change) return static_cast<double>(view_->rank(row));
  if (sort_ == DiffColumn::Size) {
    const std::uint32_t a = tensor_a(row);
    const std::uint32_t b = tensor_b(row);
    const bool is_known = (a != kNone && a_->has_shape(a)) || (b != kNone && b_->has_shape(b));
    if ((a != kNone || b != kNone) && !is_known) return ascending_ ? INFINITY : -INFINITY;
    return static_cast<double>(std::max(a == kNone ? 0 : a_->nbytes(a), b == kNone ? 0 : b_->nbytes(b)));
  }
  const live::wire::Difference* found = view_->values(row);
  // What is not known stands behind what is, whichever way the order goes.
  const double nothing = ascending_ ? INFINITY : -INFINITY;
  if (found == nullptr || view_->state(row) == ValueState::Unreadable) return nothing;
  double key = nothing;
  switch (sort_) {
    case DiffColumn::MaxAbs:
      key = found->max_abs();
      break;
    case DiffColumn::MeanAbs:
      key = found->mean_abs();
      break;
    case DiffColumn::Relative:
      key = found->relative();
      break;
    case DiffColumn::Cosine:
      key = found->cosine();
      break;
    case DiffColumn::Changed:
      key = found->count() == 0 ? 0 : static_cast<double>(found->changed()) / static_cast<double>(found->count());
      break;
    default:
      break;
  }
  return std::isnan(key) ? nothing : key;
}

void ComparisonModel::make_list() {
  listed_.assign(view_->row_count(), false);
  struct Keyed {
    double key;
    std::uint32_t row;
  };
  std::vector<Keyed> found;
  for (std::uint32_t row = 0; row < view_->row_count(); ++row) {
    if (!passes(row)) continue;
    listed_[row] = true;
    // Rows stand in the order of names already.
    const double key = sort_ == DiffColumn::Name ? -static_cast<double>(row) : sort_key(row);
    found.push_back({ascending_ ? -key : key, row});
  }
  std::stable_sort(found.begin(), found.end(), [](const Keyed& x, const Keyed& y) { return x.key > y.key; });
  lines_.reserve(found.size());
  for (const Keyed& entry : found) lines_.push_back({entry.row, 0, false, false});
}

void ComparisonModel::make_tree() {
  const std::uint32_t count = view_->row_count();
  // A row is shown if it passes or something below it does.
  std::vector<bool> shown(count, false);
  for (std::uint32_t row = count; row-- > 0;) {
    if (passes(row)) shown[row] = true;
    if (shown[row] && row > 0) shown[view_->parent(row)] = true;
  }
  changes_.assign(count, 0);
  for (std::uint32_t row = count; row-- > 0;) {
    const std::uint16_t found = kinds(row);
    if (found != 0 && (found & bit(DiffKind::Equal)) == 0) ++changes_[row];
    if (row > 0) changes_[view_->parent(row)] += changes_[row];
  }
  if (!was_tree_) {
    // The ways to what differs stand open, as far as a screen holds them.
    constexpr std::uint32_t kMostOpen = 60;
    was_tree_ = true;
    open_[0] = 1;
    for (std::uint32_t row = 1, opened = 0; row < count && opened < kMostOpen; ++row) {
      if (open_[view_->parent(row)] == 0 || view_->end(row) == row + 1 || changes_[row] == 0) continue;
      open_[row] = 1;
      ++opened;
    }
  }
  const std::vector<double> keys = is_tree_sorted_ ? subtree_keys() : std::vector<double>();
  struct Place {
    std::uint32_t row;
    std::uint16_t depth;
  };
  std::vector<Place> waiting = {{0, 0}};  // the next one last
  std::vector<std::uint32_t> children;
  while (!waiting.empty()) {
    const Place place = waiting.back();
    waiting.pop_back();
    children.clear();
    for (std::uint32_t child = place.row + 1; child < view_->end(place.row); child = view_->end(child)) {
      if (shown[child]) children.push_back(child);
    }
    // A filter by name opens the ways to what it finds.
    const bool expanded = !children.empty() && (open_[place.row] != 0 || !named_.empty());
    lines_.push_back({place.row, place.depth, !children.empty(), expanded});
    if (!expanded) continue;
    if (is_tree_sorted_) {
      std::stable_sort(children.begin(), children.end(), [&](std::uint32_t x, std::uint32_t y) {
        return ascending_ ? keys[x] < keys[y] : keys[x] > keys[y];
      });
    }
    const auto depth = static_cast<std::uint16_t>(std::min<unsigned>(place.depth + 1U, UINT16_MAX));
    for (std::size_t i = children.size(); i-- > 0;) waiting.push_back({children[i], depth});
  }
}

// A module stands where the first of what is in it would stand.
std::vector<double> ComparisonModel::subtree_keys() const {
  const std::uint32_t count = view_->row_count();
  const bool by_name = sort_ == DiffColumn::Name;
  std::vector<double> keys(count, ascending_ ? INFINITY : -INFINITY);
  for (std::uint32_t row = count; row-- > 0;) {
    if (by_name) {
      keys[row] = -static_cast<double>(row);  // rows stand in the order of names already
      continue;
    }
    if (passes(row)) keys[row] = ascending_ ? std::min(keys[row], sort_key(row)) : std::max(keys[row], sort_key(row));
    if (row == 0) break;
    double& above = keys[view_->parent(row)];
    above = ascending_ ? std::min(above, keys[row]) : std::max(above, keys[row]);
  }
  return keys;
}

void ComparisonModel::set_tree(bool is_tree) {
  if (is_tree_ == is_tree) return;
  is_tree_ = is_tree;
  // The choice stays in sight.
  if (is_tree && view_ != nullptr && selected_ != kNoLine) {
    for (std::uint32_t up = view_->parent(selected_); up != kNone; up = view_->parent(up)) open_[up] = 1;
  }
  rebuild();
}

void ComparisonModel::sort_by(DiffColumn column) {
  const bool first = is_ascending_first(column);
  if (!is_sorted_by(column)) {
    ascending_ = first;
    is_tree_sorted_ = is_tree_;
  } else if (ascending_ == first || !is_tree_) {
    ascending_ = !ascending_;
  } else {
    ascending_ = first;
    is_tree_sorted_ = false;
  }
  sort_ = column;
  rebuild();
}

void ComparisonModel::set_sort(DiffColumn column, bool ascending, bool is_tree_sorted) {
  sort_ = column;
  ascending_ = ascending;
  is_tree_sorted_ = is_tree_sorted;
  rebuild();
}

void ComparisonModel::toggle(DiffKind kind) {
  mask_ = static_cast<std::uint16_t>(mask_ ^ bit(kind));
  rebuild();
}

std::string ComparisonModel::shown_kinds() const {
  if (mask_ == kShownFirst) return {};
  std::string words;
  for (std::size_t kind = 0; kind < kDiffKinds; ++kind) {
    if ((mask_ >> kind & 1U) != 0) words.append(words.empty() ? "" : ",").append(kKindTexts[kind]);
  }
  return words.empty() ? "none" : words;
}

void ComparisonModel::show_kinds(std::string_view words) {
  mask_ = words.empty() ? kShownFirst : 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(','), words.size());
    for (std::size_t kind = 0; kind < kDiffKinds; ++kind) {
      if (words.substr(0, end) == kKindTexts[kind]) mask_ = static_cast<std::uint16_t>(mask_ | 1U << kind);
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  rebuild();
}

void ComparisonModel::set_filter(std::string text) {
  filter_ = std::move(text);
  find_names();
  rebuild();
}

void ComparisonModel::find_selected() {
  selected_line_ = kNoLine;
  for (std::uint32_t line = 0; line < lines_.size(); ++line) {
    if (lines_[line].row == selected_) selected_line_ = line;
  }
}

std::uint32_t ComparisonModel::selected_line() const { return selected_line_; }

void ComparisonModel::select(std::uint32_t line) {
  if (line >= lines_.size()) return;
  selected_ = lines_[line].row;
  selected_line_ = line;
}

void ComparisonModel::select_row(std::uint32_t row) {
  if (view_ == nullptr || row >= view_->row_count()) return;
  selected_ = row;
  for (std::uint32_t up = view_->parent(row); up != kNone; up = view_->parent(up)) open_[up] = 1;
  rebuild();
}

std::uint32_t ComparisonModel::find_row(std::string_view path, bool in_a) const {
  if (view_ == nullptr) return kNoLine;
  const live::DocumentView& document = in_a ? *a_ : *b_;
  for (std::uint32_t row = 0; row < view_->row_count(); ++row) {
    const std::uint32_t there = in_a ? view_->row_a(row) : view_->row_b(row);
    if (there != kNone && path.ends_with(document.name(there)) && document.path(there) == path) return row;
  }
  return kNoLine;
}

void ComparisonModel::expand(std::uint32_t line, bool open) {
  if (line >= lines_.size() || !is_tree_) return;
  open_[lines_[line].row] = open ? 1 : 0;
  // What is chosen below a row that closes gives the choice to it.
  const std::uint32_t row = lines_[line].row;
  if (!open && selected_ != kNoLine && selected_ > row && selected_ < view_->end(row)) selected_ = row;
  rebuild();
}

void ComparisonModel::expand_all(bool open) {
  std::fill(open_.begin(), open_.end(), open ? 1 : 0);
  if (!open_.empty()) open_[0] = 1;
  rebuild();
}

std::uint32_t ComparisonModel::parent_line(std::uint32_t line) const {
  if (line >= lines_.size()) return kNoLine;
  for (std::uint32_t up = line; up-- > 0;) {
    if (lines_[up].depth < lines_[line].depth) return up;
  }
  return kNoLine;
}

std::uint32_t ComparisonModel::tensor_a(std::uint32_t row) const {
  const std::uint32_t row_a = view_->row_a(row);
  return row_a == kNone ? kNone : a_->tensor(row_a);
}

std::uint32_t ComparisonModel::tensor_b(std::uint32_t row) const {
  const std::uint32_t row_b = view_->row_b(row);
  return row_b == kNone ? kNone : b_->tensor(row_b);
}

std::uint16_t ComparisonModel::kinds(std::uint32_t row) const {
  constexpr std::array<std::uint16_t, 5> kMatches = {0, bit(DiffKind::Added), bit(DiffKind::Removed),
                                                     bit(DiffKind::Renamed), bit(DiffKind::Moved)};
  const std::uint16_t match = kMatches[static_cast<std::size_t>(view_->match(row))];
  const std::uint8_t flags = view_->flags(row);
  std::uint16_t found = 0;
  if ((flags & (live::kClassDiffers | live::kTextDiffers)) != 0) found |= bit(DiffKind::Other);
  if (tensor_a(row) == kNone && tensor_b(row) == kNone) {
    // Of modules that are only on one side the rows below tell it.
    return view_->end(row) == row + 1 ? found | match : found;
  }
  found |= match;
  if ((flags & live::kShapeDiffers) != 0) found |= bit(DiffKind::Shape);
  if ((flags & live::kDtypeDiffers) != 0) found |= bit(DiffKind::Dtype);
  const ValueState state = view_->state(row);
  if (state == ValueState::Different) found |= bit(DiffKind::Values);
  if (state == ValueState::Unreadable || (flags & live::kNotKnown) != 0) found |= bit(DiffKind::Unknown);
  return found == 0 ? bit(DiffKind::Equal) : found;
}

std::string ComparisonModel::status(std::uint32_t row) const {
  const std::uint16_t found = kinds(row);
  if (found == 0) {
    const Match match = view_->match(row);
    return match == Match::Added ? "added" : match == Match::Removed ? "removed" : "";
  }
  if (found == bit(DiffKind::Equal)) return view_->state(row) == ValueState::Equal ? "equal" : "same header";
  std::string words;
  for (std::size_t kind = 0; kind < kDiffKinds; ++kind) {
    if ((found >> kind & 1U) == 0) continue;
    if (!words.empty()) words += ", ";
    words += static_cast<DiffKind>(kind) == DiffKind::Other
                 ? ((view_->flags(row) & live::kClassDiffers) != 0 ? "class" : "value")
                 : kKindTexts[kind];
  }
  return words;
}

std::string ComparisonModel::title_a() const { return title_of(*a_, view_->compared().part_a, *b_); }

std::string ComparisonModel::title_b() const { return title_of(*b_, view_->compared().part_b, *a_); }

std::string ComparisonModel::short_path(const live::DocumentView& document, std::uint32_t row,
                                        std::uint32_t part) const {
  std::string path = document.path(row);
  if (part != 0 && row != part) path.erase(0, std::min(path.size(), document.path(part).size() + 1));
  return path;
}

std::string ComparisonModel::path_a(std::uint32_t row) const {
  const std::uint32_t row_a = view_->row_a(row);
  return row_a == kNone ? std::string() : a_->path(row_a);
}

std::string ComparisonModel::path_b(std::uint32_t row) const {
  const std::uint32_t row_b = view_->row_b(row);
  return row_b == kNone ? std::string() : b_->path(row_b);
}

std::string ComparisonModel::label(std::uint32_t row) const {
  const std::uint32_t row_a = view_->row_a(row);
  const std::uint32_t row_b = view_->row_b(row);
  const live::Compared parts = view_->compared();
  if (row == 0) {
    // Two parts of one document need not say whose they are.
    const bool is_one = parts.a == parts.b && parts.part_a != 0 && parts.part_b != 0;
    return is_one ? both(path_a(0), path_b(0)) : both(title_a(), title_b());
  }
  const Match match = view_->match(row);
  const bool is_other_name = match == Match::Moved || match == Match::Renamed;
  if (is_tree_ && match != Match::Moved) {
    std::string name_b(row_b == kNone ? std::string_view() : b_->name(row_b));
    return is_other_name || row_b == kNone ? both(std::string(a_->name(row_a)), name_b) : name_b;
  }
  std::string in_a = row_a == kNone ? std::string() : short_path(*a_, row_a, parts.part_a);
  if (row_b == kNone) return in_a;
  std::string in_b = short_path(*b_, row_b, parts.part_b);
  return is_other_name ? both(in_a, in_b) : in_b;
}

std::string ComparisonModel::shape_text(std::uint32_t row) const {
  const std::uint32_t a = tensor_a(row);
  const std::uint32_t b = tensor_b(row);
  if (a == kNone && b == kNone) {
    const auto text = [](const live::DocumentView& document, std::uint32_t of) {
      if (of == kNone) return std::string();
      return std::string(document.preview(of).empty() ? document.class_name(of) : document.preview(of));
    };
    return both(text(*a_, view_->row_a(row)), text(*b_, view_->row_b(row)));
  }
  const auto text = [](const live::DocumentView& document, std::uint32_t tensor) {
    if (tensor == kNone) return std::string();
    return document.has_shape(tensor) ? model::shape_text(document.shape(tensor)) : std::string("unknown");
  };
  return both(text(*a_, a), text(*b_, b));
}

std::string ComparisonModel::dtype_text(std::uint32_t row) const {
  const std::uint32_t a = tensor_a(row);
  const std::uint32_t b = tensor_b(row);
  return both(a == kNone ? std::string() : std::string(a_->dtype_name(a)),
              b == kNone ? std::string() : std::string(b_->dtype_name(b)));
}

std::string ComparisonModel::number_text(std::uint32_t row, DiffColumn column) const {
  if (column == DiffColumn::Size) {
    const std::uint32_t a = tensor_a(row);
    const std::uint32_t b = tensor_b(row);
    if (a == kNone && b == kNone) return {};
    const auto text = [](const live::DocumentView& document, std::uint32_t tensor) {
      if (tensor == kNone) return std::string();
      return document.has_shape(tensor) ? short_bytes(document.nbytes(tensor)) : std::string("unknown");
    };
    return both(text(*a_, a), text(*b_, b));
  }
  const live::wire::Difference* found = view_->values(row);
  if (found == nullptr || view_->state(row) == ValueState::Unreadable) return {};
  switch (column) {
    case DiffColumn::MaxAbs:
      return value_text(found->max_abs());
    case DiffColumn::MeanAbs:
      return value_text(found->mean_abs());
    case DiffColumn::Relative:
      return value_text(found->relative());
    case DiffColumn::Cosine:
      return std::isnan(found->cosine()) ? "none" : fmt::format("{:.6f}", found->cosine());
    case DiffColumn::Changed:
      return found->changed() == 0 ? "0%" : share_text(found->changed(), found->count());
    default:
      return {};
  }
}

std::string ComparisonModel::max_place_text(std::uint32_t row) const {
  const auto shape = b_->shape(tensor_b(row));
  std::uint64_t rest = view_->values(row)->max_at();
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto size = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(shape[i]));
    text.insert(0, fmt::format("{}{}", i > 0 ? ", " : "", rest % size));
    rest /= size;
  }
  return text.empty() ? text : fmt::format("[{}]", text);
}

std::uint64_t ComparisonModel::value_bytes(std::uint32_t row) const {
  const std::uint32_t a = tensor_a(row);
  const std::uint32_t b = tensor_b(row);
  if (a == kNone || b == kNone || (view_->flags(row) & (live::kShapeDiffers | live::kNotKnown)) != 0) return 0;
  return a_->nbytes(a) + b_->nbytes(b);
}

std::string prefix_text(const live::wire::DiffPrefix& prefix) {
  const std::string_view a = live::text_of(prefix.a());
  const std::string_view b = live::text_of(prefix.b());
  std::string text;
  if (a.empty() || b.empty()) {
    text =
        fmt::format("\xE2\x80\x9C{}\xE2\x80\x9D stands in names of {} only", a.empty() ? b : a, a.empty() ? "B" : "A");
  } else {
    text = fmt::format("\xE2\x80\x9C{}\xE2\x80\x9D in A is \xE2\x80\x9C{}\xE2\x80\x9D in B", a, b);
  }
  if (prefix.places() > 1) text += fmt::format(" in {} places", thousands(prefix.places()));
  return text + fmt::format(", {} {} line up through it", thousands(prefix.tensors()),
                            prefix.tensors() == 1 ? "tensor" : "tensors");
}

}  // namespace nns::model
