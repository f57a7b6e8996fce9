#include "ui/model/filtered_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace nns::model {

namespace {

base::Result<SearchQuery> read_query(std::string_view text) {
  SearchQuery query = parse_query(text);
  if (query.error) {
    return base::Error{query.error->found, query.error->expected, fmt::format("filter \"{}\"", text),
                       query.error->begin};
  }
  if (query.is_empty()) {
    return base::Error{
        "a filter without a condition", "words, or conditions such as dtype:bf16, shape:4096,*, >1M", {}, std::nullopt};
  }
  return query;
}

/// The lowest row above both; must hold: a <= b.
std::uint32_t common_ancestor(const live::DocumentView& document, std::uint32_t a, std::uint32_t b) {
  while (document.end(a) <= b) a = document.parent(a);
  return a;
}

/// Adds the tensors that match to their rows and to the rows above. What an earlier row shows is taken away where the
/// two rows meet, so that each row has it once.
void add_up(const live::DocumentView& document, FilteredRows& rows) {
  const std::uint32_t count = document.row_count();
  rows.parameters.assign(count, 0);
  rows.bytes.assign(count, 0);
  std::unordered_map<std::uint64_t, std::uint32_t> last_bytes;  // of tensors that share a storage: the row before
  std::unordered_map<std::uint64_t, std::uint32_t> last_parameters;
  for (std::uint32_t row = 0; row < count; ++row) {
    const std::uint32_t tensor = document.tensor(row);
    if (tensor == live::kNone || !rows.is_match(row)) continue;
    rows.tensors.push_back(tensor);
    const bool is_parameter = document.kind(row) == live::RowKind::Parameter;
    rows.bytes[row] += document.nbytes(tensor);
    if (is_parameter) rows.parameters[row] += document.parameters(row);
    const std::uint8_t flags = document.flags(row);
    if ((flags & live::kShared) == 0) continue;
    const std::uint64_t key = (std::uint64_t{document.storage(tensor)} << 32U) ^ document.numel(tensor);
    const auto [before, is_new] = last_bytes.try_emplace(key, row);
    if (!is_new && (flags & live::kRepeatedBytes) != 0)
      rows.bytes[common_ancestor(document, before->second, row)] -= document.nbytes(tensor);
    before->second = row;
    if (!is_parameter) continue;
    const auto [same, is_first] = last_parameters.try_emplace(key, row);
    if (!is_first && (flags & live::kRepeatedParameter) != 0)
      rows.parameters[common_ancestor(document, same->second, row)] -= document.parameters(row);
    same->second = row;
  }
  for (std::uint32_t row = count; row-- > 1;) {
    rows.parameters[document.parent(row)] += rows.parameters[row];
    rows.bytes[document.parent(row)] += rows.bytes[row];
  }
  std::sort(rows.tensors.begin(), rows.tensors.end());
  rows.tensors.erase(std::unique(rows.tensors.begin(), rows.tensors.end()), rows.tensors.end());
}

}  // namespace

base::Result<void> check_query(std::string_view query) {
  NNS_TRY(read_query(query));
  return {};
}

base::Result<FilteredRows> filter_rows(const std::shared_ptr<const live::DocumentView>& document,
                                       std::string_view query) {
  NNS_TRY_ASSIGN(const SearchQuery terms, read_query(query));
  FilterResult found = find_matches(std::make_shared<const SearchIndex>(document), terms);
  FilteredRows rows;
  rows.marks = std::move(found.marks);
  rows.metadata = std::move(found.metadata);
  rows.match_count = found.match_count;
  rows.totals = found.totals;
  add_up(*document, rows);
  return rows;
}

}  // namespace nns::model
