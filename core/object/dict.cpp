#include "core/object/dict.h"

#include <algorithm>

#include "core/object/hash.h"
#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

// Up to this many entries are searched one by one.
constexpr std::size_t kLinearEntries = 8;

// What is made room for first.
constexpr std::size_t kFirstEntries = 4;

std::uint64_t filter_bit(std::uint64_t hash) { return std::uint64_t{1} << ((hash >> 40U) & 63U); }

}  // namespace

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

bool Dict::needs_program(const Value& key) const { return !hashes_.empty() || !is_plain_key(key); }

std::uint64_t Dict::hash_at(std::size_t slot) const {
  return hashes_.empty() ? hash_key(entries_[slot].key) : hashes_[slot];
}

PyResult<std::int64_t> Dict::search(const Value& key, std::uint64_t hash) const {
  if ((filter_ & filter_bit(hash)) == 0) return -1;
  const bool plain = is_plain_key(key);
  // The keys' methods may change the dict: then the walk begins again.
  while (true) {
    const std::uint64_t version = shape_version_;
    const bool indexed = !index_.empty();
    const std::size_t mask = index_.size() - 1;
    std::size_t at = indexed ? static_cast<std::size_t>(hash) & mask : 0;
    bool changed_meanwhile = false;
    for (; !changed_meanwhile; at = indexed ? (at + 1) & mask : at + 1) {
      if (indexed ? index_[at] == 0 : at >= entries_.size()) return -1;
      const std::size_t slot = indexed ? index_[at] - 1 : at;
      const Value other = entries_[slot].key;
      if (other.is_absent() || hash_at(slot) != hash) continue;
      if (other.is(key)) return static_cast<std::int64_t>(slot);
      if (plain && is_plain_key(other)) {
        if (equal_keys(other, key)) return static_cast<std::int64_t>(slot);
        continue;
      }
      NNS_TRY_ASSIGN(const bool same, equal(interpreter(), other, key));
      if (same) return static_cast<std::int64_t>(slot);
      changed_meanwhile = version != shape_version_;
    }
  }
}

PyResult<std::uint64_t> Dict::checked_hash(Interpreter& in, const Value& key, Role role) const {
  if (is_plain_key(key)) return hash_key(key);
  PyResult<std::int64_t> number = hash(in, key);
  if (number.ok()) return scramble_hash(*number);
  if (&number.error().exception().type() != &in.builtins().exception(ErrorKind::TypeError))
    return std::move(number).error();
  return type_error(in, "cannot use '{}' as a {} ({})", in.type_of(key).full_name(),
                    role == Role::DictKey ? "dict key" : "set element", number.error().message());
}

PyResult<Value*> Dict::try_find(Interpreter& in, const Value& key, Role role) {
  if (!needs_program(key)) return find(key);
  NNS_TRY_ASSIGN(const std::uint64_t hash, checked_hash(in, key, role));
  NNS_TRY_ASSIGN(const std::int64_t slot, search(key, hash));
  return real(slot);
}

PyResult<bool> Dict::try_contains(Interpreter& in, const Value& key, Role role) {
  if (!needs_program(key)) return slot_of(key) >= 0;
  NNS_TRY_ASSIGN(const std::uint64_t hash, checked_hash(in, key, role));
  NNS_TRY_ASSIGN(const std::int64_t slot, search(key, hash));
  return slot >= 0;
}

PyResult<void> Dict::try_set(Interpreter& in, Value key, Value value, Role role) {
  if (!needs_program(key)) {
    set(std::move(key), std::move(value));
    return {};
  }
  NNS_TRY_ASSIGN(const std::uint64_t hash, checked_hash(in, key, role));
  NNS_TRY_ASSIGN(const std::int64_t slot, search(key, hash));
  put(slot, std::move(key), hash, std::move(value));
  return {};
}

PyResult<Value> Dict::try_take(Interpreter& in, const Value& key, Role role) {
  if (!needs_program(key)) return take(key);
  NNS_TRY_ASSIGN(const std::uint64_t hash, checked_hash(in, key, role));
  NNS_TRY_ASSIGN(const std::int64_t slot, search(key, hash));
  if (slot < 0) return Value::absent();
  Value taken = *real(slot);
  erase_slot(static_cast<std::size_t>(slot));
  return taken;
}

