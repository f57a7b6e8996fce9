#include "core/object/dict.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/object/interpreter.h"

namespace nns::object {
namespace {

// Up to this many entries are searched one by one.
constexpr std::size_t kLinearEntries = 8;

std::uint64_t filter_bit(std::uint64_t hash) { return std::uint64_t{1} << ((hash >> 40U) & 63U); }

std::uint64_t scramble(std::uint64_t bits) {
  bits *= 0x9E3779B97F4A7C15U;
  return bits ^ (bits >> 32U);
}

std::uint64_t hash_float(double number) {
  // Equal numbers hash alike, whatever their type.
  if (number == std::floor(number) && std::fabs(number) < 9.2e18) {
    return scramble(static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return scramble(bits);
}

bool is_number(const Value& value) { return value.is_bool() || value.is_int() || value.is_float(); }
double to_double(const Value& value) {
  return value.is_float() ? value.as_float() : static_cast<double>(value.as_int());
}

}  // namespace

std::uint64_t hash_key(const Value& key) {
  switch (key.kind()) {
    case Value::Kind::Bool:
    case Value::Kind::Int:
      return scramble(static_cast<std::uint64_t>(key.as_int()));
    case Value::Kind::Float:
      return hash_float(key.as_float());
    case Value::Kind::Object:
      break;
    default:
      return 0x5bd1e995U;
  }
  if (const Str* text = key.as<Str>()) return text->hash();
  if (const Tuple* tuple = key.as<Tuple>()) {
    std::uint64_t hash = 0x345678U + tuple->size();
    for (const Value& item : tuple->items()) hash = scramble(hash ^ hash_key(item));
    return hash;
  }
  return scramble(reinterpret_cast<std::uintptr_t>(key.object()) >> 4U);
}

bool equal_keys(const Value& a, const Value& b) {
  if (a.is(b)) return true;
  if (is_number(a) && is_number(b)) {
    if (a.is_float() || b.is_float()) return to_double(a) == to_double(b);
    return a.as_int() == b.as_int();
  }
  if (const Str* text = a.as<Str>()) {
    const Str* other = b.as<Str>();
    return other != nullptr && text->view() == other->view();
  }
  if (const Tuple* tuple = a.as<Tuple>()) {
    const Tuple* other = b.as<Tuple>();
    if (other == nullptr || other->size() != tuple->size()) return false;
    for (std::size_t i = 0; i < tuple->size(); ++i) {
      if (!equal_keys((*tuple)[i], (*other)[i])) return false;
    }
    return true;
  }
  return false;
}

template <class Equals>
std::int64_t Dict::probe(std::uint64_t hash, Equals equals) const {
  if (index_.empty()) {
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
      if (equals(entries_[slot].key)) return static_cast<std::int64_t>(slot);
    }
    return -1;
  }
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(hash) & mask;; at = (at + 1) & mask) {
    const std::uint32_t slot = index_[at];
    if (slot == 0) return -1;
    if (equals(entries_[slot - 1].key)) return static_cast<std::int64_t>(slot) - 1;
  }
}

std::int64_t Dict::slot_of(Name key) const {
  const std::uint64_t hash = key.str().hash();
  if ((filter_ & filter_bit(hash)) == 0) return -1;
  const Object* pointer = &key.str();
  if (only_names_) {
    return probe(hash, [pointer](const Value& other) { return other.object() == pointer; });
  }
  return probe(hash, [&key, pointer](const Value& other) {
    if (other.object() == pointer) return true;
    const Str* text = other.as<Str>();
    return text != nullptr && text->view() == key.view();
  });
}

std::int64_t Dict::slot_of(std::string_view key) const {
  const std::uint64_t hash = hash_bytes(key);
  if ((filter_ & filter_bit(hash)) == 0) return -1;
  return probe(hash, [key](const Value& other) {
    const Str* text = other.as<Str>();
    return text != nullptr && text->view() == key;
  });
}

std::int64_t Dict::slot_of(const Value& key) const {
  const std::uint64_t hash = hash_key(key);
  if ((filter_ & filter_bit(hash)) == 0) return -1;
  if (const Str* text = key.as<Str>()) {
    return probe(hash, [text, hash](const Value& other) {
      if (other.object() == text) return true;
      const Str* stored = other.as<Str>();
      return stored != nullptr && stored->hash() == hash && stored->view() == text->view();
    });
  }
  return probe(hash, [&key](const Value& other) { return !other.is_absent() && equal_keys(key, other); });
}

Value* Dict::real(std::int64_t slot) {
  if (slot < 0) return nullptr;
  Value& value = entries_[static_cast<std::size_t>(slot)].value;
  if (value.is_empty_container()) [[unlikely]]
    value = interpreter().make_empty(value.as_empty_kind());
  return &value;
}

Value* Dict::find(Name key) { return real(slot_of(key)); }
Value* Dict::find(std::string_view key) { return real(slot_of(key)); }
Value* Dict::find(const Value& key) { return real(slot_of(key)); }

const Value* Dict::find_raw(Name key) const {
  const std::int64_t slot = slot_of(key);
  return slot < 0 ? nullptr : &entries_[static_cast<std::size_t>(slot)].value;
}

const Value* Dict::find_raw(const Value& key) const {
  const std::int64_t slot = slot_of(key);
  return slot < 0 ? nullptr : &entries_[static_cast<std::size_t>(slot)].value;
}

void Dict::set(Value key, Value value) {
  changed();
  const std::int64_t slot = slot_of(key);
  if (slot >= 0) {
    // The old value may run code when it goes: it must find the dict in order.
    entries_[static_cast<std::size_t>(slot)].value.swap(value);
    return;
  }
  const std::uint64_t hash = hash_key(key);
  append(std::move(key), hash, std::move(value));
}

void Dict::append(Value key, std::uint64_t hash, Value value) {
  if (entries_.size() >= kLinearEntries && (entries_.size() + 1) * 3 > index_.size() * 2) rebuild(live_ + 1);
  const Str* text = key.as<Str>();
  only_names_ = only_names_ && text != nullptr && text->is_interned();
  filter_ |= filter_bit(hash);
  entries_.push_back({std::move(key), std::move(value)});
  ++live_;
  ++shape_version_;
  if (index_.empty()) return;
  const std::size_t mask = index_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (index_[at] != 0) at = (at + 1) & mask;
  index_[at] = static_cast<std::uint32_t>(entries_.size());
}

void Dict::rebuild(std::size_t capacity) {
  // 1. Close the gaps that removed entries left.
  std::size_t kept = 0;
  filter_ = 0;
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    if (entries_[slot].key.is_absent()) continue;
    if (slot != kept) entries_[kept] = std::move(entries_[slot]);
    filter_ |= filter_bit(hash_key(entries_[kept].key));
    ++kept;
  }
  entries_.resize(kept);
  ++shape_version_;
  // 2. Index what is left, with room to grow.
  if (capacity <= kLinearEntries) {
    index_.clear();
    return;
  }
  std::size_t size = 32;
  while (size * 2 < capacity * 4) size *= 2;
  index_.assign(size, 0);
  const std::size_t mask = size - 1;
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    std::size_t at = static_cast<std::size_t>(hash_key(entries_[slot].key)) & mask;
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = static_cast<std::uint32_t>(slot) + 1;
  }
}

