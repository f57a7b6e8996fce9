#pragma once

#include "core/object/iterator.h"

namespace nns::object {

/// Python's range. Bounds beyond 64 bits are refused with OverflowError where the range is made.
class Range final : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Range;
  /// Must hold: step is not 0.
  Range(Interpreter& interpreter, std::int64_t start, std::int64_t stop, std::int64_t step);

  std::int64_t start() const { return start_; }
  std::int64_t stop() const { return stop_; }
  std::int64_t step() const { return step_; }
  /// How many numbers it has.
  std::uint64_t size() const { return size_; }
  /// Must hold: i < size().
  std::int64_t operator[](std::uint64_t i) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start_) + i * static_cast<std::uint64_t>(step_));
  }
  bool contains(std::int64_t number) const;
  /// Equal as sequences.
  friend bool operator==(const Range& a, const Range& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || (a.start_ == b.start_ && (a.size_ == 1 || a.step_ == b.step_)));
  }

 private:
  std::int64_t start_, stop_, step_;
  std::uint64_t size_;
};

/// The only class of objects whose type is iterator_class(IteratorKind::Range).
class RangeIterator final : public Iterator {
 public:
  RangeIterator(Interpreter& interpreter, std::int64_t start, std::int64_t step, std::uint64_t size);
  /// The next number, or Absent.
  Value advance() {
    if (left_ == 0) return Value::absent();
    --left_;
    const std::int64_t number = at_;
    at_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(at_) + static_cast<std::uint64_t>(step_));
    return number;
  }
  PyResult<Value> next() override { return advance(); }
  void traverse(Visitor&) const override {}
  void clear_references() override {}

 private:
  std::int64_t at_, step_;
  std::uint64_t left_;
};

/// What an evaluator asks to walk a range without an iterator: iter(range).
Value range_iterator(Interpreter& interpreter, const Range& range, bool reversed);

}  // namespace nns::object
