#include "core/checkpoint/pickle_heap.h"

#include "core/base/bits.h"

namespace nns::checkpoint {

PickleHeap::PickleHeap(std::string_view pickle) : pickle_(pickle) {
  cells_.reserve(512 + pickle.size() / 16);
  links_.reserve(pickle.size() / 16);
  add(PickleKind::None, 0, 0);
  add(PickleKind::Bool, 0, 0);
  add(PickleKind::Bool, 1, 0);
  for (std::uint64_t value = 0; value < 256; ++value) add(PickleKind::Int, 0, value);
  add(PickleKind::Tuple, kNone, std::uint64_t{kNone} << 32U);
}

double PickleHeap::as_float(PickleId id) const { return base::bit_cast<double>(cells_[id].b); }

bool PickleHeap::next(Cursor& cursor, PickleId& child) const {
  while (cursor.chunk != kNone && cursor.at == links_[cursor.chunk + 1]) cursor = {links_[cursor.chunk], 0};
  if (cursor.chunk == kNone) return false;
  child = links_[cursor.chunk + 2 + cursor.at];
  ++cursor.at;
  return true;
}

std::size_t PickleHeap::first_items(PickleId id, std::span<PickleId> into) const {
  const PickleChain items = chain(id);
  std::size_t at = 0;
  each(items, [&](PickleId child) {
    if (at == into.size()) return false;
    into[at++] = child;
    return true;
  });
  return items.count;
}

PickleId PickleHeap::find(const PickleChain& items, std::string_view key) const {
  PickleId found = kNone;
  bool is_key = true;
  bool matches = false;
  each(items, [&](PickleId child) {
    if (is_key) {
      matches = is_text(child) && text(child) == key;
    } else if (matches) {
      found = child;
    }
    is_key = !is_key;
    return true;
  });
  return found;
}

PickleId PickleHeap::make_int(std::int64_t value) {
  if (value >= 0 && value < 256) return kSmallInts + static_cast<PickleId>(value);
  return add(PickleKind::Int, 0, static_cast<std::uint64_t>(value));
}

PickleId PickleHeap::make_float(double value) {
  return add(PickleKind::Float, 0, base::bit_cast<std::uint64_t>(value));
}

PickleId PickleHeap::make_side_text(PickleKind kind, std::string_view text) {
  const auto offset = static_cast<std::uint32_t>(side_.size());
  side_.append(text);
  const PickleId id = add(kind, offset, text.size());
  cells_[id].in_side_buffer = true;
  return id;
}

PickleId PickleHeap::make_container(PickleKind kind, std::span<const PickleId> items) {
  if (kind == PickleKind::Tuple && items.empty()) return kEmptyTuple;
  const PickleId id = add(kind, kNone, std::uint64_t{kNone} << 32U);
  append_to(id, items);
  return id;
}

PickleId PickleHeap::make_name(std::string module, std::string name, std::uint32_t global) {
  names_.push_back({std::move(module), std::move(name), global});
  return add(PickleKind::Global, static_cast<std::uint32_t>(names_.size() - 1), 0);
}

PickleId PickleHeap::make_object(const PickleObject& object) {
  objects_.push_back(object);
  return add(PickleKind::Object, static_cast<std::uint32_t>(objects_.size() - 1), 0);
}

void PickleHeap::append(PickleChain& chain, std::span<const PickleId> items) {
  if (items.empty()) return;
  const auto count = static_cast<std::uint32_t>(items.size());
  const bool at_the_end = chain.last != kNone && chain.last + 2 + links_[chain.last + 1] == links_.size();
  if (at_the_end) {
    links_[chain.last + 1] += count;
  } else {
    const auto chunk = static_cast<std::uint32_t>(links_.size());
    links_.push_back(kNone);
    links_.push_back(count);
    if (chain.last == kNone) {
      chain.first = chunk;
    } else {
      links_[chain.last] = chunk;
    }
    chain.last = chunk;
  }
  links_.insert(links_.end(), items.begin(), items.end());
  chain.count += count;
}

void PickleHeap::append_to(PickleId container, std::span<const PickleId> items) {
  PickleChain items_of = chain(container);
  append(items_of, items);
  cells_[container].a = items_of.first;
  cells_[container].b = (std::uint64_t{items_of.last} << 32U) | items_of.count;
}

}  // namespace nns::checkpoint