std::int64_t Dict::slot_of(const Value& key) const {
  const Str* const text = key.as<Str>();
  if (text != nullptr && hashes_.empty() && !text->type().has_own_equality()) [[likely]] {
    const std::uint64_t hash = text->hash();
    if ((filter_ & filter_bit(hash)) == 0) return -1;
    // Where all keys are names a name is found by its address.
    if (only_names_ && text->is_interned()) {
      return probe(hash, [text](const Value& other) { return other.object() == text; });
    }
    return probe(hash, [text, hash](const Value& other) {
      if (other.object() == text) return true;
      const Str* stored = other.as<Str>();
      return stored != nullptr && stored->hash() == hash && stored->view() == text->view();
    });
  }
  if (needs_program(key)) {
    const PyResult<std::uint64_t> hash = checked_hash(interpreter(), key, Role::DictKey);
    const PyResult<std::int64_t> slot = search(key, hash.ok() ? *hash : hash_key(key));
    return slot.ok() ? *slot : -1;
  }
  const std::uint64_t hash = hash_key(key);
  if ((filter_ & filter_bit(hash)) == 0) return -1;
  if (key.is_int()) {
    return probe(hash, [&key](const Value& other) {
      return other.is_int() ? other.as_int() == key.as_int() : !other.is_absent() && equal_keys(key, other);
    });
  }
  return probe(hash, [&key](const Value& other) { return !other.is_absent() && equal_keys(key, other); });
}

Value* Dict::real(std::int64_t slot) {
  if (slot < 0) return nullptr;
  Value& value = entries_[static_cast<std::size_t>(slot)].value;
  if (value.is_empty_container()) [[unlikely]] {
    value = interpreter().make_empty(value.as_empty_kind());
    // Who watches what lies in this dict has one more to watch.
    changed();
  }
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
  if (const Str* const text = key.as<Str>(); text != nullptr && hashes_.empty() && !text->type().has_own_equality()) {
    const std::uint64_t hash = text->hash();
    const std::int64_t slot = slot_of(key);
    return put(slot, std::move(key), hash, std::move(value));
  }
  const std::int64_t slot = slot_of(key);
  std::uint64_t hash = 0;
  if (slot < 0) {
    hash = hash_key(key);
    if (!is_plain_key(key)) {
      const PyResult<std::uint64_t> own = checked_hash(interpreter(), key, Role::DictKey);
      if (own.ok()) hash = *own;
    }
  }
  put(slot, std::move(key), hash, std::move(value));
}

void Dict::put(std::int64_t slot, Value key, std::uint64_t hash, Value value) {
  changed();
  // An old value may run code when it goes: it must find the dict in order.
  if (slot < 0) {
    append(std::move(key), hash, std::move(value));
  } else {
    entries_[static_cast<std::size_t>(slot)].value.swap(value);
  }
}

void Dict::append(Value key, std::uint64_t hash, Value value) {
  if (entries_.size() >= kLinearEntries && (entries_.size() + 1) * 3 > index_.size() * 2) rebuild(live_ + 1);
  const Str* text = key.as<Str>();
  only_names_ = only_names_ && text != nullptr && text->is_interned();
  filter_ |= filter_bit(hash);
  if (!hashes_.empty() || !is_plain_key(key)) {
    for (std::size_t slot = hashes_.size(); slot < entries_.size(); ++slot) {
      hashes_.push_back(entries_[slot].key.is_absent() ? 0 : hash_key(entries_[slot].key));
    }
    hashes_.push_back(hash);
  }
  if (entries_.capacity() == 0) entries_.reserve(kFirstEntries);
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
    if (slot != kept) {
      entries_[kept] = std::move(entries_[slot]);
      if (!hashes_.empty()) hashes_[kept] = hashes_[slot];
    }
    filter_ |= filter_bit(hash_at(kept));
    ++kept;
  }
  entries_.resize(kept);
  if (!hashes_.empty()) hashes_.resize(kept);
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
    std::size_t at = static_cast<std::size_t>(hash_at(slot)) & mask;
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
    hashes_.clear();
    index_.clear();
    filter_ = 0;
    only_names_ = true;
  } else if (slot + 1 == entries_.size() && index_.empty()) {
    entries_.pop_back();
    if (!hashes_.empty()) hashes_.pop_back();
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
  hashes_.clear();
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
  if (!hashes_.empty()) {
    const std::uint64_t hash = hashes_[static_cast<std::size_t>(slot)];
    hashes_.insert(last ? hashes_.end() : hashes_.begin(), hash);
  }
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
  hashes_ = other.hashes_;
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

}  // namespace nns::object
