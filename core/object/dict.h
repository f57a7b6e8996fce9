#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/object/collector.h"
#include "core/object/str.h"

namespace nns::object {

/// Python's dict: keys in order of insertion; a key that is overwritten keeps its place.
/// Keys are compared as Python compares them. Where that runs no code of a program (None, numbers, texts, bytes, tuples
/// and frozensets of these, classes, tensors, objects without __eq__ and __hash__ of their own) find, set and erase are
/// enough; the operations of the language take try_find, try_set and try_take, which ask the keys' methods and pass
/// their errors on. The former ask too, but take an error for a key that differs.
/// A value of kind Empty turns into a real container when it is read.
class Dict : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Dict;

  struct Entry {
    /// Absent where an entry was removed.
    Value key;
    Value value;
  };

  explicit Dict(Class& cls) : Container(cls, kKind) {}

  std::size_t size() const { return live_; }
  bool empty() const { return live_ == 0; }

  /// The value of `key`, or null. The pointer is valid until the dict is changed.
  /// Cost: a name is found by comparing pointers.
  Value* find(Name key);
  Value* find(std::string_view key);
  Value* find(const Value& key);
  bool contains(Name key) const { return slot_of(key) >= 0; }
  bool contains(const Value& key) const { return slot_of(key) >= 0; }

  /// Stores `value`; a new key goes to the end.
  void set(Name key, Value value) { set(key.value(), std::move(value)); }
  void set(Value key, Value value);

  /// Why a key is looked up, for the text of the error when it cannot be hashed.
  enum class Role : std::uint8_t { DictKey, SetElement };
  /// The same for the operations of the language.
  /// Errors: TypeError  "cannot use 'list' as a dict key (unhashable type: 'list')"; what __hash__ and __eq__ raise.
  PyResult<Value*> try_find(Interpreter& interpreter, const Value& key, Role role = Role::DictKey);
  PyResult<bool> try_contains(Interpreter& interpreter, const Value& key, Role role = Role::DictKey);
  PyResult<void> try_set(Interpreter& interpreter, Value key, Value value, Role role = Role::DictKey);
  /// Removes `key` and gives its value; Absent: it was not there.
  PyResult<Value> try_take(Interpreter& interpreter, const Value& key, Role role = Role::DictKey);

  /// Removes `key` and tells whether it was there.
  bool erase(Name key);
  bool erase(const Value& key);
  /// Removes `key` and returns its value, or Absent.
  Value take(const Value& key);
  void clear();

  /// Moves a key to the front or to the end, as OrderedDict.move_to_end. Must hold: it is there.
  void move_to_end(const Value& key, bool last);

  /// Walking: `for (std::size_t at = 0; Entry* entry = dict.next(at);)`. Entries may be overwritten meanwhile, not
  /// added or removed; to hold against that compare shape_version().
  Entry* next(std::size_t& at);
  /// The last live entry before position `at`, for walking backwards from slot_count().
  Entry* previous(std::size_t& at);
  std::size_t slot_count() const { return entries_.size(); }
  /// Changes when a key is added or removed.
  std::uint64_t shape_version() const { return shape_version_; }
  /// The keys now, in order.
  std::vector<Value> keys() const;

  /// Whether the value of slot `slot` belongs to `key`; then it, raw (it may be of kind Empty). For callers that know
  /// where a name stands unless somebody moved it.
  const Value* raw_at(std::size_t slot, Name key) const {
    return slot < entries_.size() && entries_[slot].key.object() == static_cast<Object*>(&key.str())
               ? &entries_[slot].value
               : nullptr;
  }
  /// Whether the first slots belong to these keys, in this order.
  bool begins_with(std::span<const Name> keys) const {
    if (keys.size() > entries_.size()) return false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (entries_[i].key.object() != static_cast<const Object*>(&keys[i].str())) return false;
    }
    return true;
  }
  /// The value of slot `slot`, raw. Must hold: there is such a slot.
  const Value& raw_at(std::size_t slot) const { return entries_[slot].value; }
  /// Overwrites the value of slot `slot`. Must hold: there is such a slot, with a key.
  void replace_at(std::size_t slot, Value value) {
    changed();
    entries_[slot].value.swap(value);
  }
  /// Likewise for a key that is the same object.
  const Value* raw_at(std::size_t slot, const Object& key) const {
    return slot < entries_.size() && entries_[slot].key.object() == &key ? &entries_[slot].value : nullptr;
  }
  /// The value of `key` as it is stored (it may be of kind Empty), or null.
  const Value* find_raw(Name key) const;
  const Value* find_raw(const Value& key) const;

  /// Fills an empty dict with a copy of another's entries. What nobody has looked at yet (Empty) stays so: each of the
  /// two makes its own of it.
  void copy_from(const Dict& other);
  /// Whether all keys are interned texts.
  bool has_only_names() const { return only_names_; }

  /// Every change adds one to `*counter`: lets a cache see that a registry changed.
  void watch(std::uint64_t* counter) { watch_counter_ = counter; }
  /// Whether somebody counts: then values are only written by the dict itself.
  bool is_watched() const { return watch_counter_ != nullptr; }

  void traverse(Visitor& visitor) const override;
  void clear_references() override { clear(); }

 private:
  std::int64_t slot_of(Name key) const;
  std::int64_t slot_of(std::string_view key) const;
  std::int64_t slot_of(const Value& key) const;
  /// The slot of a key whose methods may have to be asked; -1: none. `hash` is what hash_key gives for plain keys.
  PyResult<std::int64_t> search(const Value& key, std::uint64_t hash) const;
  PyResult<std::uint64_t> checked_hash(Interpreter& interpreter, const Value& key, Role role) const;
  bool needs_program(const Value& key) const;
  std::uint64_t hash_at(std::size_t slot) const;
  void put(std::int64_t slot, Value key, std::uint64_t hash, Value value);
  template <class Equals>
  std::int64_t probe(std::uint64_t hash, Equals equals) const;
  void append(Value key, std::uint64_t hash, Value value);
  void erase_slot(std::size_t slot);
  void rebuild(std::size_t capacity);
  void changed() {
    if (watch_counter_ != nullptr) ++*watch_counter_;
  }
  Value* real(std::int64_t slot);

  std::vector<Entry> entries_;
  /// The hash of each entry's key, from the first key on that a program's __hash__ decides about; until then empty.
  std::vector<std::uint64_t> hashes_;
  /// Open addressing over slots of entries_, 0 = free, else slot + 1; empty while there are few entries.
  std::vector<std::uint32_t> index_;
  std::size_t live_ = 0;
  std::uint64_t shape_version_ = 0;
  std::uint64_t* watch_counter_ = nullptr;
  /// One bit for each name ever added; a name whose bit is missing is not here.
  std::uint64_t filter_ = 0;
  bool only_names_ = true;
};

/// The hash of a plain key and equality of plain keys; other objects are taken by identity.
std::uint64_t hash_key(const Value& key);
bool equal_keys(const Value& a, const Value& b);
/// Whether a key's hash and equality are known without running code of a program. Lists, dicts and sets are no keys.
bool is_plain_key(const Value& key);

}  // namespace nns::object
