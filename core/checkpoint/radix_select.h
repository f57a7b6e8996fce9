#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nns::checkpoint {

/// Finds the keys of several ranks among any number of keys without keeping or sorting them: each pass counts 16 more
/// bits of the keys that begin as one of the keys looked for does.
class RadixSelect {
 public:
  /// `bits` of the keys matter, at most 64. Passes needed: bits / 16, rounded up.
  RadixSelect(const std::vector<std::uint64_t>& ranks, unsigned bits);

  bool is_done() const { return shift_ < 0; }
  unsigned passes_left() const { return is_done() ? 0 : static_cast<unsigned>(shift_) / 16 + 1; }
  /// Takes key_of(0) up to key_of(count - 1). Must hold: !is_done(), and the same keys come in every pass.
  template <class KeyOf>
  void add(std::size_t count, const KeyOf& key_of) {
    const auto shift = static_cast<unsigned>(shift_);
    if (is_first_) {
      std::uint64_t* counts = counts_.data();
      for (std::size_t i = 0; i < count; ++i) ++counts[(key_of(i) >> shift) & 0xFFFFU];
      return;
    }
    const std::uint8_t* may_begin = may_begin_.data();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t key = key_of(i);
      const std::uint64_t prefix = key >> (shift + 16U);
      if (may_begin[prefix & 0xFFFFU] != 0) add_to(prefix, (key >> shift) & 0xFFFFU);
    }
  }
  void end_pass();
  /// The ranks may be told late: at the latest before the first end_pass().
  void set_ranks(const std::vector<std::uint64_t>& ranks);
  /// The key of each rank, in the order of the ranks. Must hold: is_done().
  std::vector<std::uint64_t> keys() const;

 private:
  struct Wanted {
    std::uint64_t prefix = 0;
    std::uint64_t rank = 0;  // among the keys that begin with the prefix
    std::size_t table = 0;
  };
  void add_to(std::uint64_t prefix, std::uint64_t digit);

  std::vector<Wanted> wanted_;
  std::vector<std::uint64_t> prefixes_;  // one a table of counts
  std::vector<std::uint64_t> counts_;    // 65,536 a table
  std::vector<std::uint8_t> may_begin_;  // by the last 16 bits of a prefix
  int shift_;
  bool is_first_ = true;
};

}  // namespace nns::checkpoint
