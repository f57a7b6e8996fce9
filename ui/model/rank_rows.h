#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/model/studio_rows.h"

namespace nns::model {

/// What the newest step of every rank says in words: what of all is the least and the most; of each when its parts
/// ended, its buckets with their sizes, parameters and how much of their communication backward hid, the order in which
/// gradients arrived, and what differs from rank 0.
std::vector<StudioRow> rank_rows(const live::wire::Ranks& ranks);

/// rank_rows() of the steps that are shown, made anew when these are others.
class RankRows {
 public:
  /// Valid until the next call.
  const std::vector<StudioRow>& of(const live::wire::Ranks& ranks);

 private:
  /// What tells one step of a rank from every other.
  struct Lane {
    std::uint32_t rank;
    std::uint64_t step, forward_ns, end_ns;
    std::string differs;
    friend bool operator==(const Lane&, const Lane&) = default;
  };
  std::uint32_t document_ = UINT32_MAX, size_ = 0;
  std::uint64_t step_ = 0;
  std::vector<Lane> made_of_;
  std::vector<StudioRow> rows_;
};

}  // namespace nns::model
