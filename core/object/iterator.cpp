#include "core/object/iterator.h"

#include <algorithm>
#include <limits>

#include "core/object/bytes.h"
#include "core/object/iterators.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::object {
namespace {

class FunctionIterator final : public Iterator {
 public:
  using Next = std::function<PyResult<Value>(std::span<const Value>)>;
  FunctionIterator(Interpreter& interpreter, std::vector<Value> kept, Next next)
      : Iterator(*interpreter.builtins().generator), kept_(std::move(kept)), next_(std::move(next)) {}
  PyResult<Value> next() override {
    if (done_) return Value::absent();
    PyResult<Value> item = next_(kept_);
    done_ = !item.ok() || item->is_absent();
    return item;
  }
  void traverse(Visitor& visitor) const override {
    for (const Value& one : kept_) visitor.visit(one);
  }
  void clear_references() override {
    done_ = true;
    kept_.clear();
  }

 private:
  std::vector<Value> kept_;
  Next next_;
  bool done_ = false;
};

IteratorKind kind_of(DictView::What what, bool reversed) {
  switch (what) {
    case DictView::What::Keys:
      return reversed ? IteratorKind::ReversedKeys : IteratorKind::Keys;
    case DictView::What::Values:
      return reversed ? IteratorKind::ReversedValues : IteratorKind::Values;
    case DictView::What::Items:
      break;
  }
  return reversed ? IteratorKind::ReversedItems : IteratorKind::Items;
}

class DictIterator final : public Iterator {
 public:
  DictIterator(Interpreter& interpreter, Ref<Dict> dict, DictView::What what, bool reversed)
      : Iterator(iterator_class(interpreter, kind_of(what, reversed))),
        dict_(std::move(dict)),
        what_(what),
        reversed_(reversed) {
    at_ = reversed ? dict_->slot_count() : 0;
    size_ = dict_->size();
    version_ = dict_->shape_version();
  }
  PyResult<Value> next() override {
    if (!dict_) return Value::absent();
    Interpreter& interpreter = this->interpreter();
    if (dict_->shape_version() != version_) {
      const bool same_size = dict_->size() == size_;
      dict_ = nullptr;
      return runtime_error(
          interpreter, "{}",
          same_size ? "dictionary keys changed during iteration" : "dictionary changed size during iteration");
    }
    Dict::Entry* entry = reversed_ ? dict_->previous(at_) : dict_->next(at_);
    if (entry == nullptr) {
      dict_ = nullptr;
      return Value::absent();
    }
    if (what_ == DictView::What::Keys) return entry->key;
    if (what_ == DictView::What::Values) return entry->value;
    return Value(interpreter.tuple({entry->key, entry->value}));
  }
  void traverse(Visitor& visitor) const override { visitor.visit(dict_); }
  void clear_references() override { dict_ = nullptr; }

 private:
  Ref<Dict> dict_;
  DictView::What what_;
  bool reversed_;
  std::size_t at_;
  std::size_t size_;
  std::uint64_t version_;
};

Value sequence_iterator(Interpreter& interpreter, const Value& sequence) {
  return make<SequenceIterator>(interpreter, sequence);
}

Value text_iterator(Interpreter& interpreter, const Value& text) { return make<TextIterator>(interpreter, text); }

Class& view_class(Interpreter& interpreter, const Dict& dict, DictView::What what) {
  const Builtins& b = interpreter.builtins();
  const bool ordered = dict.type().is_subclass_of(*b.ordered_dict);
  switch (what) {
    case DictView::What::Keys:
      return ordered ? *b.odict_keys : *b.dict_keys;
    case DictView::What::Values:
      return ordered ? *b.odict_values : *b.dict_values;
    case DictView::What::Items:
      break;
  }
  return ordered ? *b.odict_items : *b.dict_items;
}

}  // namespace

PyResult<Value> TextIterator::next() {
  const Str* const text = text_.as<Str>();
  const std::string_view all = text == nullptr ? std::string_view() : text->view();
  if (at_ >= all.size()) {
    text_ = Value();
    return Value::absent();
  }
  std::size_t end = at_ + 1;
  while (end < all.size() && (static_cast<unsigned char>(all[end]) & 0xC0U) == 0x80U) ++end;
  const std::string_view character = all.substr(at_, end - at_);
  at_ = end;
  // Characters of one byte are names, of which each is made once.
  return character.size() == 1 ? interpreter().intern(character).value() : interpreter().text(character);
}

