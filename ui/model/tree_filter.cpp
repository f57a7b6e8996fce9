#include <algorithm>

#include "ui/model/tree_rows.h"

namespace nns::model {

namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

// Which rows' paths contain a text that spans several names. Walks the rows with the path of the current one at hand
// and looks only at the part that an ancestor cannot have matched already.
class PathSearch {
 public:
  PathSearch(const live::DocumentView& document, std::string_view lowered_names, std::string_view text)
      : document_(document), names_(lowered_names), text_(text), begins_(1, 0) {}

  bool matches(std::uint32_t row) {
    if (row == 0) return false;
    const std::uint32_t parent = document_.parent(row);
    while (chain_.size() > 1 && chain_.back() != parent) {
      chain_.pop_back();
      begins_.pop_back();
    }
    // begins_[i] is the length of the path of chain_[i - 1]; the root's path is empty.
    path_.resize(begins_.back());
    if (parent != 0) path_ += document_.kind(parent) == live::RowKind::Container ? '/' : '.';
    const std::size_t own = path_.size();
    const std::uint32_t name = document_.name_id(row);
    path_ += names_.substr(document_.text_offset(name), document_.text_offset(name + 1) - document_.text_offset(name));
    if (document_.has_children(row)) {
      chain_.push_back(row);
      begins_.push_back(path_.size());
    }
    const std::size_t from = own > text_.size() ? own - text_.size() : 0;
    return std::string_view(path_).substr(from).find(text_) != std::string_view::npos;
  }

 private:
  const live::DocumentView& document_;
  std::string_view names_;
  std::string_view text_;
  std::string path_;
  std::vector<std::uint32_t> chain_ = {0};
  std::vector<std::size_t> begins_;
};

}  // namespace

FilterResult find_matches(const live::DocumentView& document, std::string_view text) {
  FilterResult result;
  const std::uint32_t rows = document.row_count();
  result.marks.assign(rows, 0);
  const std::string wanted = lowered(text);
  const std::string names = lowered(document.all_text());
  std::vector<std::uint8_t> found(document.string_count(), 0);
  for (std::uint32_t i = 0; i < document.string_count(); ++i) {
    const auto name =
        std::string_view(names).substr(document.text_offset(i), document.text_offset(i + 1) - document.text_offset(i));
    found[i] = name.find(wanted) != std::string_view::npos ? 1 : 0;
  }
  const bool spans_names = wanted.find_first_of("./") != std::string::npos;
  PathSearch paths(document, names, wanted);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const bool path_matches = spans_names && paths.matches(row);
    if (path_matches || found[document.name_id(row)] != 0 || found[document.class_id(row)] != 0) {
      result.marks[row] |= kMatches;
      ++result.match_count;
    }
    if (row != 0 && (result.marks[document.parent(row)] & (kMatches | kBelowMatch)) != 0) {
      result.marks[row] |= kBelowMatch;
    }
  }
  for (std::uint32_t row = rows; row-- > 1;) {
    if ((result.marks[row] & (kMatches | kMatchBelow)) != 0) result.marks[document.parent(row)] |= kMatchBelow;
  }
  return result;
}

}  // namespace nns::model
