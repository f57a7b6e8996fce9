#include "core/object/iterator.h"

#include <fmt/format.h>

#include "core/object/operations.h"

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

class DictIterator final : public Iterator {
 public:
  DictIterator(Interpreter& interpreter, Ref<Dict> dict, DictView::What what, bool reversed)
      : Iterator(*interpreter.builtins().iterator), dict_(std::move(dict)), what_(what), reversed_(reversed) {
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

std::string Slice::text() const {
  const auto part = [](const Value& value) {
    return value.is_int() || value.is_bool() ? fmt::format("{}", value.as_int()) : std::string("None");
  };
  return fmt::format("slice({}, {}, {})", part(start_), part(stop_), part(step_));
}

// Behaviour: CPython Objects/sliceobject.c, PySlice_Unpack and PySlice_AdjustIndices.
PyResult<std::vector<std::int64_t>> Slice::indices(Interpreter& interpreter, std::int64_t length) const {
  for (const Value* part : {&start_, &stop_, &step_}) {
    if (!part->is_none() && !part->is_int() && !part->is_bool()) {
      return type_error(interpreter, "slice indices must be integers or None or have an __index__ method");
    }
  }
  const std::int64_t step = step_.is_none() ? 1 : step_.as_int();
  if (step == 0) return value_error(interpreter, "slice step cannot be zero");
  const auto clamp = [length, step](const Value& part, std::int64_t otherwise) {
    if (part.is_none()) return otherwise;
    std::int64_t at = part.as_int();
    if (at < 0) {
      at += length;
      if (at < 0) at = step < 0 ? -1 : 0;
    } else if (at >= length) {
      at = step < 0 ? length - 1 : length;
    }
    return at;
  };
  const std::int64_t start = clamp(start_, step < 0 ? length - 1 : 0);
  const std::int64_t stop = clamp(stop_, step < 0 ? -1 : length);
  std::vector<std::int64_t> taken;
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop; at += step) taken.push_back(at);
  return taken;
}

PyResult<Value> iter(Interpreter& interpreter, const Value& value) {
  if (value.as<Iterator>() != nullptr) return value;
  if (value.as<Tuple>() != nullptr || value.as<List>() != nullptr) {
    std::size_t at = 0;
    return Value(make_iterator(interpreter, {value}, [at](std::span<const Value> kept) mutable -> PyResult<Value> {
      if (const Tuple* tuple = kept[0].as<Tuple>()) {
        return at < tuple->size() ? (*tuple)[at++] : Value::absent();
      }
      const List* list = kept[0].as<List>();
      return at < list->size() ? list->items()[at++] : Value::absent();
    }));
  }
  if (Dict* dict = value.as<Dict>()) {
    return Value(dict_iterator(interpreter, Ref<Dict>(dict), DictView::What::Keys));
  }
  if (const DictView* view = value.as<DictView>()) {
    return Value(dict_iterator(interpreter, view->dict(), view->what()));
  }
  if (Set* set = value.as<Set>()) {
    return Value(dict_iterator(interpreter, Ref<Dict>(&set->keys()), DictView::What::Keys));
  }
  if (value.as<Str>() != nullptr) {
    std::size_t at = 0;
    return Value(
        make_iterator(interpreter, {value}, [at, &interpreter](std::span<const Value> kept) mutable -> PyResult<Value> {
          const std::string_view text = kept[0].as<Str>()->view();
          if (at >= text.size()) return Value::absent();
          std::size_t end = at + 1;
          while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
          const std::string_view character = text.substr(at, end - at);
          at = end;
          return interpreter.text(character);
        }));
  }
  Class& cls = interpreter.type_of(value);
  if (cls.lookup(interpreter.names().dunder_iter) != nullptr) {
    return interpreter.call_special(value, interpreter.names().dunder_iter);
  }
  if (cls.lookup(interpreter.names().dunder_getitem) != nullptr) {
    std::int64_t at = 0;
    return Value(
        make_iterator(interpreter, {value}, [at, &interpreter](std::span<const Value> kept) mutable -> PyResult<Value> {
          PyResult<Value> item = getitem(interpreter, kept[0], Value(at++));
          if (!item.ok() && item.error().is(ErrorKind::IndexError)) return Value::absent();
          return item;
        }));
  }
  return type_error(interpreter, "'{}' object is not iterable", cls.name());
}

PyResult<Value> next(Interpreter& interpreter, const Value& iterator) {
  if (Iterator* native = iterator.as<Iterator>()) return native->next();
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
  if (const Tuple* tuple = iterable.as<Tuple>())
    return std::vector<Value>(tuple->items().begin(), tuple->items().end());
  if (const List* list = iterable.as<List>()) return list->items();
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
         value.as<Iterator>() != nullptr ||
         interpreter.type_of(value).lookup(interpreter.names().dunder_iter) != nullptr;
}

}  // namespace nns::object