Class& iterator_class(Interpreter& interpreter, IteratorKind kind) {
  // add_iteration_methods made them in this order, and programs derive no others.
  return *interpreter.builtins().iterator->subclasses()[static_cast<std::size_t>(kind)];
}

Ref<Iterator> make_iterator(Interpreter& interpreter, std::vector<Value> kept,
                            std::function<PyResult<Value>(std::span<const Value> kept)> next) {
  return make<FunctionIterator>(interpreter, std::move(kept), std::move(next));
}

Ref<Iterator> dict_iterator(Interpreter& interpreter, Ref<Dict> dict, DictView::What what, bool reversed) {
  return make<DictIterator>(interpreter, std::move(dict), what, reversed);
}

DictView::DictView(Interpreter& interpreter, Ref<Dict> dict, What what)
    : Container(view_class(interpreter, *dict, what)), dict_(std::move(dict)), what_(what) {}

Slice::Slice(Interpreter& interpreter, Value start, Value stop, Value step)
    : Container(*interpreter.builtins().slice),
      start_(std::move(start)),
      stop_(std::move(stop)),
      step_(std::move(step)) {}

void Slice::traverse(Visitor& visitor) const {
  visitor.visit(start_);
  visitor.visit(stop_);
  visitor.visit(step_);
}

// Behaviour: CPython Objects/sliceobject.c, PySlice_Unpack and PySlice_AdjustIndices.
PyResult<Slice::Bounds> Slice::bounds(Interpreter& interpreter, std::int64_t length) const {
  // Numbers beyond 64 bits are as good as the nearest one with 64.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto number = [&interpreter](const Value& part, std::int64_t otherwise) -> PyResult<std::int64_t> {
    if (part.is_none()) return otherwise;
    if (part.is_int() || part.is_bool()) return part.as_int();
    if (plain_number(part).as<BigInt>() == nullptr &&
        own_special(interpreter, part, interpreter.names().dunder_index) == nullptr) {
      return type_error(interpreter, "slice indices must be integers or None or have an __index__ method");
    }
    NNS_TRY_ASSIGN(const Value whole, index_value(interpreter, part));
    if (whole.is_int()) return whole.as_int();
    return integer_sign(whole) < 0 ? -kMost : kMost;
  };
  NNS_TRY_ASSIGN(std::int64_t step, number(step_, 1));
  if (step == 0) return value_error(interpreter, "slice step cannot be zero");
  step = std::max(step, -kMost);
  NNS_TRY_ASSIGN(std::int64_t start, number(start_, step < 0 ? kMost : 0));
  NNS_TRY_ASSIGN(std::int64_t stop, number(stop_, step < 0 ? -kMost : kMost));
  const auto clamp = [length, step](std::int64_t at) {
    if (at < 0) {
      at += length;
      if (at < 0) at = step < 0 ? -1 : 0;
    } else if (at >= length) {
      at = step < 0 ? length - 1 : length;
    }
    return at;
  };
  start = clamp(start);
  stop = stop_.is_none() && step < 0 ? -1 : clamp(stop);
  std::int64_t count = 0;
  if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
  if (step < 0 && stop < start) count = (start - stop - 1) / -step + 1;
  return Bounds{start, stop, step, static_cast<std::size_t>(count)};
}

PyResult<std::vector<std::int64_t>> Slice::indices(Interpreter& interpreter, std::int64_t length) const {
  NNS_TRY_ASSIGN(const Bounds taken, bounds(interpreter, length));
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < taken.count; ++i) all.push_back(static_cast<std::int64_t>(taken[i]));
  return all;
}

Value builtin_iter(Interpreter& interpreter, const Value& value) {
  if (value.as<Tuple>() != nullptr || value.as<List>() != nullptr) {
    return sequence_iterator(interpreter, value);
  }
  if (const Range* range = value.as<Range>()) return range_iterator(interpreter, *range, false);
  if (Dict* dict = value.as<Dict>()) {
    return Value(dict_iterator(interpreter, Ref<Dict>(dict), DictView::What::Keys));
  }
  if (const DictView* view = value.as<DictView>()) {
    return Value(dict_iterator(interpreter, view->dict(), view->what()));
  }
  if (Set* set = value.as<Set>()) {
    const Ref<Iterator> made = dict_iterator(interpreter, Ref<Dict>(&set->keys()), DictView::What::Keys);
    made->set_type(iterator_class(interpreter, IteratorKind::Set));
    return Value(made);
  }
  if (value.as<Str>() != nullptr) return text_iterator(interpreter, value);
  if (value.as<Bytes>() != nullptr) {
    std::size_t at = 0;
    const Ref<Iterator> made =
        make_iterator(interpreter, {value}, [at](std::span<const Value> kept) mutable -> PyResult<Value> {
          const std::string_view bytes = kept[0].as<Bytes>()->view();
          return at < bytes.size() ? Value(static_cast<unsigned char>(bytes[at++])) : Value::absent();
        });
    const bool is_array = value.as<Bytes>()->is_array();
    made->set_type(iterator_class(interpreter, is_array ? IteratorKind::ByteArray : IteratorKind::Bytes));
    return Value(made);
  }
  return Value::absent();
}

