#include "ui/model/metadata_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "ui/model/format.h"

namespace nns::model {

std::vector<MetadataChange> compare_metadata(const MetadataEntries& a, const MetadataEntries& b) {
  std::map<std::string_view, std::vector<std::size_t>> in_b;  // by key: its places, last first
  for (std::size_t i = b.size(); i-- > 0;) in_b[b[i].first].push_back(i);
  std::vector<bool> is_met(b.size(), false);
  std::vector<MetadataChange> changes;
  for (const auto& [key, value] : a) {
    const auto found = in_b.find(key);
    if (found == in_b.end() || found->second.empty()) {
      changes.push_back({std::string(key), std::string(value), std::nullopt});
      continue;
    }
    const std::size_t other = found->second.back();
    found->second.pop_back();
    is_met[other] = true;
    if (b[other].second != value)
      changes.push_back({std::string(key), std::string(value), std::string(b[other].second)});
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!is_met[i]) changes.push_back({std::string(b[i].first), std::nullopt, std::string(b[i].second)});
  }
  return changes;
}

std::string metadata_counts(const std::vector<MetadataChange>& changes) {
  std::string text;
  for (const std::string_view status : {"added", "removed", "changed"}) {
    const auto count = std::count_if(changes.begin(), changes.end(),
                                     [&](const MetadataChange& change) { return status == change.status(); });
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", thousands(static_cast<std::uint64_t>(count)), status);
  }
  return text;
}

}  // namespace nns::model
