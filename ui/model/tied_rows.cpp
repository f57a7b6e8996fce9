#include "ui/model/tied_rows.h"

namespace nns::model {

TiedRows::TiedRows(const live::DocumentView& document) {
  std::unordered_map<std::uint32_t, std::uint32_t> group_of_storage;
  for (std::uint32_t row = 0; row < document.row_count(); ++row) {
    const std::uint32_t tensor = document.tensor(row);
    if ((document.flags(row) & live::kShared) == 0 || tensor == live::kNone) continue;
    const std::uint32_t storage = document.storage(tensor);
    if (storage == live::kNone) continue;
    const auto [place, is_new] = group_of_storage.emplace(storage, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.emplace_back();
    rows_[place->second].push_back(row);
    group_of_.emplace(row, place->second);
  }
}

std::uint32_t TiedRows::group(std::uint32_t row) const {
  const auto found = group_of_.find(row);
  return found == group_of_.end() ? kNoGroup : found->second;
}

}  // namespace nns::model
