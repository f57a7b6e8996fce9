#pragma once

#include <span>
#include <vector>

#include "core/object/collector.h"
#include "core/object/dict.h"

namespace nns::object {

/// Lets the items go, the last one first. Behaviour: CPython Objects/listobject.c, list_clear.
inline void drop_from_end(std::vector<Value>& items) {
  while (!items.empty()) items.pop_back();
}

/// Python's tuple. Never changes. A named tuple is a Tuple of another class.
class Tuple : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Tuple;
  Tuple(Class& cls, std::vector<Value> items) : Container(cls, kKind), items_(std::move(items)) {}
  ~Tuple() override { drop_from_end(items_); }

  std::span<const Value> items() const { return items_; }
  std::size_t size() const { return items_.size(); }
  const Value& operator[](std::size_t i) const { return items_[i]; }

  void traverse(Visitor& visitor) const override;
  void clear_references() override { items_.clear(); }

 private:
  std::vector<Value> items_;
};

/// Python's list.
class List : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::List;
  List(Class& cls, std::vector<Value> items) : Container(cls, kKind), items_(std::move(items)) {}
  ~List() override { drop_from_end(items_); }

  std::vector<Value>& items() { return items_; }
  const std::vector<Value>& items() const { return items_; }
  std::size_t size() const { return items_.size(); }
  void append(Value value) { items_.push_back(std::move(value)); }

  void traverse(Visitor& visitor) const override;
  void clear_references() override {
    const std::vector<Value> dropped = std::move(items_);
    items_.clear();
  }

 private:
  std::vector<Value> items_;
};

/// Python's set and frozenset: the keys of a Dict, in order of insertion (Python's order is open, so a program cannot
/// rely on another).
class Set : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Set;
  explicit Set(Class& cls);

  Dict& keys() { return *keys_; }
  const Dict& keys() const { return *keys_; }
  std::size_t size() const { return keys_->size(); }
  bool contains(const Value& key) const { return keys_->contains(key); }
  void add(Value key) { keys_->set(std::move(key), Value()); }
  /// The same for the operations of the language; see Dict::try_set.
  PyResult<void> try_add(Interpreter& interpreter, Value key);
  PyResult<bool> try_contains(Interpreter& interpreter, const Value& key);
  /// set.discard.
  void discard(const Value& key) { keys_->erase(key); }

  void traverse(Visitor& visitor) const override;
  void clear_references() override { keys_->clear(); }

 private:
  Ref<Dict> keys_;
};

}  // namespace nns::object
