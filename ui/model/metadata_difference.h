#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nns::model {

/// An entry of a file's metadata that another file has not, or has otherwise.
struct MetadataChange {
  std::string key;
  std::optional<std::string> a;  ///< its value in A; nothing: B only
  std::optional<std::string> b;
  /// "added", "removed", "changed".
  const char* status() const { return !a ? "added" : !b ? "removed" : "changed"; }
};

/// Keys and values in the order of a file.
using MetadataEntries = std::vector<std::pair<std::string_view, std::string_view>>;

/// What differs: changed and removed entries in the order of A, then added ones in the order of B. Of a key that occurs
/// several times the first lines up with the first, and so on.
std::vector<MetadataChange> compare_metadata(const MetadataEntries& a, const MetadataEntries& b);

/// "1 added, 2 changed"; empty for none.
std::string metadata_counts(const std::vector<MetadataChange>& changes);

}  // namespace nns::model
