#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

Dict& dict_of(Args a) { return *a[0].as<Dict>(); }

// dict(x, **more) and d.update(x, **more): `a` is self, x or Absent, more.
PyResult<Value> init_or_update(Interpreter& in, Args a) {
  if (!a[1].is_absent()) NNS_TRY(update_dict(in, dict_of(a), a[1]));
  NNS_TRY(update_dict(in, dict_of(a), a[2]));
  return Value();
}

PyResult<Value> pop(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Value taken, dict_of(a).try_take(in, a[1]));
  if (!taken.is_absent()) return taken;
  if (!a[2].is_absent()) return a[2];
  return key_error(in, a[1]);
}

PyResult<Value> pop_item(Interpreter& in, const Value& dict, bool last) {
  Dict& self = *dict.as<Dict>();
  std::size_t at = last ? self.slot_count() : 0;
  const Dict::Entry* entry = last ? self.previous(at) : self.next(at);
  if (entry == nullptr) return key_error(in, in.text("popitem(): dictionary is empty"));
  const Value key = entry->key, value = entry->value;
  NNS_TRY(self.try_take(in, key));
  return Value(in.tuple({key, value}));
}

PyResult<Value> from_keys(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value made, in.call(a[0], std::span<const Value>()));
  NNS_TRY(for_each(in, a[1], [&](const Value& key) { return setitem(in, made, key, a[2]); }));
  return made;
}

PyResult<Value> set_default(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value* found, dict_of(a).try_find(in, a[1]));
  if (found != nullptr) return *found;
  NNS_TRY(dict_of(a).try_set(in, a[1], a[2]));
  return a[2];
}

PyResult<Value> copy(Interpreter& in, Args a) {
  const bool ordered = dict_of(a).type().is_subclass_of(*in.builtins().ordered_dict);
  Ref<Dict> made = ordered ? in.ordered_dict() : in.dict();
  NNS_TRY(update_dict(in, *made, a[0]));
  return Value(made);
}

Value view_of(Interpreter& in, Args a, DictView::What what) {
  return Value(make<DictView>(in, Ref<Dict>(&dict_of(a)), what));
}

void add_views(Class& cls) {
  cls.def("keys(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, DictView::What::Keys); });
  cls.def("values(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, DictView::What::Values); });
  cls.def("items(self, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return view_of(in, a, DictView::What::Items); });
  cls.def("__reversed__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(dict_iterator(in, Ref<Dict>(&dict_of(a)), DictView::What::Keys, true));
  });
}

void add_view_methods(Interpreter& interpreter) {
  const Builtins& b = interpreter.builtins();
  for (Class* cls : {b.dict_keys, b.odict_keys, b.dict_items, b.odict_items, b.dict_values, b.odict_values}) {
    const bool is_set = cls != b.dict_values && cls != b.odict_values;
    add_container_methods(*cls, !is_set);
    cls->def("__reversed__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      const DictView& view = *a[0].as<DictView>();
      return Value(dict_iterator(in, view.dict(), view.what(), true));
    });
    if (!is_set) continue;
    add_operator_methods(*cls, {Op::And, Op::Or, Op::Xor, Op::Sub}, true);
    add_comparison_methods(*cls);
    cls->def("isdisjoint(self, other, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, a[1]));
      for (const Value& item : items) {
        NNS_TRY_ASSIGN(const bool found, contains(in, a[0], item));
        if (found) return Value(false);
      }
      return Value(true);
    });
  }
}

// A class that derives from OrderedDict and writes items itself is asked for each of them.
// Behaviour: CPython Objects/odictobject.c, mutablemapping_update and OrderedDict_setdefault.
bool writes_items_itself(Interpreter& in, const Value& self) {
  const Value* const writer = in.type_of(self).lookup(in.names().dunder_setitem);
  const Value* const plain = in.builtins().dict->lookup(in.names().dunder_setitem);
  return writer != nullptr && plain != nullptr && !writer->is(*plain);
}

PyResult<Value> init_or_update_ordered(Interpreter& in, Args a) {
  if (!writes_items_itself(in, a[0])) return init_or_update(in, a);
  const Ref<Dict> whole = in.ordered_dict();
  if (!a[1].is_absent()) NNS_TRY(update_dict(in, *whole, a[1]));
  NNS_TRY(update_dict(in, *whole, a[2]));
  for (std::size_t at = 0; Dict::Entry* entry = whole->next(at);) NNS_TRY(setitem(in, a[0], entry->key, entry->value));
  return Value();
}