PyResult<Value> iter(Interpreter& interpreter, const Value& value) {
  if (is_exact(value)) {
    Value made = builtin_iter(interpreter, value);
    if (!made.is_absent()) return made;
    if (value.as<Iterator>() != nullptr) return value;
  }
  Class& cls = interpreter.type_of(value);
  if (const Value* method = cls.lookup(interpreter.names().dunder_iter)) {
    if (method->is_none()) return type_error(interpreter, "'{}' object is not iterable", cls.name());
    NNS_TRY_ASSIGN(Value made, interpreter.call_special(value, interpreter.names().dunder_iter));
    if (made.as<Iterator>() == nullptr &&
        interpreter.type_of(made).lookup(interpreter.names().dunder_next) == nullptr) {
      return type_error(interpreter, "iter() returned non-iterator of type '{}'", interpreter.type_of(made).name());
    }
    return made;
  }
  if (cls.lookup(interpreter.names().dunder_getitem) != nullptr) {
    std::int64_t at = 0;
    return Value(
        make_iterator(interpreter, {value}, [at, &interpreter](std::span<const Value> kept) mutable -> PyResult<Value> {
          PyResult<Value> item = getitem(interpreter, kept[0], Value(at++));
          if (!item.ok() && (item.error().is(ErrorKind::IndexError) || item.error().is(ErrorKind::StopIteration))) {
            return Value::absent();
          }
          return item;
        }));
  }
  return type_error(interpreter, "'{}' object is not iterable", cls.name());
}

PyResult<Value> next(Interpreter& interpreter, const Value& iterator) {
  if (Iterator* native = iterator.as<Iterator>()) {
    // An iterator may ask another one, and so on.
    const Interpreter::Depth depth(interpreter);
    if (depth.too_deep()) return interpreter.recursion_error();
    return native->next();
  }
  if (interpreter.type_of(iterator).lookup(interpreter.names().dunder_next) == nullptr) {
    return type_error(interpreter, "'{}' object is not an iterator", interpreter.type_of(iterator).name());
  }
  PyResult<Value> item = interpreter.call_special(iterator, interpreter.names().dunder_next);
  if (!item.ok() && item.error().is(ErrorKind::StopIteration)) return Value::absent();
  return item;
}

PyResult<void> for_each(Interpreter& interpreter, const Value& iterable,
                        const std::function<PyResult<void>(const Value&)>& use) {
  NNS_TRY_ASSIGN(const Value iterator, iter(interpreter, iterable));
  while (true) {
    NNS_TRY_ASSIGN(const Value item, next(interpreter, iterator));
    if (item.is_absent()) return {};
    NNS_TRY(use(item));
  }
}

PyResult<std::vector<Value>> to_vector(Interpreter& interpreter, const Value& iterable) {
  if (is_exact(iterable)) {
    if (const Tuple* tuple = iterable.as<Tuple>())
      return std::vector<Value>(tuple->items().begin(), tuple->items().end());
    if (const List* list = iterable.as<List>()) return list->items();
  }
  std::vector<Value> items;
  NNS_TRY(for_each(interpreter, iterable, [&items](const Value& item) -> PyResult<void> {
    items.push_back(item);
    return {};
  }));
  return items;
}

bool is_iterable(Interpreter& interpreter, const Value& value) {
  if (!value.is_object()) return false;
  return value.as<Str>() != nullptr || value.as<Tuple>() != nullptr || value.as<List>() != nullptr ||
         value.as<Dict>() != nullptr || value.as<Set>() != nullptr || value.as<DictView>() != nullptr ||
         value.as<Iterator>() != nullptr || value.as<Range>() != nullptr || value.as<Bytes>() != nullptr ||
         interpreter.type_of(value).lookup(interpreter.names().dunder_iter) != nullptr;
}

bool can_iterate(Interpreter& interpreter, const Value& value) {
  return is_iterable(interpreter, value) ||
         interpreter.type_of(value).lookup(interpreter.names().dunder_getitem) != nullptr;
}

}  // namespace nns::object
