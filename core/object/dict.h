#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/object/collector.h"
#include "core/object/str.h"

namespace nns::object {

/// Python's dict: keys in order of insertion; a key that is overwritten keeps its place.
/// Keys are compared as Python compares None, bool, int, float, str and tuples of them; other objects by identity.
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
  /// The value of `key` as it is stored (it may be of kind Empty), or null.
  const Value* find_raw(Name key) const;
  const Value* find_raw(const Value& key) const;

  /// Fills an empty dict with a copy of another's entries; their keys are names.
  void copy_from(const Dict& other);

  /// Every change adds one to `*counter`: lets a cache see that a registry changed.
  void watch(std::uint64_t* counter) { watch_counter_ = counter; }

  void traverse(Visitor& visitor) const override;
  void clear_references() override { clear(); }

 private:
  std::int64_t slot_of(Name key) const;
  std::int64_t slot_of(std::string_view key) const;
  std::int64_t slot_of(const Value& key) const;
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
  /// Open addressing over slots of entries_, 0 = free, else slot + 1; empty while there are few entries.
  std::vector<std::uint32_t> index_;
  std::size_t live_ = 0;
  std::uint64_t shape_version_ = 0;
  std::uint64_t* watch_counter_ = nullptr;
  /// One bit for each name ever added; a name whose bit is missing is not here.
  std::uint64_t filter_ = 0;
  bool only_names_ = true;
};

/// collections.OrderedDict, and every class derived from dict: a Dict whose instances have attributes.
class DictWithAttributes final : public Dict {
 public:
  explicit DictWithAttributes(Class& cls) : Dict(cls) {}
  Dict* instance_dict(bool create) override;
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Ref<Dict> attributes_;
};

/// The hash of a key and equality of keys.
std::uint64_t hash_key(const Value& key);
bool equal_keys(const Value& a, const Value& b);

}  // namespace nns::object
