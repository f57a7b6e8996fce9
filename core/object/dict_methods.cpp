#include "core/object/builtin_methods.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

Dict& self_of(Args a) { return *a[0].as<Dict>(); }

PyResult<void> update(Interpreter& in, Dict& dict, const Value& source) {
  if (Dict* other = source.as<Dict>()) {
    for (std::size_t at = 0; Dict::Entry* entry = other->next(at);) dict.set(entry->key, entry->value);
    return {};
  }
  if (source.is_object() && in.type_of(source).lookup(in.names().keys) != nullptr) {
    NNS_TRY_ASSIGN(const Value keys, in.call_method(source, in.names().keys));
    return for_each(in, keys, [&](const Value& key) -> PyResult<void> {
      NNS_TRY_ASSIGN(const Value value, getitem(in, source, key));
      dict.set(key, value);
      return {};
    });
  }
  std::size_t position = 0;
  return for_each(in, source, [&](const Value& item) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::vector<Value> pair, to_vector(in, item));
    if (pair.size() != 2) {
      return value_error(in, "dictionary update sequence element #{} has length {}; 2 is required", position,
                         pair.size());
    }
    NNS_TRY(require_hashable(in, pair[0]));
    dict.set(pair[0], pair[1]);
    ++position;
    return {};
  });
}

PyResult<Value> init_or_update(Interpreter& in, Args a) {
  if (!a[1].is_absent() && !a[1].is_none()) NNS_TRY(update(in, self_of(a), a[1]));
  NNS_TRY(update(in, self_of(a), a[2]));
  return Value();
}

}  // namespace

void add_dict_methods(Interpreter& interpreter) {
  Class& cls = *interpreter.builtins().dict;
  cls.def("__init__(self, iterable=None, **more)", init_or_update);
  cls.def("update(self, other=None, **more)", init_or_update);
  cls.def("keys(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(make<DictView>(in, Ref<Dict>(&self_of(a)), DictView::What::Keys));
  });
  cls.def("values(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(make<DictView>(in, Ref<Dict>(&self_of(a)), DictView::What::Values));
  });
  cls.def("items(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(make<DictView>(in, Ref<Dict>(&self_of(a)), DictView::What::Items));
  });
  cls.def("get(self, key, default=None)", [](Interpreter&, Args a) -> PyResult<Value> {
    const Value* found = self_of(a).find(a[1]);
    return found != nullptr ? *found : a[2];
  });
  cls.def("pop(self, key, *default)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_hashable(in, a[1]));
    Value taken = self_of(a).take(a[1]);
    if (!taken.is_absent()) return taken;
    const Tuple* otherwise = a[2].as<Tuple>();
    if (otherwise->size() > 0) return (*otherwise)[0];
    return key_error(in, a[1]);
  });
  cls.def("popitem(self, last=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Dict& self = self_of(a);
    NNS_TRY_ASSIGN(const bool last, truth(in, a[1]));
    std::size_t at = last ? self.slot_count() : 0;
    const Dict::Entry* entry = last ? self.previous(at) : self.next(at);
    if (entry == nullptr) return key_error(in, in.text("popitem(): dictionary is empty"));
    const Value pair = in.tuple({entry->key, entry->value});
    self.erase((*pair.as<Tuple>())[0]);
    return pair;
  });
  cls.def("setdefault(self, key, default=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_hashable(in, a[1]));
    if (const Value* found = self_of(a).find(a[1])) return *found;
    self_of(a).set(a[1], a[2]);
    return a[2];
  });
  cls.def("clear(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    self_of(a).clear();
    return Value();
  });
  cls.def("copy(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const bool plain = &a[0].object()->type() == in.builtins().dict;
    Ref<Dict> copy = plain ? in.dict() : in.ordered_dict();
    NNS_TRY(update(in, *copy, a[0]));
    return Value(copy);
  });
  interpreter.builtins().ordered_dict->def("move_to_end(self, key, last=True)",
                                           [](Interpreter& in, Args a) -> PyResult<Value> {
                                             if (!self_of(a).contains(a[1])) return key_error(in, a[1]);
                                             NNS_TRY_ASSIGN(const bool last, truth(in, a[2]));
                                             self_of(a).move_to_end(a[1], last);
                                             return Value();
                                           });
}

}  // namespace nns::object
