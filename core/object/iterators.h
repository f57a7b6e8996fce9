#pragma once

#include "core/object/iterator.h"

/// Iterators that an evaluator's loop walks itself.
namespace nns::object {

/// Over a list or tuple by position: a list may grow and shrink meanwhile.
/// The only class of objects whose type is iterator_class of IteratorKind::List or Tuple.
class SequenceIterator final : public Iterator {
 public:
  SequenceIterator(Interpreter& interpreter, Value sequence)
      : Iterator(
            iterator_class(interpreter, sequence.as<List>() != nullptr ? IteratorKind::List : IteratorKind::Tuple)),
        sequence_(std::move(sequence)) {}
  /// The next item, or Absent.
  Value advance() {
    if (const List* const list = sequence_.as<List>()) {
      if (at_ < list->size()) [[likely]]
        return list->items()[at_++];
    } else if (const Tuple* const tuple = sequence_.as<Tuple>()) {
      if (at_ < tuple->size()) [[likely]]
        return (*tuple)[at_++];
    }
    sequence_ = Value();
    return Value::absent();
  }
  PyResult<Value> next() override { return advance(); }
  void traverse(Visitor& visitor) const override { visitor.visit(sequence_); }
  void clear_references() override { sequence_ = Value(); }

 private:
  Value sequence_;
  std::size_t at_ = 0;
};

/// Over the characters of a text.
/// The only class of objects whose type is iterator_class of IteratorKind::Text or AsciiText.
class TextIterator final : public Iterator {
 public:
  TextIterator(Interpreter& interpreter, Value text)
      : Iterator(
            iterator_class(interpreter, text.as<Str>()->is_ascii() ? IteratorKind::AsciiText : IteratorKind::Text)),
        text_(std::move(text)) {}
  PyResult<Value> next() override;
  void traverse(Visitor& visitor) const override { visitor.visit(text_); }
  void clear_references() override { text_ = Value(); }

 private:
  Value text_;
  std::size_t at_ = 0;
};

}  // namespace nns::object
