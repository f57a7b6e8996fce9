#include "core/checkpoint/radix_select.h"

#include <algorithm>

namespace nns::checkpoint {

namespace {
constexpr std::size_t kDigits = std::size_t{1} << 16U;
}

RadixSelect::RadixSelect(const std::vector<std::uint64_t>& ranks, unsigned bits)
    : counts_(kDigits, 0), shift_(bits == 0 ? -1 : static_cast<int>((bits - 1) / 16 * 16)) {
  set_ranks(ranks);
}

void RadixSelect::set_ranks(const std::vector<std::uint64_t>& ranks) {
  wanted_.clear();
  for (const std::uint64_t rank : ranks) wanted_.push_back({.prefix = 0, .rank = rank, .table = 0});
}

void RadixSelect::add_to(std::uint64_t prefix, std::uint64_t digit) {
  const auto found = std::lower_bound(prefixes_.begin(), prefixes_.end(), prefix);
  if (found == prefixes_.end() || *found != prefix) return;
  const auto table = static_cast<std::size_t>(found - prefixes_.begin());
  ++counts_[table * kDigits + static_cast<std::size_t>(digit)];
}

void RadixSelect::end_pass() {
  for (Wanted& wanted : wanted_) {
    const std::uint64_t* counts = counts_.data() + wanted.table * kDigits;
    std::uint64_t digit = 0;
    while (digit + 1 < kDigits && wanted.rank >= counts[digit]) wanted.rank -= counts[digit++];
    wanted.prefix = wanted.prefix << 16U | digit;
  }
  is_first_ = false;
  shift_ -= 16;
  if (is_done()) {
    counts_.clear();
    counts_.shrink_to_fit();
    return;
  }
  prefixes_.clear();
  for (const Wanted& wanted : wanted_) prefixes_.push_back(wanted.prefix);
  std::sort(prefixes_.begin(), prefixes_.end());
  prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
  may_begin_.assign(kDigits, 0);
  for (const std::uint64_t prefix : prefixes_) may_begin_[prefix & 0xFFFFU] = 1;
  for (Wanted& wanted : wanted_) {
    wanted.table = static_cast<std::size_t>(std::lower_bound(prefixes_.begin(), prefixes_.end(), wanted.prefix) -
                                            prefixes_.begin());
  }
  counts_.assign(prefixes_.size() * kDigits, 0);
}

std::vector<std::uint64_t> RadixSelect::keys() const {
  std::vector<std::uint64_t> keys;
  for (const Wanted& wanted : wanted_) keys.push_back(wanted.prefix);
  return keys;
}

}  // namespace nns::checkpoint