PyResult<Value> set_default_ordered(Interpreter& in, Args a) {
  if (!writes_items_itself(in, a[0])) return set_default(in, a);
  NNS_TRY_ASSIGN(const Value* found, dict_of(a).try_find(in, a[1]));
  if (found != nullptr) return *found;
  NNS_TRY(setitem(in, a[0], a[1], a[2]));
  return a[2];
}

void add_ordered_methods(Class& cls) {
  cls.def("__init__(self, iterable=absent, /, **more)", init_or_update_ordered);
  cls.def("update(self, other=absent, /, **more)", init_or_update_ordered);
  cls.def_class("fromkeys(cls, iterable, value=None)", from_keys);
  cls.def("setdefault(self, /, key, default=None)", set_default_ordered);
  cls.def("popitem(self, /, last=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (dict_of(a).empty()) return key_error(in, in.text("dictionary is empty"));
    NNS_TRY_ASSIGN(const bool last, truth(in, a[1]));
    return pop_item(in, a[0], last);
  });
  cls.def("move_to_end(self, /, key, last=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool found, dict_of(a).try_contains(in, a[1]));
    if (!found) return key_error(in, a[1]);
    NNS_TRY_ASSIGN(const bool last, truth(in, a[2]));
    dict_of(a).move_to_end(a[1], last);
    return Value();
  });
}

}  // namespace

// Behaviour: CPython Objects/dictobject.c, dict_update_arg and PyDict_MergeFromSeq2.
PyResult<void> update_dict(Interpreter& in, Dict& dict, const Value& source) {
  if (Dict* other = source.as<Dict>(); other != nullptr) {
    if (other == &dict) return {};
    for (std::size_t at = 0; Dict::Entry* entry = other->next(at);) {
      const std::uint64_t version = other->shape_version();
      NNS_TRY(dict.try_set(in, entry->key, entry->value));
      if (other->shape_version() != version) return runtime_error(in, "dict mutated during update");
    }
    return {};
  }
  if (source.is_object() && in.type_of(source).lookup(in.names().keys) != nullptr) {
    NNS_TRY_ASSIGN(const Value keys, in.call_method(source, in.names().keys));
    return for_each(in, keys, [&](const Value& key) -> PyResult<void> {
      NNS_TRY_ASSIGN(const Value value, getitem(in, source, key));
      return dict.try_set(in, key, value);
    });
  }
  std::size_t position = 0;
  return for_each(in, source, [&](const Value& item) -> PyResult<void> {
    if (!can_iterate(in, item)) {
      return type_error(in, "cannot convert dictionary update sequence element #{} to a sequence", position);
    }
    NNS_TRY_ASSIGN(const std::vector<Value> pair, to_vector(in, item));
    if (pair.size() != 2) {
      return value_error(in, "dictionary update sequence element #{} has length {}; 2 is required", position,
                         pair.size());
    }
    ++position;
    return dict.try_set(in, pair[0], pair[1]);
  });
}

void add_dict_methods(Interpreter& interpreter) {
  Class& cls = *interpreter.builtins().dict;
  cls.def("__init__(self, iterable=absent, /, **more)", init_or_update);
  cls.def("update(self, other=absent, /, **more)", init_or_update);
  cls.def("get(self, key, default=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value* found, dict_of(a).try_find(in, a[1]));
    return found != nullptr ? *found : a[2];
  });
  cls.def("pop(self, key, default=absent, /)", pop);
  cls.def("popitem(self, /)", [](Interpreter& in, Args a) { return pop_item(in, a[0], true); });
  cls.def("setdefault(self, key, default=None, /)", set_default);
  cls.def("clear(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    dict_of(a).clear();
    return Value();
  });
  cls.def("copy(self, /)", copy);
  cls.def_class("fromkeys(cls, iterable, value=None, /)", from_keys);
  cls.def("__ior__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(update_dict(in, dict_of(a), a[1]));
    return a[0];
  });
  add_views(cls);
  add_operator_methods(cls, {Op::Or}, true);
  add_comparison_methods(cls);
  add_container_methods(cls, false);
  add_item_methods(cls, true);
  add_ordered_methods(*interpreter.builtins().ordered_dict);
  add_view_methods(interpreter);
}

}  // namespace nns::object
