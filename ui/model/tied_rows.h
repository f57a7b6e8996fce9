#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/live/document_view.h"

namespace nns::model {

/// The rows of a document that show tensors on one storage (tied weights), by group.
/// Cost: one walk over the document's rows, and room for those that are tied.
class TiedRows {
 public:
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  TiedRows() = default;
  explicit TiedRows(const live::DocumentView& document);

  /// The group of a row, counted from 0 in the order of their first rows; kNoGroup of a row that is not tied.
  std::uint32_t group(std::uint32_t row) const;
  /// The rows of a group, in the document's order.
  std::span<const std::uint32_t> rows(std::uint32_t group) const { return rows_[group]; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::vector<std::vector<std::uint32_t>> rows_;
  std::unordered_map<std::uint32_t, std::uint32_t> group_of_;  // by row
};

}  // namespace nns::model
