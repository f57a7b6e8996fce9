#pragma once

#include <functional>

#include "core/object/interpreter.h"

namespace nns::object {

/// An iterator of ours. A program sees it as an object with __iter__ and __next__.
class Iterator : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Iterator;
  /// The next item; Absent at the end, and from then on.
  virtual PyResult<Value> next() = 0;

 protected:
  explicit Iterator(Class& cls) : Container(cls, kKind) {}
};

/// What programs see iterators of built-in containers as, in the order of iterator_class.
enum class IteratorKind : std::uint8_t {
  List,
  Tuple,
  Text,
  AsciiText,
  Bytes,
  ByteArray,
  Range,
  Set,
  Keys,
  Values,
  Items,
  ReversedKeys,
  ReversedValues,
  ReversedItems,
  Callable
};
Class& iterator_class(Interpreter& interpreter, IteratorKind kind);

/// An iterator whose items a function of ours makes. `kept` is what the function refers to.
Ref<Iterator> make_iterator(Interpreter& interpreter, std::vector<Value> kept,
                            std::function<PyResult<Value>(std::span<const Value> kept)> next);

/// The keys, values or items of a dict, alive: dict.keys() and its siblings.
class DictView final : public Container {
 public:
  enum class What : std::uint8_t { Keys, Values, Items };
  DictView(Interpreter& interpreter, Ref<Dict> dict, What what);
  const Ref<Dict>& dict() const { return dict_; }
  What what() const { return what_; }
  void traverse(Visitor& visitor) const override { visitor.visit(dict_); }
  void clear_references() override { dict_ = nullptr; }

 private:
  Ref<Dict> dict_;
  What what_;
};

/// Walks a dict; raises RuntimeError when its size changes meanwhile. `reversed` from the end.
Ref<Iterator> dict_iterator(Interpreter& interpreter, Ref<Dict> dict, DictView::What what, bool reversed = false);

/// slice(start, stop, step); each None or an int.
class Slice final : public Container {
 public:
  Slice(Interpreter& interpreter, Value start, Value stop, Value step);
  /// Where it begins, its step, and how many it takes of a sequence.
  struct Bounds {
    std::int64_t start, stop, step;
    std::size_t count;
    std::size_t operator[](std::size_t i) const {
      return static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step);
    }
  };
  /// What is taken of a sequence of `length` items.
  /// Errors: ValueError  the step is zero. TypeError  a part is neither None nor has __index__.
  PyResult<Bounds> bounds(Interpreter& interpreter, std::int64_t length) const;
  /// The indices that it takes of a sequence of `length` items, in order.
  /// Errors: ValueError  the step is zero. TypeError  a part is no int.
  PyResult<std::vector<std::int64_t>> indices(Interpreter& interpreter, std::int64_t length) const;
  const Value& start() const { return start_; }
  const Value& stop() const { return stop_; }
  const Value& step() const { return step_; }
  void traverse(Visitor& visitor) const override;
  void clear_references() override {}

 private:
  Value start_, stop_, step_;
};

}  // namespace nns::object
