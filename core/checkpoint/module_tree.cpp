#include "core/checkpoint/module_tree.h"

#include "core/base/hash.h"

namespace nns::checkpoint {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The run of digits at the front of `text`.
std::string_view leading_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return text.substr(0, count);
}

std::string_view without_leading_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

StringTable::StringTable() : offsets_{0, 0}, slots_(64) {
  const std::uint64_t hash = base::hash_text("");
  slots_[hash & (slots_.size() - 1)] = {static_cast<std::uint32_t>(hash >> 32U), 0};
  used_ = 1;
}

std::uint32_t StringTable::intern(std::string_view text) {
  if (used_ * 2 >= slots_.size()) grow();
  const std::uint64_t hash = base::hash_text(text);
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(hash) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.id == kNone) {
      slot = {tag, append(text)};
      ++used_;
      return slot.id;
    }
    if (slot.hash == tag && view(slot.id) == text) return slot.id;
  }
}

std::uint32_t StringTable::append(std::string_view text) {
  const auto id = static_cast<std::uint32_t>(size());
  text_.append(text);
  offsets_.push_back(static_cast<std::uint32_t>(text_.size()));
  return id;
}

void StringTable::reserve(std::size_t strings, std::size_t bytes) {
  offsets_.reserve(strings + 1);
  text_.reserve(bytes);
}

void StringTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNone) continue;
    std::size_t at = static_cast<std::size_t>(base::hash_text(view(slot.id))) & mask;
    while (slots_[at].id != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view run_a = leading_digits(a);
      const std::string_view run_b = leading_digits(b);
      const std::string_view number_a = without_leading_zeros(run_a);
      const std::string_view number_b = without_leading_zeros(run_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(run_a.size());
      b.remove_prefix(run_b.size());
      continue;
    }
    if (a.front() != b.front()) return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // equal but for leading zeros: any fixed order will do
}

}  // namespace nns::checkpoint