void Dict::erase_slot(std::size_t slot) {
  changed();
  // The index keeps its mark: probing goes on over it, and no key equals Absent.
  const Value key = std::exchange(entries_[slot].key, Value::absent());
  const Value value = std::exchange(entries_[slot].value, Value());
  --live_;
  ++shape_version_;
  if (live_ == 0) {
    entries_.clear();
    index_.clear();
    filter_ = 0;
    only_names_ = true;
  } else if (slot + 1 == entries_.size() && index_.empty()) {
    entries_.pop_back();
  } else if (entries_.size() > 32 && live_ * 4 < entries_.size()) {
    rebuild(live_);
  }
}

bool Dict::erase(Name key) {
  const std::int64_t slot = slot_of(key);
  if (slot >= 0) erase_slot(static_cast<std::size_t>(slot));
  return slot >= 0;
}

bool Dict::erase(const Value& key) {
  const std::int64_t slot = slot_of(key);
  if (slot >= 0) erase_slot(static_cast<std::size_t>(slot));
  return slot >= 0;
}

Value Dict::take(const Value& key) {
  const std::int64_t slot = slot_of(key);
  if (slot < 0) return Value::absent();
  Value taken = *real(slot);
  erase_slot(static_cast<std::size_t>(slot));
  return taken;
}

void Dict::clear() {
  if (entries_.empty()) return;
  changed();
  ++shape_version_;
  const std::vector<Entry> dropped = std::move(entries_);
  entries_.clear();
  index_.clear();
  live_ = 0;
  filter_ = 0;
  only_names_ = true;
}

void Dict::move_to_end(const Value& key, bool last) {
  const std::int64_t slot = slot_of(key);
  if (slot < 0) return;
  changed();
  Entry moved = std::move(entries_[static_cast<std::size_t>(slot)]);
  entries_[static_cast<std::size_t>(slot)].key = Value::absent();
  entries_.insert(last ? entries_.end() : entries_.begin(), std::move(moved));
  rebuild(live_);
}

Dict::Entry* Dict::next(std::size_t& at) {
  while (at < entries_.size()) {
    Entry& entry = entries_[at++];
    if (entry.key.is_absent()) continue;
    if (entry.value.is_empty_container()) [[unlikely]]
      real(static_cast<std::int64_t>(at) - 1);
    return &entry;
  }
  return nullptr;
}

Dict::Entry* Dict::previous(std::size_t& at) {
  at = std::min(at, entries_.size());
  while (at > 0) {
    Entry& entry = entries_[--at];
    if (entry.key.is_absent()) continue;
    real(static_cast<std::int64_t>(at));
    return &entry;
  }
  return nullptr;
}

std::vector<Value> Dict::keys() const {
  std::vector<Value> keys;
  keys.reserve(live_);
  for (const Entry& entry : entries_) {
    if (!entry.key.is_absent()) keys.push_back(entry.key);
  }
  return keys;
}

void Dict::copy_from(const Dict& other) {
  entries_.reserve(other.entries_.size() + 7);
  entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
  index_ = other.index_;
  live_ = other.live_;
  filter_ = other.filter_;
  only_names_ = other.only_names_;
  ++shape_version_;
  changed();
}

void Dict::traverse(Visitor& visitor) const {
  for (const Entry& entry : entries_) {
    visitor.visit(entry.key);
    visitor.visit(entry.value);
  }
}

Dict* DictWithAttributes::instance_dict(bool create) {
  if (!attributes_ && create) attributes_ = interpreter().dict();
  return attributes_.get();
}

void DictWithAttributes::traverse(Visitor& visitor) const {
  Dict::traverse(visitor);
  visitor.visit(attributes_);
}

void DictWithAttributes::clear_references() {
  Dict::clear_references();
  attributes_ = nullptr;
}

}  // namespace nns::object
